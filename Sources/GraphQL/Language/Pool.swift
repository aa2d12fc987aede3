/// A growing run of plain values that is filled while parsing, as a pool or as a stack.
///
/// An array would do, were it not for what it asks at every append: whether it is shared. A pool cannot be copied, so
/// it never is. What stays of it is `array`, exactly as large as needed, since documents are kept for a long time.
struct Pool<Node: BitwiseCopyable>: ~Copyable {
    private var base: UnsafeMutablePointer<Node>?
    private var capacity = 0
    private(set) var count = 0
    private let countAtFirst: Int

    /// An empty pool that takes memory, for so many nodes, when the first one comes.
    init(countAtFirst: Int = 8) { self.countAtFirst = max(countAtFirst, 1) }

    deinit { base?.deallocate() }

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
        capacity = max(capacity * 2, count + nodeCount, countAtFirst)
        let larger = UnsafeMutablePointer<Node>.allocate(capacity: capacity)
        if let base {
            larger.initialize(from: base, count: count)
            base.deallocate()
        }
        base = larger
    }
}
