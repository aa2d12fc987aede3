/// Trees to text, in the layout of graphql-js 15, which Amplify's own output has: two spaces of indentation, a blank
/// line between definitions, arguments on one line unless one of them is described.
public enum Printer {
    /// Columns up to which a field of an executable document keeps its arguments on one line.
    static let lineColumnsMax = 80

    /// A schema's text. It ends with a line end, and is empty for no definitions.
    public static func print(_ document: TypeSystemDocument) -> String {
        print(definitions: document.definitions.map(print))
    }

    /// An executable document's text.
    public static func print(_ document: Document) -> String {
        ExecutablePrinter(document: document).text
    }

    static func print(definitions: [String]) -> String {
        definitions.isEmpty ? "" : definitions.joined(separator: "\n\n") + "\n"
    }
}

// MARK: - Definitions of a schema

extension Printer {
    /// A definition's text; an operation that does not belong there has none.
    public static func print(_ definition: TypeSystemDefinition) -> String {
        switch definition {
        case .schema(let schema): print(schema)
        case .schemaExtension(let schema): "extend " + print(schema)
        case .type(let type): print(type)
        case .typeExtension(let type): "extend " + print(type)
        case .directive(let directive): print(directive)
        case .executable: ""
        }
    }

    /// A type definition's text.
    public static func print(_ type: TypeDefinition) -> String {
        let line: String
        switch type {
        case .scalar(let type):
            line = words("scalar", type.name, print(type.directives))
        case .object(let type):
            line = words(
                "type", type.name, implements(type.interfaces), print(type.directives), block(type.fields.map(print)))
        case .interface(let type):
            line = words(
                "interface", type.name, implements(type.interfaces), print(type.directives),
                block(type.fields.map(print)))
        case .union(let type):
            let members = type.members.isEmpty ? "" : "= " + type.members.joined(separator: " | ")
            line = words("union", type.name, print(type.directives), members)
        case .enumeration(let type):
            line = words("enum", type.name, print(type.directives), block(type.values.map(print)))
        case .inputObject(let type):
            line = words("input", type.name, print(type.directives), block(type.fields.map(print)))
        }
        return described(type.description, line)
    }

    private static func print(_ schema: SchemaDefinition) -> String {
        let types = schema.operationTypes.map { "\($0.operation.rawValue): \($0.typeName)" }
        return described(schema.description, words("schema", print(schema.directives), block(types)))
    }

    private static func print(_ directive: DirectiveDefinition) -> String {
        let repeatable = directive.isRepeatable ? " repeatable" : ""
        let locations = directive.locations.joined(separator: " | ")
        return described(
            directive.description,
            "directive @\(directive.name)\(print(directive.arguments))\(repeatable) on \(locations)")
    }

    /// A field definition's text.
    public static func print(_ field: FieldDefinition) -> String {
        described(
            field.description,
            words("\(field.name)\(print(field.arguments)): \(field.type)", print(field.directives)))
    }

    private static func print(_ value: InputValueDefinition) -> String {
        let defaultValue = value.defaultValue.map { "= \($0)" } ?? ""
        return described(
            value.description, words("\(value.name): \(value.type)", defaultValue, print(value.directives)))
    }

    private static func print(_ value: EnumValueDefinition) -> String {
        described(value.description, words(value.name, print(value.directives)))
    }

    private static func print(_ arguments: [InputValueDefinition]) -> String {
        let texts = arguments.map(print)
        if texts.isEmpty { return "" }
        return texts.contains { $0.contains("\n") }
            ? "(\n" + indented(texts.joined(separator: "\n")) + "\n)" : "(" + texts.joined(separator: ", ") + ")"
    }

    private static func print(_ directives: [DirectiveNode]) -> String {
        directives.map { directive in
            let arguments = directive.arguments.map { "\($0.name): \($0.value)" }
            return "@\(directive.name)" + (arguments.isEmpty ? "" : "(" + arguments.joined(separator: ", ") + ")")
        }.joined(separator: " ")
    }

    private static func implements(_ interfaces: [String]) -> String {
        interfaces.isEmpty ? "" : "implements " + interfaces.joined(separator: " & ")
    }

    private static func described(_ description: Description?, _ text: String) -> String {
        description.map { StringPrinting.description($0) + "\n" + text } ?? text
    }
}

// MARK: - Layout

extension Printer {
    /// The words that are not empty, a space between them.
    static func words(_ words: String...) -> String {
        words.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Lines in braces; nothing when there are none.
    static func block(_ lines: [String]) -> String {
        lines.isEmpty ? "" : "{\n" + indented(lines.joined(separator: "\n")) + "\n}"
    }

    /// Every line two spaces further in.
    static func indented(_ text: String) -> String {
        "  " + text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
    }
}

// MARK: - Values

extension ConstValue: CustomStringConvertible {
    /// The value as it is written in GraphQL.
    public var description: String {
        switch self {
        case .null: "null"
        case .int(let text), .float(let text): text
        case .string(let text): StringPrinting.quoted(text)
        case .boolean(let value): value ? "true" : "false"
        case .enumValue(let name): name
        case .list(let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
        case .object(let fields): "{" + fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ") + "}"
        }
    }
}
