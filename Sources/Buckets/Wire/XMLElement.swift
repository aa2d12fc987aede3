/// An element of a request's document.
struct XMLElement: Sendable {
    var name: String
    /// Its text, without the text of child elements.
    var text = ""
    var elements: [XMLElement] = []

    /// The first child element with a name.
    subscript(name: String) -> XMLElement? { elements.first { $0.name == name } }

    /// The child elements with a name.
    func all(_ name: String) -> [XMLElement] { elements.filter { $0.name == name } }
}
