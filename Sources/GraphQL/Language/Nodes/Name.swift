/// A name as a range of the source's bytes. Two names are compared by `Document.areEqual`, never by their ranges.
public struct Name: Sendable, BitwiseCopyable {
    /// The first byte.
    public var start: UInt32
    /// How many bytes.
    public var count: UInt32

    /// A name by its range.
    @inlinable public init(start: UInt32, count: UInt32) {
        self.start = start
        self.count = count
    }
}
