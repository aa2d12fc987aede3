/// An element of a request's document.
struct XMLElement: Sendable {
    var name: String
    /// The text in it, without that of its elements.
    var text = ""
    var elements: [XMLElement] = []

    /// The first element of a name.
    subscript(name: String) -> XMLElement? { elements.first { $0.name == name } }

    /// The elements of a name.
    func all(_ name: String) -> [XMLElement] { elements.filter { $0.name == name } }
}
