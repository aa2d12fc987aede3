/// Why a text is no JSON, and where.
public struct JSONError: Error, Sendable, Hashable {
    /// What is wrong, as a sentence.
    public var message: String
    /// The byte at which it is wrong.
    public var offset: Int

    /// An error at a byte.
    public init(_ message: String, offset: Int) {
        self.message = message
        self.offset = offset
    }
}
