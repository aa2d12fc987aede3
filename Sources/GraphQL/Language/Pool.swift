/// A growing run of plain values that is filled while parsing, as a pool or as a stack.
///
/// An array would do, were it not for what it asks at every append: whether it is shared. A pool cannot be copied, so
/// it never is. What stays of it is `array`, exactly as large as needed, since documents are kept for a long time.
struct Pool<Node: BitwiseCopyable>: ~Copyable {
    private var base: UnsafeMutablePointer<Node>?
    private var capacity = 0
    private(set) var count = 0
    /// Whether the memory is the pool's own, and not a part of what all pools have in common.
    private var ownsMemory = false

    /// An empty pool with room for so many nodes, as far as the memory reaches, which must outlive it.
    init(countAtFirst: Int = 8, in memory: inout PoolMemory) {
        base = memory.take(countAtFirst)
        capacity = base == nil ? 0 : countAtFirst
    }

    deinit { if ownsMemory { base?.deallocate() } }

    @inline(__always) mutating func append(_ node: Node) {
        reserve(1)
        // `reserve` has made `base` and left room behind `count`.
        base.unsafelyUnwrapped.advanced(by: count).initialize(to: node)
        count &+= 1
    }

    /// Moves what was appended to a stack since `mark` to the end of this pool, and gives its range here.
    @inline(__always) mutating func close(_ stack: inout Pool<Node>, from mark: Int) -> NodeRange<Node> {
        let siblingCount = stack.count &- mark
        let range = NodeRange<Node>(
            start: UInt32(truncatingIfNeeded: count), count: UInt32(truncatingIfNeeded: siblingCount))
        guard siblingCount > 0, let siblings = stack.base else { return range }
        reserve(siblingCount)
        base.unsafelyUnwrapped.advanced(by: count).initialize(from: siblings + mark, count: siblingCount)
        count &+= siblingCount
        stack.count = mark
        return range
    }

    /// The nodes from `start` on.
    @inline(__always) func range(from start: Int) -> NodeRange<Node> {
        NodeRange(start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: count &- start))
    }

    /// A copy of the nodes.
    var array: [Node] { Array(UnsafeBufferPointer(start: base, count: count)) }

    @inline(__always) private mutating func reserve(_ nodeCount: Int) {
        if capacity &- count < nodeCount { grow(nodeCount) }
    }

    @inline(never) private mutating func grow(_ nodeCount: Int) {
        capacity = max(capacity * 2, count + nodeCount, 8)
        let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity)
        if let base {
            larger.initialize(from: base, count: count)
            if ownsMemory { base.deallocate() }
        }
        base = larger
        ownsMemory = true
    }
}

/// The memory that the pools of one parse begin with: one piece instead of one for each.
struct PoolMemory: ~Copyable {
    private let base: UnsafeMutableRawPointer
    private let byteCount: Int
    private var used = 0

    init(byteCount: Int) {
        self.byteCount = byteCount
        base = .allocate(byteCount: byteCount, alignment: 16)
    }

    deinit { base.deallocate() }

    /// Room for so many nodes; nil when there is not so much left.
    mutating func take<Node: BitwiseCopyable>(_ count: Int) -> UnsafeMutablePointer<Node>? {
        let start = (used + 15) & ~15
        let size = count * MemoryLayout<Node>.stride
        guard start + size <= byteCount else { return nil }
        used = start + size
        return (base + start).bindMemory(to: Node.self, capacity: count)
    }
}
