/// Nodes of a document that stand next to one another: a pool, or siblings in it. Keeps the document.
@safe public struct Nodes<Node: Sendable & BitwiseCopyable>: RandomAccessCollection, Sendable {
    /// Owns what `base` points to, and never changes it.
    private let document: Document
    /// Within `document.memory`, where so many nodes were put; any thread may read them, as it says there.
    private nonisolated(unsafe) let base: UnsafePointer<Node>
    /// How many nodes.
    public let count: Int

    @inline(__always) init(of document: Document, base: UnsafePointer<Node>, count: Int) {
        self.document = document
        unsafe self.base = unsafe base
        self.count = count
    }

    /// Zero.
    public var startIndex: Int { 0 }
    /// One more than the last node's.
    public var endIndex: Int { count }

    /// The node of this number, which must be at least zero and below `count`.
    public subscript(position: Int) -> Node {
        @inline(__always) get {
            precondition(0 <= position && position < count, "A node beyond the end.")
            return withExtendedLifetime(document) { unsafe base[position] }
        }
    }

    /// The siblings of this range, which must lie in this pool.
    subscript(range: NodeRange<Node>) -> Nodes<Node> {
        @inline(__always) get {
            precondition(range.indices.upperBound <= count, "Nodes beyond the end.")
            return unsafe Nodes(of: document, base: base + range.indices.lowerBound, count: Int(range.count))
        }
    }
}
