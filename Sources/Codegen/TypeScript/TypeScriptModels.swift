import JSON
import Transformer

/// The models of amplify-js' DataStore: declarations for TypeScript, the module that makes the classes, and the schema that
/// it makes them of, with its declaration.
struct TypeScriptModels {
    let schema: CodegenSchema
    /// What types are called in the modules: by their names in the schema unless these mean something else there.
    private let names: [String: String]
    private let eagerNames: [String: String]
    private let lazyNames: [String: String]
    private let metaNames: [String: String]

    init(_ schema: CodegenSchema) {
        self.schema = schema
        var scope = NameScope(reserved: JavaScriptWords.types.union(Self.importedNames))
        let types = (schema.models + schema.nonModels).map(\.name)
        var names: [String: String] = [:]
        for name in types { names[name] = scope.unique(name) }
        for enumeration in schema.enums { names[enumeration.name] = scope.unique(CaseStyle.pascal(enumeration.name)) }
        self.names = names
        var (eager, lazy, meta): ([String: String], [String: String], [String: String]) = ([:], [:], [:])
        for name in types {
            eager[name] = scope.unique("Eager\(name)")
            lazy[name] = scope.unique("Lazy\(name)")
            meta[name] = scope.unique("\(name)MetaData")
        }
        (eagerNames, lazyNames, metaNames) = (eager, lazy, meta)
    }

    var files: [GeneratedFile] {
        get throws(Diagnostic) {
            [
                GeneratedFile(name: "index.d.ts", text: declarations),
                GeneratedFile(name: "index.js", text: module),
                GeneratedFile(name: "schema.js", text: "export const schema = \(try metadata);\n"),
                GeneratedFile(
                    name: "schema.d.ts",
                    text: "import { Schema } from '\(Self.library)';\n\nexport declare const schema: Schema;\n"),
            ]
        }
    }

    private static let library = "@aws-amplify/datastore"

    /// The names that the modules import or use.
    private static let importedNames: Set = [
        "AsyncCollection", "AsyncItem", "CompositeIdentifier", "CustomIdentifier", "LazyLoading", "LazyLoadingDisabled",
        "ManagedIdentifier", "ModelInit", "MutableModel", "OptionallyManagedIdentifier", "initSchema", "schema",
    ]

    private func name(_ type: String) -> String { names[type] ?? type }

    // MARK: - index.js

    private var module: String {
        let classes = (schema.models + schema.nonModels).map(\.name)
        var text = "// @ts-check\nimport { initSchema } from '\(Self.library)';\nimport { schema } from './schema';\n\n"
        for enumeration in schema.enums {
            let members = Self.members(of: enumeration).map {
                "  \(JavaScriptWords.string($0.name)): \(JavaScriptWords.string($0.value))"
            }
            text += "const \(name(enumeration.name)) = {\n\(members.joined(separator: ",\n"))\n};\n\n"
        }
        let made = classes.map { name($0) == $0 ? $0 : "\($0): \(name($0))" }.joined(separator: ", ")
        if !classes.isEmpty { text += "const { \(made) } = initSchema(schema);\n\n" }
        let exported = (classes + schema.enums.map(\.name)).map { "  \(name($0))" }
        return text + "export {\n\(exported.joined(separator: ",\n"))\n};\n"
    }

    /// The values by their names in capitals. If several values get the same name, the last one wins and keeps the first
    /// one's position. A value whose name would be a number, such as `_1`, keeps its own: TypeScript refuses numeric members.
    private static func members(of enumeration: CodegenEnum) -> [(name: String, value: String)] {
        var names: [String] = []
        var values: [String: String] = [:]
        for value in enumeration.values {
            let constant = CaseStyle.constant(value)
            let name = constant.allSatisfy(\.isNumber) ? value : constant
            if values.updateValue(value, forKey: name) == nil { names.append(name) }
        }
        return names.map { ($0, values[$0] ?? $0) }
    }

    // MARK: - index.d.ts

    private var declarations: String {
        var blocks = [imports]
        for enumeration in schema.enums {
            let members = Self.members(of: enumeration).map {
                "  \(JavaScriptWords.string($0.name)) = \(JavaScriptWords.string($0.value))"
            }
            blocks.append("export enum \(name(enumeration.name)) {\n\(members.joined(separator: ",\n"))\n}\n")
        }
        blocks += schema.nonModels.map { declaration(of: $0, isModel: false) }
        blocks += schema.models.map { declaration(of: $0, isModel: true) }
        return blocks.joined(separator: "\n")
    }

    private var imports: String {
        let fields = (schema.models + schema.nonModels).flatMap(\.fields)
        var names = ["ModelInit", "MutableModel"]
        if schema.options.hasCustomKeys {
            let identifiers = Set(schema.models.map { identifier(of: $0).type })
            names += ["__modelMeta__"] + identifiers.sorted()
        }
        var lazyNames = ["LazyLoading", "LazyLoadingDisabled"]
        if fields.contains(where: \.isHasMany) { lazyNames.append("AsyncCollection") }
        if fields.contains(where: \.isReference) { lazyNames.append("AsyncItem") }
        // Older releases of the library do not have the second ones.
        return """
            import { \(names.joined(separator: ", ")) } from "\(Self.library)";
            // @ts-ignore
            import { \(lazyNames.joined(separator: ", ")) } from "\(Self.library)";

            """
    }

    private func declaration(of type: CodegenModel, isModel: Bool) -> String {
        let name = name(type.name)
        let (eager, lazy) = (eagerNames[type.name] ?? "", lazyNames[type.name] ?? "")
        var argument = name
        var text = ""
        if isModel, !schema.options.hasCustomKeys, let fields = readOnlyFields(of: type) {
            let meta = metaNames[type.name] ?? ""
            argument += ", \(meta)"
            text += "type \(meta) = {\n  \(fields)\n}\n\n"
        }
        for (typeName, isLazy) in [(eager, false), (lazy, true)] {
            text += "type \(typeName) = {\n"
            if isModel, schema.options.hasCustomKeys { text += metaField(of: type) }
            for field in type.fields where !isAbstract(field.type) {
                text += "  readonly \(property(field, isLazy: isLazy));\n"
            }
            text += "}\n\n"
        }
        text += "export declare type \(name) = LazyLoading extends LazyLoadingDisabled ? \(eager) : \(lazy)\n\n"
        text += "export declare const \(name): (new (init: ModelInit<\(argument)>) => \(name))"
        guard isModel else { return text + "\n" }
        let draft = "MutableModel<\(argument)>"
        return text + " & {\n  copyOf(source: \(name), mutator: (draft: \(draft)) => \(draft) | void): \(name);\n}\n"
    }

    private func metaField(of model: CodegenModel) -> String {
        let (type, fields) = identifier(of: model)
        let keys = fields.map { "'\($0)'" }
        let key = keys.count == 1 ? keys[0] : "[\(keys.joined(separator: ", "))]"
        let readOnly = readOnlyFields(of: model).map { "    \($0)\n" } ?? ""
        return "  readonly [__modelMeta__]: {\n    identifier: \(type)<\(name(model.name)), \(key)>;\n\(readOnly)  };\n"
    }

    /// What identifies an item, as the library calls it.
    private func identifier(of model: CodegenModel) -> (type: String, fields: [String]) {
        let key = model.primaryKey ?? .init(kind: .managed, field: "id", sortKeyFields: [])
        let type =
            switch key.kind {
            case .managed: "ManagedIdentifier"
            case .optionallyManaged: "OptionallyManagedIdentifier"
            case .custom: key.sortKeyFields.isEmpty ? "CustomIdentifier" : "CompositeIdentifier"
            }
        return (type, key.fields)
    }

    private func readOnlyFields(of model: CodegenModel) -> String? {
        let fields = model.fields.filter(\.isReadOnly).map { "'\($0.name)'" }
        return fields.isEmpty ? nil : "readOnlyFields: \(fields.joined(separator: " | "));"
    }

    private func property(_ field: CodegenField, isLazy: Bool) -> String {
        if isLazy, field.isHasMany { return "\(field.name): AsyncCollection<\(name(field.type))>" }
        if isLazy, field.isReference {
            return "\(field.name): AsyncItem<\(name(field.type))\(field.isNullable ? " | undefined" : "")>"
        }
        var type = element(field.type)
        let isOptional = field.isList ? field.isListNullable ?? true : field.isNullable
        if field.isList {
            let needsParentheses = field.isNullable || type.contains(" ")
            if field.isNullable { type += " | null" }
            type = needsParentheses ? "(\(type))[]" : "\(type)[]"
        }
        return "\(field.name)\(isOptional ? "?" : ""): \(type)\(isOptional ? " | null" : "")"
    }

    private func element(_ type: String) -> String {
        if schema.enumeration(type) != nil { return "\(name(type)) | keyof typeof \(name(type))" }
        return switch type {
        case "Int", "Float", "AWSTimestamp": "number"
        case "Boolean": "boolean"
        default: CodegenScalar.all[type] == nil ? name(type) : "string"
        }
    }

    /// DataStore knows no fields of unions and interfaces.
    private func isAbstract(_ type: String) -> Bool { schema.unions.contains(type) || schema.interfaces.contains(type) }

    // MARK: - schema.js

    private var metadata: String {
        get throws(Diagnostic) {
            let metadata = ModelIntrospection(schema, usesKeyLists: schema.options.hasCustomKeys)
            var object = try metadata.types(isExtended: false)
            // DataStore refuses the schemas of generators before 3.2 and takes those of 3.4.4.
            object["codegenVersion"] = "3.4.4"
            object["version"] = .string(VersionHash(schema: schema).text)
            return IndentedJSON.text(of: .object(object))
        }
    }
}
