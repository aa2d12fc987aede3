import GraphQL

// @model: a type becomes a table with queries, mutations and subscriptions (reference: transformer, "@model").

/// Which operations a model has, by their field names (reference: transformer, "Operations of a model").
struct ModelOperations {
    var get: String?
    var list: String?
    /// Only in a model with versions.
    var sync: String?
    var create: String?
    var update: String?
    var delete: String?
    /// Each field of `Subscription` with the mutations it follows, in their order.
    var subscriptions: [(field: String, mutations: [String])] = []

    /// Of version 1: a map names all that there is.
    init(_ directive: DirectiveNode, type: String, options: TransformOptions) {
        let name = type.firstUppercased
        if options.conflictDetection(of: type) != .none { sync = Names.sync(type) }
        // No argument: the usual names. Null: none. A map: what it names, and no other.
        func field(_ map: String, _ key: String, orElse name: String) -> String? {
            guard let map = directive[map] else { return name }
            return map[key]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        }
        get = field("queries", "get", orElse: "get\(name)")
        list = field(
            "queries", "list", orElse: Names.list(type, improvePluralization: options.improvePluralization))
        create = field("mutations", "create", orElse: "create\(name)")
        update = field("mutations", "update", orElse: "update\(name)")
        delete = field("mutations", "delete", orElse: "delete\(name)")

        let events = [("onCreate", create), ("onUpdate", update), ("onDelete", delete)]
        let map = directive["subscriptions"]
        if map?.isNull == true || map?["level"]?.nameValue == "off" { return }
        // A map that lists a field lists all of them; one that gives the level alone leaves the usual names.
        if let map, events.contains(where: { map[$0.0].map { !$0.isNull } ?? false }) {
            let listed = events.map { event, mutation in
                (fields: (map[event]?.listCoercedValue ?? []).compactMap(\.stringValue), mutation: mutation)
            }
            for field in listed.flatMap(\.fields) where !subscriptions.contains(where: { $0.field == field }) {
                subscriptions.append((field, listed.filter { $0.fields.contains(field) }.compactMap(\.mutation)))
            }
        } else {
            for (event, mutation) in events {
                if let mutation { subscriptions.append(("\(event)\(name)", [mutation])) }
            }
        }
    }

    /// The names of all fields that are generated.
    var fieldNames: [String] {
        [get, list, sync, create, update, delete].compactMap { $0 } + subscriptions.map(\.field)
    }
}

/// The names of the fields that are filled with the present moment; `nil` when switched off
/// (reference: transformer, "Timestamps").
struct ModelTimestamps {
    let createdAt: String?
    let updatedAt: String?

    init(_ directive: DirectiveNode) {
        let map = directive["timestamps"]
        func name(_ key: String) -> String? {
            guard let map else { return key }
            if map.isNull { return nil }
            guard let value = map[key] else { return key }
            return value.stringValue
        }
        createdAt = name("createdAt")
        updatedAt = name("updatedAt")
    }

    /// What the fields are called where no directive says otherwise.
    static let usualNames = ["createdAt", "updatedAt"]

    var names: [String] { [createdAt, updatedAt].compactMap { $0 } }

    /// The fields the type lacks, which it is given.
    func added(to type: ObjectTypeDefinition) -> [String] { names.filter { type.field(named: $0) == nil } }

    /// The name, if such a field can hold a moment: it is added, or declared as `AWSDateTime` or `String`.
    func autoFilled(_ name: String?, in type: ObjectTypeDefinition) -> String? {
        guard let name, let field = type.field(named: name) else { return name }
        return Self.holdsMoment(field) ? name : nil
    }

    static func holdsMoment(_ field: FieldDefinition) -> Bool {
        !field.type.isList && ["AWSDateTime", "String"].contains(field.type.namedType)
    }
}

extension TransformContext {
    /// Applies `@model` to one type: what is appended, and in which order
    /// (reference: transformer, "Generated types of a model").
    mutating func applyModel(_ directive: DirectiveNode, to type: ObjectTypeDefinition) {
        guard !options.validateTypeNameReservedWords || isNamedAsModel(type, at: directive.place) else {
            return
        }
        let nestedTypes = nestedTypes(of: type)
        let model = ModelDraft(
            declared: type, operations: ModelOperations(directive, type: type.name, options: options),
            timestamps: ModelTimestamps(directive), nestedTypes: nestedTypes)
        models.append(model)
        guard isValid(model, at: directive.place) else {
            brokenModels.insert(type.name)
            return
        }
        for nested in nestedTypes { addIfMissing(.inputObject(nestedInput(of: nested, among: nestedTypes))) }
        if !model.declares("id") {
            updateObject(type.name) {
                $0.fields.insert(FieldDefinition(name: "id", type: .nonNull(.named("ID"))), at: 0)
            }
        }
        addQueries(of: model, for: directive)
        addMutations(of: model, for: directive)
        addSubscriptions(of: model, for: directive)
        // A type with @key has this done by its keys, which know of more fields.
        if type.directives(named: "key").isEmpty {
            updateInput(Names.conditionInput(type.name)) { $0.fields.removeAll { $0.name == "id" } }
        }
        addVersionFields(to: model)
        warnOfTimestamps(of: model)
        addTimestamps(to: model)
    }

    mutating func isNamedAsModel(_ type: ObjectTypeDefinition, at place: Place?) -> Bool {
        guard declared.isRootName(type.name) else { return true }
        diagnostics.report(
            .invalidDirective, "'\(type.name)' is the name of a root type and cannot be a @model.", at: place,
            hint: "Give the type another name.")
        return false
    }

    mutating func isValid(_ model: ModelDraft, at place: Place?) -> Bool {
        let misnamed = (model.operations.fieldNames + model.timestamps.names).filter { !$0.isGraphQLName }
        for name in misnamed {
            diagnostics.report(
                .invalidDirective, "'\(name)' cannot be the name of a field.", at: place,
                hint: "A name is of letters, digits and underscores, and begins with no digit.")
        }
        // The primary key of a type that names none is its `id`, which must be something a key can be.
        if let id = model.declared.field(named: "id"), model.declared.primaryKeyFields == nil {
            let type = id.type.namedType
            let isUnknown = self.type(named: type) == nil && ScalarMapping[type] == nil
            if !isUnknown, id.type.isList || type == "Boolean" || !isScalarOrEnum(type) {
                diagnostics.report(
                    .invalidDirective, "\(model.name).id is the primary key and cannot be of type \(id.type).",
                    at: id.place,
                    hint: "Declare it as id: ID!, or name other fields in a @\(version == .v2 ? "primaryKey" : "key").")
                return false
            }
        }
        return misnamed.isEmpty
    }

    /// The non-model object types reachable through the fields, depth first, each once
    /// (reference: transformer, "Generated types of a model").
    func nestedTypes(of type: ObjectTypeDefinition) -> [ObjectTypeDefinition] {
        var found: [ObjectTypeDefinition] = []
        var names: Set<String> = []
        // A stack of its own, so that a long chain of types cannot overflow the thread's.
        var pending = Array(type.fields.reversed())
        while let field = pending.popLast() {
            guard let nested = self.type(named: field.type.namedType)?.object, !nested.isModel,
                names.insert(nested.name).inserted
            else { continue }
            found.append(nested)
            pending += nested.fields.reversed()
        }
        return found
    }

    // MARK: - Queries

    private mutating func addQueries(of model: ModelDraft, for directive: DirectiveNode) {
        var fields: [FieldDefinition] = []
        if model.operations.list != nil { addSortDirection() }
        if let sync = model.operations.sync {
            addConnectionType(for: model.name)
            addFilterInput(for: model.declared)
            fields.append(syncField(sync, of: model))
        }
        if let get = model.operations.get {
            // The argument is an ID whatever the author declared.
            let id = InputValueDefinition(name: "id", type: .nonNull(.named("ID")))
            fields.append(FieldDefinition(name: get, arguments: [id], type: .named(model.name)))
        }
        if let list = model.operations.list {
            addConnectionType(for: model.name)
            addFilterInput(for: model.declared)
            let arguments = [
                InputValueDefinition(name: "filter", type: .named(Names.filterInput(model.name))),
                InputValueDefinition(name: "limit", type: .named("Int")),
                InputValueDefinition(name: "nextToken", type: .named("String")),
            ]
            fields.append(
                FieldDefinition(name: list, arguments: arguments, type: .named(Names.connection(model.name))))
        }
        addRootFields(fields, to: declared.queryName, for: directive)
    }

    /// `syncPosts(filter:, limit:, nextToken:, lastSync:)`.
    func syncField(_ name: String, of model: ModelDraft) -> FieldDefinition {
        let arguments = [
            InputValueDefinition(name: "filter", type: .named(filterInputName(model.name))),
            InputValueDefinition(name: "limit", type: .named("Int")),
            InputValueDefinition(name: "nextToken", type: .named("String")),
            InputValueDefinition(name: "lastSync", type: .named("AWSTimestamp")),
        ]
        return FieldDefinition(name: name, arguments: arguments, type: .named(connectionName(model.name)))
    }

    // MARK: - Mutations

    private mutating func addMutations(of model: ModelDraft, for directive: DirectiveNode) {
        let inputs = [
            (model.operations.create, "Create", createInputFields(of: model)),
            (model.operations.update, "Update", updateInputFields(of: model)),
            (model.operations.delete, "Delete", [InputValueDefinition(name: "id", type: .nonNull(.named("ID")))]),
        ]
        var fields: [FieldDefinition] = []
        for case (let mutation?, let verb, let inputFields) in inputs {
            let input = Names.mutationInput(verb, model.name)
            addIfMissing(
                .inputObject(InputObjectTypeDefinition(name: input, fields: inputFields + versionInput(of: model))))
            let arguments = [
                InputValueDefinition(name: "input", type: .nonNull(.named(input))),
                InputValueDefinition(name: "condition", type: .named(Names.conditionInput(model.name))),
            ]
            fields.append(FieldDefinition(name: mutation, arguments: arguments, type: .named(model.name)))
        }
        addRootFields(fields, to: declared.mutationName, for: directive)
        if !fields.isEmpty { addConditionInput(for: model.declared) }
    }

    /// Fields the service fills itself are optional: an `id` of type ID, timestamps that hold a moment.
    private func createInputFields(of model: ModelDraft) -> [InputValueDefinition] {
        var fields = inputFields(of: model.declared, nestedTypes: model.nestedTypes) { field in
            let isFilled =
                field.name == "id"
                ? field.type.nullable == .named("ID")
                : model.timestamps.names.contains(field.name)
                    && ModelTimestamps.holdsMoment(field)
            return isFilled ? field.type.nullable : field.type
        }
        if !model.declares("id") { fields.insert(InputValueDefinition(name: "id", type: .named("ID")), at: 0) }
        return fields
    }

    /// Everything but the key is optional: what is absent stays as it is.
    private func updateInputFields(of model: ModelDraft) -> [InputValueDefinition] {
        var fields = inputFields(of: model.declared, nestedTypes: model.nestedTypes) { field in
            field.name == "id" ? field.type.nonNullable : field.type.nullable
        }
        if !model.declares("id") {
            fields.insert(InputValueDefinition(name: "id", type: .nonNull(.named("ID"))), at: 0)
        }
        return fields
    }

    func nestedInput(
        of type: ObjectTypeDefinition, among nestedTypes: [ObjectTypeDefinition]
    ) -> InputObjectTypeDefinition {
        InputObjectTypeDefinition(
            name: Names.nestedInput(type.name),
            fields: inputFields(of: type, nestedTypes: nestedTypes, type: \.type),
            // Should nothing of the type go into an input, validation points at the type.
            place: type.place)
    }

    /// The fields an input takes: scalars, enums and nested types, in declared order
    /// (reference: transformer, "Mutation inputs").
    func inputFields(
        of type: ObjectTypeDefinition, nestedTypes: [ObjectTypeDefinition],
        type inputType: (FieldDefinition) -> TypeNode
    ) -> [InputValueDefinition] {
        type.fields.compactMap { field in
            let name = field.type.namedType
            let isNested = nestedTypes.contains { $0.name == name }
            guard isNested || isScalarOrEnum(name) else { return nil }
            let type = inputType(field)
            return InputValueDefinition(
                name: field.name, type: isNested ? type.renamed(Names.nestedInput(name)) : type)
        }
    }

    /// `_version`, last in the inputs of a model with versions.
    func versionInput(of model: ModelDraft) -> [InputValueDefinition] {
        isVersioned(model.name) ? [InputValueDefinition(name: "_version", type: .named("Int"))] : []
    }

    // MARK: - Subscriptions, versions and timestamps

    private mutating func addSubscriptions(of model: ModelDraft, for directive: DirectiveNode) {
        let fields = model.operations.subscriptions.map { field, mutations in
            FieldDefinition(
                name: field, type: .named(model.name),
                directives: [
                    DirectiveNode(
                        "aws_subscribe",
                        arguments: [ConstArgument(name: "mutations", value: .list(mutations.map(ConstValue.string)))])
                ])
        }
        // Switched off, the model does not even bring the root type about.
        let map = directive["subscriptions"]
        if map?.isNull == true || map?["level"]?.nameValue == "off" { return }
        addRootFields(fields, to: declared.subscriptionName, for: directive)
    }

    private static let versionFields = ["_version", "_deleted", "_lastChangedAt", "_ttl"]

    /// What conflict detection keeps of each item (reference: datastore-sync, "Generated schema").
    mutating func addVersionFields(to model: ModelDraft) {
        guard isVersioned(model.name) else { return }
        for field in model.declared.fields where Self.versionFields.contains(field.name) {
            diagnostics.report(
                .invalidDirective, "\(model.name).\(field.name) is what conflict detection keeps of each item.",
                at: field.place, hint: "Give the field another name, or detect no conflicts in \(model.name).")
        }
        updateObject(model.name) { type in
            type.fields += [
                FieldDefinition(name: "_version", type: .nonNull(.named("Int"))),
                FieldDefinition(name: "_deleted", type: .named("Boolean")),
                FieldDefinition(name: "_lastChangedAt", type: .nonNull(.named("AWSTimestamp"))),
            ]
        }
    }

    mutating func warnOfTimestamps(of model: ModelDraft) {
        for name in model.timestamps.names {
            guard let field = model.declared.field(named: name), !ModelTimestamps.holdsMoment(field) else { continue }
            diagnostics.warn(
                "\(model.name).\(name) is of type \(field.type.namedType) and is not filled automatically.",
                at: field.place, hint: "Declare it as AWSDateTime or String, or name another field in `timestamps`.")
        }
    }

    mutating func addTimestamps(to model: ModelDraft) {
        updateObject(model.name) { type in
            type.fields += model.timestamps.added(to: model.declared).map {
                FieldDefinition(name: $0, type: .nonNull(.named("AWSDateTime")))
            }
        }
    }
}
