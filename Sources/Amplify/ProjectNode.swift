import JSON
import Transformer

/// A value in a file of a project, with its place.
struct ProjectNode {
    let value: JSONValue
    let file: LocatedJSON
    let path: [String]
    /// Another file's object whose members go before those of this one; none or one.
    private var overriding: [ProjectNode] = []

    /// The whole of a file.
    init(_ file: LocatedJSON) { self.init(value: file.value, file: file, path: []) }

    private init(value: JSONValue, file: LocatedJSON, path: [String]) {
        (self.value, self.file, self.path) = (value, file, path)
    }

    /// The node with another value at its place.
    func replacing(_ value: JSONValue) -> ProjectNode { ProjectNode(value: value, file: file, path: path) }

    /// The object with the members of another file's object in the place of its own, those of some keys.
    func overridden(by other: ProjectNode?, _ keys: Set<String>) -> ProjectNode {
        guard let members = other?.value.objectValue?.filter({ keys.contains($0.key) && !$0.value.isNull }),
            !members.isEmpty,
            let other
        else { return self }
        var object = value.objectValue ?? [:]
        for (key, value) in members { object[key] = value }
        var node = replacing(.object(object))
        node.overriding = [other.replacing(.object(JSONObject(members.map { ($0.key, $0.value) })))]
        return node
    }

    var place: Diagnostic.Place { file.place(of: path) }

    /// The member of an object; nil where there is none or it is null.
    subscript(key: String) -> ProjectNode? {
        if let other = overriding.first?[key] { return other }
        guard let value = value[key], !value.isNull else { return nil }
        return ProjectNode(value: value, file: file, path: path + [key])
    }

    /// The value below several keys.
    subscript(path keys: [String]) -> ProjectNode? {
        keys.reduce(self) { (node: ProjectNode?, key) in node?[key] }
    }

    /// The members of an object, in order; those that are null are left out.
    var members: [(key: String, node: ProjectNode)] {
        (value.objectValue?.keys ?? []).compactMap { key in self[key].map { (key, $0) } }
    }

    /// The elements of an array; none of another value.
    var elements: [ProjectNode] {
        (value.arrayValue ?? []).enumerated().map { index, element in
            ProjectNode(value: element, file: file, path: path + [String(index)])
        }
    }

    /// A text that is not empty.
    var text: String? { value.stringValue.flatMap { $0.isEmpty ? nil : $0 } }

    /// A number, which Amplify also writes as text.
    var integer: Int? { value.intValue.flatMap { Int(exactly: $0) } ?? value.stringValue.flatMap { Int($0) } }

    var bool: Bool? { value.boolValue }

    /// The texts of a list, or a text alone.
    var texts: [String] {
        (value.arrayValue ?? [value]).compactMap(\.stringValue).filter { !$0.isEmpty }
    }
}
