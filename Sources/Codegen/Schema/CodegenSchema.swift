import GraphQL
import JSON
import Transformer

/// A schema as code is generated from it: its types with their directives, of which connections are made.
struct CodegenSchema {
    /// The models in the order of the schema, those of `@manyToMany` last.
    var models: [CodegenModel] = []
    /// The other object types, those of operations aside.
    private(set) var nonModels: [CodegenModel] = []
    private(set) var enums: [CodegenEnum] = []
    private(set) var unions: Set<String> = []
    private(set) var interfaces: Set<String> = []
    private(set) var inputs: [(name: String, fields: [CodegenField])] = []
    private(set) var queries: [CodegenField] = []
    private(set) var mutations: [CodegenField] = []
    private(set) var subscriptions: [CodegenField] = []
    /// The names of the object types and enums in the order of the schema.
    private(set) var names: [String] = []
    var warnings: [Diagnostic] = []
    let options: CodegenOptions
    private let document: TypeSystemDocument

    /// Reads the types. A model gets its `id` and its timestamps here.
    init(_ document: TypeSystemDocument, options: CodegenOptions, for target: CodegenTarget) throws(Diagnostic) {
        self.document = document
        self.options = options
        let declared = DeclaredSchema(document)
        // `input AMPLIFY` sets options of the transformer.
        for type in declared.types where type.name != "AMPLIFY" {
            switch type {
            case .object(let type):
                let fields = type.fields.map { CodegenField($0) }
                switch type.name {
                case _ where type.directives.contains { $0.name == "model" }:
                    names.append(type.name)
                    models.append(try model(type, fields, for: target))
                case declared.queryName: queries = fields
                case declared.mutationName: mutations = fields
                case declared.subscriptionName: subscriptions = fields
                default:
                    names.append(type.name)
                    nonModels.append(
                        CodegenModel(
                            name: type.name, directives: type.directives.map(CodegenDirective.init), fields: fields,
                            place: type.place))
                }
            case .enumeration(let type):
                names.append(type.name)
                enums.append(CodegenEnum(name: type.name, values: type.values.map(\.name)))
            case .union(let type): unions.insert(type.name)
            case .interface(let type): interfaces.insert(type.name)
            case .inputObject(let type):
                inputs.append((type.name, type.fields.map { CodegenField($0) }))
            case .scalar: break
            }
        }
    }

    func index(of model: String) -> Int? { models.firstIndex { $0.name == model } }

    func isModel(_ name: String) -> Bool { index(of: name) != nil }

    func isNonModel(_ name: String) -> Bool { nonModels.contains { $0.name == name } }

    func enumeration(_ name: String) -> CodegenEnum? { enums.first { $0.name == name } }

    /// An error at a place of the schema.
    func failure(_ message: String, at place: Place?, hint: String? = nil) -> Diagnostic {
        Diagnostic(kind: "CodegenError", message: message, place: resolve(place), hint: hint)
    }

    mutating func warn(_ message: String, at place: Place?, hint: String? = nil) {
        warnings.append(Diagnostic(kind: "Warning", message: message, place: resolve(place), hint: hint))
    }

    private func resolve(_ place: Place?) -> Diagnostic.Place? {
        guard let place, let location = document.location(of: place) else { return nil }
        let source = document.sources[place.source]
        return Diagnostic.Place(
            sourceName: source.name, line: location.line, column: location.column,
            sourceLine: source.line(location.line))
    }
}

extension CodegenSchema {
    private func model(
        _ type: ObjectTypeDefinition, _ fields: [CodegenField], for target: CodegenTarget
    ) throws(Diagnostic) -> CodegenModel {
        var model = CodegenModel(
            name: type.name, directives: type.directives.map(CodegenDirective.init), fields: fields, place: type.place)
        try complete(&model, for: target)
        return model
    }

    /// Adds the `id` and the timestamps, and puts the `id` first.
    func complete(_ model: inout CodegenModel, for target: CodegenTarget) throws(Diagnostic) {
        if options.respectPrimaryKeyAttributesOnConnectionField || target == .introspection {
            try setPrimaryKey(of: &model)
        } else {
            Self.ensureID(of: &model)
        }
        addTimestamps(to: &model)
        if let position = model.fields.firstIndex(where: { $0.name == "id" }) {
            model.fields.insert(model.fields.remove(at: position), at: 0)
        }
    }

    /// The primary key that the directives declare, else the `id`.
    private func setPrimaryKey(of model: inout CodegenModel) throws(Diagnostic) {
        var key: [String]?
        if options.isVersionTwo {
            if let field = model.primaryKeyField {
                model.tagFieldDirectives()
                key = [field.name] + (field.directive("primaryKey")?.names("sortKeyFields") ?? [])
            }
        } else {
            key = model.key(named: nil)?.names("fields")
        }
        guard let key, let first = key.first else {
            Self.ensureID(of: &model)
            model.primaryKey = .init(kind: .managed, field: "id", sortKeyFields: [])
            return
        }
        for name in key where model.field(name).map(\.isNullable) ?? true {
            throw failure(
                "The primary key of \(model.name) has the field \(name), which is missing or may be null.",
                at: model.field(name)?.place ?? model.place, hint: "Declare it with '!' at the end of its type.")
        }
        model.primaryKey = .init(
            kind: key == ["id"] ? .optionallyManaged : .custom, field: first, sortKeyFields: Array(key.dropFirst()))
    }

    private static func ensureID(of model: inout CodegenModel) {
        if let position = model.fields.firstIndex(where: { $0.name == "id" }) {
            model.fields[position].isNullable = false
        } else {
            model.fields.insert(CodegenField("id", "ID", isNullable: false), at: 0)
        }
    }

    private func addTimestamps(to model: inout CodegenModel) {
        guard options.addTimestampFields, let directive = model.directives.first(where: { $0.name == "model" }) else {
            return
        }
        let timestamps = directive.arguments["timestamps"]
        guard timestamps?.isNull != true else { return }
        for name in ["createdAt", "updatedAt"] {
            let given = timestamps?[name]?.stringValue ?? ""
            model.add(CodegenField(given.isEmpty ? name : given, "AWSDateTime", isNullable: true, isReadOnly: true))
        }
    }
}
