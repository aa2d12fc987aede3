extension Value {
    /// The text of a text, else nil.
    @inlinable
    package var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The text, or nothing.
    @inlinable
    package init(_ text: String?) { self = text.map(Value.text) ?? .null }
}
