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

/// The pools of a document while it is parsed.
struct NodePools: ~Copyable {
    var operations: Pool<OperationDefinition>
    var fragments: Pool<FragmentDefinition>
    var selections: Pool<Selection>
    var arguments: Pool<Argument>
    var values: Pool<ValueNode>
    var objectFields: Pool<ObjectField>
    var directives: Pool<Directive>
    var variableDefinitions: Pool<VariableDefinition>
    var types: Pool<TypeReference>

    init(in memory: inout PoolMemory) {
        operations = Pool(countAtFirst: 1, in: &memory)
        fragments = Pool(countAtFirst: 4, in: &memory)
        selections = Pool(countAtFirst: 24, in: &memory)
        arguments = Pool(in: &memory)
        values = Pool(in: &memory)
        objectFields = Pool(countAtFirst: 12, in: &memory)
        directives = Pool(countAtFirst: 4, in: &memory)
        variableDefinitions = Pool(countAtFirst: 4, in: &memory)
        types = Pool(in: &memory)
    }
}

/// A pool within the memory of its document.
struct NodePlace<Node: BitwiseCopyable> {
    /// The first node's first byte.
    let offset: UInt32
    /// How many nodes.
    let count: UInt32

    /// The nodes, which a copy of the pool has put there.
    @inline(__always) func base(in memory: UnsafeMutableRawPointer) -> UnsafePointer<Node> {
        unsafe UnsafePointer((memory + Int(offset)).assumingMemoryBound(to: Node.self))
    }
}

/// Lays pools out one after the other. Sources are at most 4 GiB long; their nodes are bounded by `ParserLimits`.
struct NodeLayout {
    /// No node needs more: they are made of 32-bit numbers.
    static var alignment: Int { 8 }

    private(set) var byteCount = 0

    @inline(__always) mutating func place<Node>(of pool: borrowing Pool<Node>) -> NodePlace<Node> {
        let place = NodePlace<Node>(offset: UInt32(byteCount), count: UInt32(truncatingIfNeeded: pool.count))
        byteCount = Self.end(of: pool.count, Node.self, from: byteCount)
        return place
    }

    /// Where the next pool may begin after so many nodes from there.
    @inline(__always) static func end<Node>(of count: Int, _: Node.Type, from start: Int) -> Int {
        (start &+ count &* MemoryLayout<Node>.stride &+ alignment &- 1) & ~(alignment &- 1)
    }
}

/// The memory that one parse begins with: one piece for its tokens and all its pools. Most documents need no more.
///
/// Memory safety: each `take` returns a part of its own, inside `byteCount` and aligned for every node; the tokens are the
/// first part. All is freed together in `deinit`.
@safe struct PoolMemory: ~Copyable {
    static var byteCount: Int { 5120 }

    private let base: UnsafeMutableRawPointer
    private var used: Int
    /// Room for the tokens of a lexer.
    let tokens: UnsafeMutablePointer<Token>

    init() {
        unsafe base = .allocate(byteCount: Self.byteCount, alignment: NodeLayout.alignment)
        unsafe tokens = unsafe base.bindMemory(to: Token.self, capacity: Lexer.tokenCapacity)
        used = NodeLayout.end(of: Lexer.tokenCapacity, Token.self, from: 0)
    }

    deinit { unsafe base.deallocate() }

    /// Room for so many nodes; nil when there is not so much left.
    mutating func take<Node: BitwiseCopyable>(_ count: Int) -> UnsafeMutablePointer<Node>? {
        let start = used
        let end = NodeLayout.end(of: count, Node.self, from: start)
        guard end <= Self.byteCount else { return nil }
        used = end
        return unsafe (base + start).bindMemory(to: Node.self, capacity: count)
    }
}
