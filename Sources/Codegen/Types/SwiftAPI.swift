import GraphQL

/// The types of an API for Swift, in the shape of Amplify's API.swift: the input types and enums of the schema, and for
/// each statement a class with its document, its variables and the structs of its result.
///
/// A result keeps its values in a dictionary, its snapshot, from which properties read them.
struct SwiftAPI {
    let statements: Statements
    private let types: SwiftAPITypes
    private var schema: Schema { statements.schema }

    init(_ statements: Statements) {
        self.statements = statements
        types = SwiftAPITypes(statements)
    }

    /// The file's text.
    var text: String {
        var code = SwiftCode()
        code.line("//  \(GeneratedFile.typesMark)")
        code.blank()
        code.line("#if canImport(AWSAppSync) && !canImport(AWSAPIPlugin)")
        code.line("import AWSAppSync")
        code.line("#else")
        for line in SwiftAPISupport.text.split(separator: "\n", omittingEmptySubsequences: false) {
            line.isEmpty ? code.blank() : code.line(String(line))
        }
        code.line("#endif")
        for type in types.inputTypes {
            code.blank()
            switch schema[type].kind {
            case .enumeration(let values): write(schema[type], values, named: types.name(of: type), to: &code)
            case .inputObject(let fields): write(schema[type], fields, named: types.name(of: type), to: &code)
            default: break
            }
        }
        for (index, statement) in statements.all.enumerated() {
            code.blank()
            write(statement, named: types.operations[index], to: &code)
        }
        return code.text
    }

    // MARK: - Types of the schema

    private func write(_ type: NamedType, _ values: [EnumValue], named name: String, to code: inout SwiftCode) {
        var scope = NameScope(reserved: ["unknown", "rawValue", "jsonValue", "RawValue"])
        let cases = values.map { value in
            (name: SwiftIdentifier.escaped(scope.unique(SwiftIdentifier.property(value.name))), value: value)
        }
        code.comment(type.description)
        code.block("public enum \(name): RawRepresentable, Equatable, JSONDecodable, JSONEncodable") { code in
            code.line("public typealias RawValue = String")
            for (name, value) in cases {
                code.comment(value.description)
                code.line("case \(name)")
            }
            code.line("/// A value that the schema did not have when this file was generated.")
            code.line("case unknown(RawValue)")
            code.blank()
            code.block("public init?(rawValue: RawValue)") { code in
                code.line("switch rawValue {")
                for (name, value) in cases { code.line("case \(SwiftLiteral.string(value.name)): self = .\(name)") }
                code.line("default: self = .unknown(rawValue)")
                code.line("}")
            }
            code.blank()
            code.block("public var rawValue: RawValue") { code in
                code.line("switch self {")
                for (name, value) in cases { code.line("case .\(name): return \(SwiftLiteral.string(value.name))") }
                code.line("case .unknown(let value): return value")
                code.line("}")
            }
            code.blank()
            code.block("public static func == (lhs: \(name), rhs: \(name)) -> Bool") { code in
                code.line("return lhs.rawValue == rhs.rawValue")
            }
        }
    }

    private func write(_ type: NamedType, _ fields: [InputField], named name: String, to code: inout SwiftCode) {
        let parameters = parameters(fields, reserved: ["graphQLMap", "jsonValue"]) { SwiftIdentifier.property($0) }
        code.comment(type.description)
        code.block("public struct \(name): GraphQLMapConvertible") { code in
            code.line("public var graphQLMap: GraphQLMap")
            code.blank()
            code.block("public init(\(Self.list(parameters)))") { code in
                code.line("graphQLMap = \(Self.map(parameters))")
            }
            for (parameter, field) in zip(parameters, fields) {
                let key = SwiftLiteral.string(field.name)
                code.blank()
                code.comment(field.description)
                code.block("public var \(parameter.name): \(parameter.type)") { code in
                    code.block("get") { code in
                        code.line("return graphQLMap[\(key)] \(SwiftCode.forcedCast) \(parameter.type)")
                    }
                    code.block("set") { code in
                        code.line("graphQLMap.updateValue(newValue, forKey: \(key))")
                    }
                }
            }
        }
    }

    // MARK: - Operations

    private func write(_ statement: Statement, named name: String, to code: inout SwiftCode) {
        let document = StatementPrinter(schema: schema, typenameIsFirst: true).text(of: statement)
        let parameters = parameters(statement.field.arguments, reserved: ["variables"]) { SwiftIdentifier.plain($0) }
        code.block("public final class \(name): GraphQL\(statement.kind.typeName)") { code in
            code.line("public static let operationString =")
            code.line("  \(Self.literal(document))")
            code.blank()
            for parameter in parameters { code.line("public var \(parameter.name): \(parameter.type)") }
            if !parameters.isEmpty { code.blank() }
            code.block("public init(\(Self.list(parameters)))") { code in
                for parameter in parameters { code.line("self.\(parameter.name) = \(parameter.name)") }
            }
            if !parameters.isEmpty {
                code.blank()
                code.block("public var variables: GraphQLMap?") { code in
                    code.line("return \(Self.map(parameters))")
                }
            }
            code.blank()
            SwiftSelection(types).write(rootOf: statement, to: &code)
        }
    }

    /// A literal of a document, without the line end at its end.
    private static func literal(_ document: String) -> String {
        let lines = document.split(separator: "\n").map { SwiftLiteral.string(String($0)).dropFirst().dropLast() }
        return "\"\(lines.joined(separator: "\\n"))\""
    }

    /// An argument or field as the parameter of an initializer.
    private struct Parameter {
        /// As the schema spells it.
        let key: String
        let name: String
        let type: String
        let isOptional: Bool
    }

    private func parameters(
        _ fields: [InputField], reserved: Set<String>, _ name: (String) -> String
    ) -> [Parameter] {
        var scope = NameScope(reserved: reserved)
        return fields.map { field in
            // What has a default may be left out.
            let type = field.isRequired ? field.type : field.type.nullable
            return Parameter(
                key: field.name, name: SwiftIdentifier.escaped(scope.unique(name(field.name))),
                type: types.text(of: type), isOptional: !type.isNonNull)
        }
    }

    private static func list(_ parameters: [Parameter]) -> String {
        parameters.map { "\($0.name): \($0.type)\($0.isOptional ? " = nil" : "")" }.joined(separator: ", ")
    }

    private static func map(_ parameters: [Parameter]) -> String {
        guard !parameters.isEmpty else { return "[:]" }
        return "[" + parameters.map { "\(SwiftLiteral.string($0.key)): \($0.name)" }.joined(separator: ", ") + "]"
    }
}
