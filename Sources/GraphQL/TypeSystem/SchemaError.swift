/// A fault of a schema document: what, where, and what may help.
public struct SchemaError: Error, Sendable, Hashable {
    /// What is wrong, as a sentence.
    public var message: String
    /// Where; `nil` for a generated part, or where something is missing altogether.
    public var place: Place?
    /// The other places that belong to it: the first of two definitions, the interface that is not satisfied.
    public var related: [Place]
    /// What to do about it, where that can be guessed.
    public var hint: String?

    /// A fault by its parts.
    public init(_ message: String, at place: Place? = nil, related: [Place] = [], hint: String? = nil) {
        self.message = message
        self.place = place
        self.related = related
        self.hint = hint
    }
}

extension SchemaError: CustomStringConvertible {
    /// The message and the hint, on one line.
    public var description: String { hint.map { "\(message) \($0)" } ?? message }
}
