/// A string inside the scanned bytes, without its quotes.
public struct JSONText: Sendable, Hashable {
    /// The bytes between the quotes.
    public var range: Range<Int>
    /// Whether a backslash needs decoding.
    public var hasEscapes: Bool
}
