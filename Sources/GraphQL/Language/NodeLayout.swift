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
