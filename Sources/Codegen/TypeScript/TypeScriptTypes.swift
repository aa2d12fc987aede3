import GraphQL
import JSON

/// The types of an API in TypeScript: those of the schema that operations reach, and of each statement the types of its
/// variables and of its result.
struct TypeScriptTypes {
    let statements: Statements
    private let names: TypeScriptNames
    private var schema: Schema { statements.schema }

    init(_ statements: Statements) {
        self.statements = statements
        names = TypeScriptNames(statements)
    }

    /// The file's text.
    var text: String {
        var blocks = ["/* tslint:disable */\n/* eslint-disable */\n// \(GeneratedFile.typesMark)\n"]
        blocks += statements.reachableTypes.compactMap(declaration)
        for (index, statement) in statements.all.enumerated() {
            blocks.append(alias(names.variables[index], members: statement.field.arguments.map(input)))
            let result = member(statement.field, statement.selection, level: 1)
            blocks.append(alias(names.results[index], members: [result]))
        }
        return blocks.joined(separator: "\n")
    }

    // MARK: - Types of the schema

    /// Nil for a scalar.
    private func declaration(of id: TypeID) -> String? {
        let type = schema[id]
        let comment = CommentText.lines(type.description, mark: "//").map { "\($0)\n" }.joined()
        let name = names[id]
        switch type.kind {
        case .scalar: return nil
        case .object(let object), .interface(let object):
            let typename = "__typename: \(typenames(of: schema.possibleTypes(of: id))),"
            return comment + alias(name, members: [typename] + object.fields.flatMap(property))
        case .union(let members):
            return comment + "export type \(name) = \(members.map { names[$0] }.joined(separator: " | "));\n"
        case .inputObject(let fields): return comment + alias(name, members: fields.map(input))
        case .enumeration(let values):
            // Members of these names would be numbers.
            var scope = NameScope(reserved: ["NaN", "Infinity"])
            let lines = values.flatMap { value in
                CommentText.lines(value.description, mark: "//") + [
                    "\(scope.unique(value.name)) = \(Self.literal(value.name)),"
                ]
            }
            return comment + "export enum \(name) {\n" + lines.map { "  \($0)\n" }.joined() + "}\n"
        }
    }

    /// A literal of a text. JSON's are JavaScript's (ECMA-262, "String Literals").
    private static func literal(_ text: String) -> String { JSONValue.string(text).description }

    private func typenames(of types: [TypeID]) -> String {
        types.isEmpty ? "never" : types.map { Self.literal(schema[$0].name) }.joined(separator: " | ")
    }

    private func alias(_ name: String, members: [String]) -> String {
        guard !members.isEmpty else { return "export type \(name) = {};\n" }
        return "export type \(name) = {\n" + members.map { "  \($0)\n" }.joined() + "};\n"
    }

    private func property(_ field: FieldType) -> [String] {
        CommentText.lines(field.description, mark: "//") + [
            "\(field.name)\(mark(field.type)): \(text(of: field.type, named(field.type))),"
        ]
    }

    /// A variable, or a field of an input type: it may be left out if it is nullable or has a default.
    private func input(_ field: InputField) -> String {
        "\(field.name)\(field.isRequired ? "" : "?"): \(text(of: field.type, named(field.type))),"
    }

    // MARK: - Types of results

    /// A field of a result, without the indent of its first line.
    private func member(_ field: FieldType, _ selection: StatementSelection?, level: Int) -> String {
        let type = selection.map { literal($0, level: level) } ?? named(field.type)
        return "\(field.name)\(mark(field.type)): \(text(of: field.type, type)),"
    }

    private func literal(_ selection: StatementSelection, level: Int) -> String {
        guard schema[selection.type].isAbstract else {
            return literal(selection.type, selection.fields, level: level)
        }
        let variants = schema.possibleTypes(of: selection.type).map { type in
            let own = selection.fragments.first { $0.type == type }?.fields ?? []
            return literal(type, selection.fields + own, level: level)
        }
        return variants.isEmpty ? "never" : variants.count == 1 ? variants[0] : "(\(variants.joined(separator: " | ")))"
    }

    private func literal(_ type: TypeID, _ fields: [StatementSelection.Field], level: Int) -> String {
        let indent = String(repeating: "  ", count: level)
        var text = "{\n\(indent)  __typename: \(Self.literal(schema[type].name)),\n"
        for field in fields where field.field.name != schema.metaFields.typename.name {
            text += "\(indent)  \(member(field.field, field.selection, level: level + 1))\n"
        }
        return text + "\(indent)}"
    }

    // MARK: - References

    private func mark(_ type: GraphQLType) -> String { type.isNonNull ? "" : "?" }

    /// A reference to a type whose innermost type is written as given.
    private func text(of type: GraphQLType, _ named: String) -> String {
        switch type {
        case .nonNull(let inner): nonNull(inner, named)
        case .named, .list: "\(nonNull(type, named)) | null"
        }
    }

    private func nonNull(_ type: GraphQLType, _ named: String) -> String {
        if case .list(let element) = type { "Array<\(text(of: element, named))>" } else { named }
    }

    private func named(_ type: GraphQLType) -> String {
        guard case .scalar(let scalar) = schema[type.namedType].kind else { return names[type.namedType] }
        return switch scalar {
        case .int, .float, .double, .bigInt, .awsTimestamp: "number"
        case .boolean: "boolean"
        case .custom: "any"
        default: "string"
        }
    }
}
