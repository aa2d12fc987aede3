import Tables

extension Item {
    /// The text of an attribute; nil where it is absent.
    func text(_ position: Int) -> String? { values[position].text }
}
