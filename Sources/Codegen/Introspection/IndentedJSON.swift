import JSON

/// JSON for people: a member a line, indented by four spaces, as `JSON.stringify` writes it in JavaScript.
enum IndentedJSON {
    static func text(of value: JSONValue, indent: String = "") -> String {
        let inner = indent + "    "
        switch value {
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map { inner + text(of: $0, indent: inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\(JSONValue.string($0.key)): \(text(of: $0.value, indent: inner))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        default: return value.description
        }
    }
}
