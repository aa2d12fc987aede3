import Tables

extension Item {
    /// The text of an attribute; nil where it is absent.
    func text(_ position: Int) -> String? { if case .text(let text) = values[position] { text } else { nil } }
}

extension Value {
    init(_ text: String?) { self = text.map(Value.text) ?? .null }
}
