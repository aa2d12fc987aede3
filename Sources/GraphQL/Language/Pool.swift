/// A growing run of plain values that is filled while parsing, as a pool or as a stack.
///
/// An array would do, were it not for what it asks at every append: whether it is shared. A pool cannot be copied, so
/// it never is. What stays of it is a copy, exactly as large as needed, since documents are kept for a long time.
///
/// Memory safety: `base` has room for `capacity` nodes, the first `count` of which are initialized; every store follows a
/// `reserve`. Nodes are `BitwiseCopyable`, so they need no deinitialization. `PoolMemory` outlives the pools that begin in it.
@safe struct Pool<Node: BitwiseCopyable>: ~Copyable {
    private var base: UnsafeMutablePointer<Node>?
    private var capacity = 0
    private(set) var count = 0
    /// Whether the memory is the pool's own, and not a part of what all pools have in common.
    private var ownsMemory = false

    /// An empty pool with room for so many nodes, as far as the memory reaches, which must outlive it.
    init(countAtFirst: Int = 8, in memory: inout PoolMemory) {
        unsafe base = unsafe memory.take(countAtFirst)
        capacity = unsafe base == nil ? 0 : countAtFirst
    }

    deinit { if ownsMemory { unsafe base?.deallocate() } }

    @inline(__always) mutating func append(_ node: Node) {
        reserve(1)
        // `reserve` has made `base` and left room after `count`.
        unsafe base.unsafelyUnwrapped.advanced(by: count).initialize(to: node)
        count &+= 1
    }

    /// Moves what was appended to a stack since `mark` to the end of this pool, and gives its range here.
    @inline(__always) mutating func close(_ stack: inout Pool<Node>, from mark: Int) -> NodeRange<Node> {
        let siblingCount = stack.count &- mark
        let range = NodeRange<Node>(
            start: UInt32(truncatingIfNeeded: count), count: UInt32(truncatingIfNeeded: siblingCount))
        guard siblingCount > 0, let siblings = unsafe stack.base else { return range }
        reserve(siblingCount)
        unsafe base.unsafelyUnwrapped.advanced(by: count).initialize(from: siblings + mark, count: siblingCount)
        count &+= siblingCount
        stack.count = mark
        return range
    }

    /// The nodes from `start` on.
    @inline(__always) func range(from start: Int) -> NodeRange<Node> {
        NodeRange(start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: count &- start))
    }

    /// Copies the nodes to their place there, which the memory must have room for.
    @inline(__always) func copy(to memory: UnsafeMutableRawPointer, at place: NodePlace<Node>) {
        guard let base = unsafe base else { return }
        unsafe (memory + Int(place.offset)).initializeMemory(as: Node.self, from: base, count: count)
    }

    @inline(__always) private mutating func reserve(_ nodeCount: Int) {
        if capacity &- count < nodeCount { grow(nodeCount) }
    }

    @inline(never) private mutating func grow(_ nodeCount: Int) {
        capacity = max(capacity * 2, count + nodeCount, 8)
        let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity)
        if let base = unsafe base {
            unsafe larger.initialize(from: base, count: count)
            if ownsMemory { unsafe base.deallocate() }
        }
        unsafe base = unsafe larger
        ownsMemory = true
    }
}
