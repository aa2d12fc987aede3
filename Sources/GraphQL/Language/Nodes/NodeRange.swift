/// A range of siblings in the pool of their kind.
public struct NodeRange<Node>: Sendable, Hashable, BitwiseCopyable {
    /// The first sibling.
    public var start: UInt32
    /// How many siblings.
    public var count: UInt32

    /// Siblings by their range.
    @inlinable public init(start: UInt32, count: UInt32) {
        self.start = start
        self.count = count
    }

    /// No sibling.
    @inlinable public static var none: Self { Self(start: 0, count: 0) }

    /// Whether there is no sibling.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// The siblings' places in their pool.
    @inlinable public var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}
