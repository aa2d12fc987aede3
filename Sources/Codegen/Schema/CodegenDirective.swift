import GraphQL
import JSON

/// A directive as the version hash has it: its name, and its arguments in the order of the text.
struct CodegenDirective {
    let name: String
    var arguments: JSONObject
    /// The name of the field that carries it, once the models related to the field's model were read: the version hash of
    /// Amplify's generator has it then.
    var fieldName: String?

    init(_ name: String, _ arguments: JSONObject = JSONObject()) {
        self.name = name
        self.arguments = arguments
    }

    init(_ node: DirectiveNode) {
        name = node.name
        arguments = JSONObject(node.arguments.map { ($0.name, $0.value.json) })
        // `references: "id"` is `references: ["id"]`.
        if Self.relations.contains(name), let references = arguments["references"], references.stringValue != nil {
            arguments["references"] = .array([references])
        }
    }

    /// The directives that relate models in version 2.
    static let relations: Set = ["hasOne", "hasMany", "belongsTo"]

    /// The texts of a list, or nil where the argument is absent or `null`.
    func names(_ argument: String) -> [String]? {
        arguments[argument]?.arrayValue?.compactMap(\.stringValue)
    }

    func text(_ argument: String) -> String? { arguments[argument]?.stringValue }
}

extension ConstValue {
    /// The value as JSON; an enum value is its name.
    var json: JSONValue {
        switch self {
        case .null: .null
        case .int(let text), .float(let text): .number(text)
        case .string(let text), .enumValue(let text): .string(text)
        case .boolean(let value): .bool(value)
        case .list(let elements): .array(elements.map(\.json))
        case .object(let fields): .object(JSONObject(fields.map { ($0.name, $0.value.json) }))
        }
    }
}
