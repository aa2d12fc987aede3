import GraphQL

// @model: a type becomes a table with queries, mutations and subscriptions (reference: transformer, "@model"). Here is
// what both versions validate and generate alike.

extension ModelTimestamps {
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
    // MARK: - Validation

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
        if let id = model.declared.field(named: "id"), model.declaration.primaryKey == nil {
            let type = id.type.namedType
            let isUnknown = self.type(named: type) == nil && ScalarMapping[type] == nil
            if !isUnknown, id.type.isList || type == "Boolean" || !isScalarOrEnum(type) {
                diagnostics.report(
                    .invalidDirective, "\(model.name).id is the primary key and cannot be of type \(id.type).",
                    at: id.place,
                    hint: "Declare it as id: ID!, or name other fields in a @\(conventions.primaryKeyDirective).")
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

    // MARK: - Fields and inputs

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

    // MARK: - Versions and timestamps

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
