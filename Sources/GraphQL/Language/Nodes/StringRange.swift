/// A string as it stands in the source, without its quotes.
public struct StringRange: Sendable, BitwiseCopyable {
    /// The first byte after the opening quotes.
    public var start: UInt32
    /// How many bytes up to the closing quotes.
    public var count: UInt32
    /// Whether it stands in three quotes (spec §2.9.4).
    public var isBlock: Bool
    /// Whether a backslash needs decoding.
    public var hasEscapes: Bool
}
