/// The description of a definition (spec §2.2), with the form it is written in: `"…"` or `"""…"""`.
///
/// The form has no meaning; it is kept because a printed schema has each description as its author wrote it.
public struct Description: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The characters.
    public let text: String
    /// Whether it is a block string.
    public let isBlock: Bool

    /// A description of these characters. A text that a block string cannot hold, such as one with control characters,
    /// is quoted.
    public init(_ text: String, isBlock: Bool = true) {
        self.text = text
        self.isBlock = isBlock && (text.isEmpty || StringPrinting.isBlockPrintable(text))
    }

    /// Makes a block string.
    public init(stringLiteral value: String) { self.init(value) }
}
