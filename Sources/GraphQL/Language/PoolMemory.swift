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
