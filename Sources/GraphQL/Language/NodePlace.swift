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
