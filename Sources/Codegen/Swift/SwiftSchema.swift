import JSON
import Transformer

/// `Post+Schema.swift`: the keys, the schema, and the identifier of a type.
struct SwiftSchema {
    private let type: CodegenModel
    private let isModel: Bool
    private let models: SwiftModels
    private var options: CodegenOptions { models.options }
    private var keys: String { type.name.firstLowercased }

    init(_ type: CodegenModel, isModel: Bool, in models: SwiftModels) {
        self.type = type
        self.isModel = isModel
        self.models = models
    }

    var text: String {
        get throws(Diagnostic) {
            var lines = [
                "extension \(SwiftKeywords.escaped(type.name)) {", "  // MARK: - CodingKeys ",
                "   public enum CodingKeys: String, ModelKey {",
            ]
            lines += type.fields.map { "    case \(SwiftKeywords.escaped($0.name))" }
            lines += [
                "  }", "  ", "  public static let keys = CodingKeys.self", "  //  MARK: - ModelSchema ", "  ",
                "  public static let schema = defineSchema { model in", "    let \(keys) = \(type.name).keys", "    ",
            ]
            lines += list("model.authRules = [", isModel ? rules : [], "]")
            lines += plurals + ["    "]
            lines += list("model.attributes(", isModel ? attributes : [], ")")
            var fields: [String] = []
            for field in type.fields { fields.append(try schema(of: field)) }
            lines += list("model.fields(", fields, ")").dropLast() + ["    }"]
            let hasPath = isModel && options.isLazy
            if hasPath {
                lines += [
                    "    public class Path: ModelPath<\(type.name)> { }", "    ",
                    "    public static var rootPath: PropertyContainerPath? { Path() }",
                ]
            }
            lines.append("}")
            if isModel, options.hasCustomKeys { lines += [""] + (try identifier) }
            if hasPath { lines += try path }
            return lines.joined(separator: "\n")
        }
    }

    /// A call with an element a line, and the blank line after it; nothing without elements.
    private func list(_ head: String, _ elements: [String], _ foot: String) -> [String] {
        guard !elements.isEmpty else { return [] }
        return ["    \(head)", elements.map { "      \($0)" }.joined(separator: ",\n"), "    \(foot)", "    "]
    }

    private var plurals: [String] {
        let plural = SwiftLiteral.string(Pluralize.plural(type.name))
        guard options.isVersionTwo || options.improvePluralization else {
            return ["    model.pluralName = \(plural)"]
        }
        return ["    model.listPluralName = \(plural)", "    model.syncPluralName = \(plural)"]
    }

    // MARK: - Rules

    private var rules: [String] {
        type.directives.filter { $0.name == "auth" }.flatMap { directive in
            (directive.arguments["rules"]?.arrayValue ?? []).compactMap(\.objectValue).compactMap(rule)
        }
    }

    private func rule(_ rule: JSONObject) -> String? {
        func text(_ name: String) -> String { rule[name]?.stringValue ?? "" }
        func names(_ name: String) -> [String] {
            rule[name].map { $0.arrayValue ?? [$0] }?.compactMap(\.stringValue) ?? []
        }
        var parts: [String]
        switch text("allow") {
        case "owner":
            parts = [
                "allow: .owner", "ownerField: \(SwiftLiteral.string(text("ownerField")))",
                "identityClaim: \(SwiftLiteral.string(text("identityClaim")))",
            ]
        case "groups":
            parts = ["allow: .groups", "groupClaim: \(SwiftLiteral.string(text("groupClaim")))"]
            if let field = rule["groupField"]?.stringValue {
                parts.append("groupsField: \(SwiftLiteral.string(field))")
            } else {
                parts.append("groups: [\(names("groups").map(SwiftLiteral.string).joined(separator: ", "))]")
            }
        case "private", "public": parts = ["allow: .\(text("allow"))"]
        // Clients do not know rules that a function decides.
        default: return nil
        }
        if options.emitAuthProvider, let provider = rule["provider"]?.stringValue, SwiftLiteral.isName(provider) {
            parts.append("provider: .\(provider)")
        }
        parts.append(
            "operations: [\(names("operations").filter(SwiftLiteral.isName).map { ".\($0)" }.joined(separator: ", "))]")
        return "rule(\(parts.joined(separator: ", ")))"
    }

    // MARK: - Attributes and fields

    private var attributes: [String] {
        var attributes: [String] = []
        if options.generateIndexRules {
            attributes = type.directives.filter { $0.name == "key" }.map { key in
                let fields = (key.names("fields") ?? []).map(SwiftLiteral.string).joined(separator: ", ")
                let name = key.text("name").map(SwiftLiteral.string) ?? "nil"
                return ".index(fields: [\(fields)], name: \(name))"
            }
        }
        if options.hasCustomKeys, let key = type.primaryKey {
            attributes.append(".primaryKey(fields: [\(key.fields.map { "\(keys).\($0)" }.joined(separator: ", "))])")
        }
        return attributes
    }

    private func schema(of field: CodegenField) throws(Diagnostic) -> String {
        if !options.hasCustomKeys, field.type == "ID", field.name == "id" { return ".id()" }
        let name = "\(keys).\(field.name)"
        let isRequired =
            !field.isHasMany && options.handleListNullabilityTransparently && field.isList
            ? field.isListNullable == false : models.isRequired(field)
        let presence = "is: \(isRequired ? ".required" : ".optional")"
        let element = try models.elementType(of: field, in: type)
        if let connection = field.connection {
            let head = "(\(name), \(presence), ofType: \(element).self"
            let partner = "\(connection.model).keys.\(connection.associatedField ?? "id")"
            let association =
                connection.usesReferences ? "associatedFields: [\(partner)]" : "associatedWith: \(partner)"
            let targets = (connection.targetNames ?? []).map(SwiftLiteral.string).joined(separator: ", ")
            let target =
                options.hasCustomKeys
                ? "targetNames: [\(targets)]" : "targetName: \(SwiftLiteral.string(connection.targetName ?? ""))"
            return switch connection.kind {
            case .hasMany: ".hasMany\(head), \(association))"
            case .hasOne:
                connection.targetNames == nil
                    ? ".hasOne\(head), \(association))" : ".hasOne\(head), \(association), \(target))"
            case .belongsTo: ".belongsTo\(head), \(target))"
            }
        }
        let kind: String
        if field.isList {
            kind =
                models.schema.isModel(field.type)
                ? ".collection(of: \(element).self)" : ".embeddedCollection(of: \(element).self)"
        } else if models.schema.enumeration(field.type) != nil {
            kind = ".enum(type: \(element).self)"
        } else if models.schema.isModel(field.type) {
            kind = ".model(\(element).self)"
        } else if models.schema.isNonModel(field.type) {
            kind = ".embedded(type: \(element).self)"
        } else {
            kind = CodegenScalar.all[field.type]?.schemaType ?? ".string"
        }
        return ".field(\(name), \(presence)\(field.isReadOnly ? ", isReadOnly: true" : ""), ofType: \(kind))"
    }

    // MARK: - Identifier and path

    private var identifier: [String] {
        get throws(Diagnostic) {
            let isCustom = type.primaryKey?.kind == .custom
            var lines = [
                "extension \(type.name): ModelIdentifiable {",
                "  public typealias IdentifierFormat = ModelIdentifierFormat.\(isCustom ? "Custom" : "Default")",
                "  public typealias IdentifierProtocol = "
                    + (isCustom
                        ? "ModelIdentifier<Self, ModelIdentifierFormat.Custom>" : "DefaultModelIdentifier<Self>"),
                "}",
            ]
            guard isCustom else { return lines }
            var parameters: [String] = []
            for field in type.keyFields {
                let element = SwiftKeywords.escaped(try models.elementType(of: field, in: type))
                parameters.append("\(SwiftKeywords.escaped(field.name)): \(element)")
            }
            let values = type.keyFields.map { "(name: \(SwiftLiteral.string($0.name)), value: \($0.name))" }
                .joined(separator: ", ")
            lines += [
                "", "extension \(type.name).IdentifierProtocol {",
                "  public static func identifier(\(parameters.joined(separator: ",\n      "))) -> Self {",
                "    .make(fields:[\(values)])", "  }", "}",
            ]
            return lines
        }
    }

    private var path: [String] {
        get throws(Diagnostic) {
            var lines = ["extension ModelPath where ModelType == \(type.name) {"]
            for field in type.fields
            where models.schema.enumeration(field.type) == nil && !models.schema.isNonModel(field.type) {
                let element = try models.elementType(of: field, in: type)
                let name = SwiftKeywords.escaped(field.name)
                let isRelation = field.connection != nil
                let literal = SwiftLiteral.string(field.name)
                let collection = field.isHasMany ? "isCollection: true, " : ""
                let value =
                    isRelation
                    ? "\(element).Path(name: \(literal), \(collection)parent: self)"
                    : "\(Self.pathFunctions[element] ?? element)(\(literal))"
                lines += [
                    "  public var \(name): \(isRelation ? "ModelPath" : "FieldPath")<\(element)>   {",
                    "      \(value) ", "    }",
                ]
            }
            return lines + ["}"]
        }
    }

    private static let pathFunctions = [
        "String": "string", "Int": "int", "Double": "double", "Bool": "bool", "Temporal.Date": "date",
        "Temporal.DateTime": "datetime", "Temporal.Time": "time",
    ]
}
