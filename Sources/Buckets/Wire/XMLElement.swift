/// An element of a document.
package struct XMLElement: Sendable {
    var name: String
    /// Its text, without the text of child elements.
    package internal(set) var text = ""
    var elements: [XMLElement] = []

    /// The first child element with a name.
    package subscript(name: String) -> XMLElement? { elements.first { $0.name == name } }

    /// The child elements with a name.
    package func all(_ name: String) -> [XMLElement] { elements.filter { $0.name == name } }
}
