import GraphQL
import Tables

/// A model while its directives are read; at the end it becomes a `Model` and its `Table`.
struct ModelDraft {
    /// A secondary index by field names.
    struct Index {
        var name: String
        var partitionKey: String
        var sortKeys: [String]
        /// The directive that asked for it by name, `key` or `index`; `nil` when a connection needs it.
        var directiveName: String?
        /// The field of `Query` that queries it.
        var queryField: String?
    }

    /// A stored key of another model's item that no author declared.
    struct ForeignKey {
        var name: String
        /// What the store knows it by; another name when the model it is named after was renamed (`@mapsTo`).
        var attribute: String
        /// The name of its type in the schema.
        var typeName: String
        var columnType: ColumnType
        var isRequired = false
    }

    /// The type as its author wrote it.
    let declared: ObjectTypeDefinition
    let declaration: ModelDeclaration
    /// The non-model object types that are reachable through the fields, depth first.
    let nestedTypes: [ObjectTypeDefinition]
    /// The fields of the primary key; `hasPrimaryKey` once a `@key` has named them.
    var primaryKey = ["id"]
    var hasPrimaryKey = false
    /// In the order they arise.
    var indexes: [Index] = []
    var foreignKeys: [ForeignKey] = []
    var defaultValues: [DefaultValue] = []
    /// The name of the table, if it is not the type's (`@mapsTo`, `@refersTo`).
    var tableName: String?
    /// The attributes that declared fields are kept in, where they are not called as the field (`@refersTo`).
    var attributes: [String: String] = [:]

    var name: String { declared.name }
    var operations: ModelOperations { declaration.operations }
    var timestamps: ModelTimestamps { declaration.timestamps }

    /// The type's name before it was renamed: what generated foreign keys are stored by (`@mapsTo`).
    var originalName: String { declaration.originalName }

    /// Whether the author wrote a field of this name.
    func declares(_ field: String) -> Bool { declared.field(named: field) != nil }

    /// The fields of owners that rules name and the author did not declare. They are stored, also where the schema does not
    /// show them.
    var ownerFields: [String] {
        declaration.allRules.compactMap(\.ownerField).filter { !declares($0) }
    }

    /// The position of the index with this name.
    func index(named name: String) -> Int? { indexes.firstIndex { $0.name == name } }

    /// Adds an index unless one of its name exists: the two sides of a connection name the same one.
    mutating func addIndex(_ index: Index) {
        if self.index(named: index.name) == nil { indexes.append(index) }
    }

    /// Adds a stored foreign key unless the author declared it or another field generated it.
    mutating func addForeignKey(_ key: ForeignKey) {
        if !declares(key.name), !foreignKeys.contains(where: { $0.name == key.name }) { foreignKeys.append(key) }
    }

    /// The same for a key of version 1, which is an `ID` whatever it refers to.
    mutating func addForeignKey(_ name: String) {
        addForeignKey(ForeignKey(name: name, attribute: name, typeName: "ID", columnType: .text))
    }
}

extension TransformContext {
    /// The columns of a model: its stored fields in declared order, generated foreign keys, added timestamps,
    /// owners.
    func columns(of model: ModelDraft) -> [Column] {
        var columns = model.declared.fields.compactMap { field in
            columnType(of: field.type, in: model).map {
                Column(name: model.attributes[field.name] ?? field.name, type: $0, field: field.name)
            }
        }
        if !model.declares("id"), !model.hasPrimaryKey { columns.insert(Column(name: "id", type: .text), at: 0) }
        columns += model.foreignKeys.map { Column(name: $0.attribute, type: $0.columnType, field: $0.name) }
        columns += model.timestamps.added(to: model.declared).map { Column(name: $0, type: .text) }
        columns += model.ownerFields.map { Column(name: $0, type: .text) }
        // A `keyField` may be called as something that is stored anyway.
        var seen: Set<String> = []
        return columns.filter { seen.insert($0.field).inserted }
    }

    /// How a field is stored. `nil` is a field that is not: a connection, or of a type no input can carry (an
    /// interface, a union, a scalar of the author's), which is always null.
    func columnType(of type: TypeNode, in model: ModelDraft) -> ColumnType? {
        let name = type.namedType
        let isNested = model.nestedTypes.contains { $0.name == name }
        guard isNested || isScalarOrEnum(name) else { return nil }
        if isNested || type.isList { return .json }
        return ScalarMapping[name]?.columnType ?? .text
    }

    /// The table of a model. Every key is of columns, which the directives' validation has seen to.
    func table(of model: ModelDraft) -> Table {
        let columns = columns(of: model)
        func position(_ field: String) -> Int {
            guard let position = columns.firstIndex(where: { $0.field == field }) else {
                preconditionFailure("every key field of \(model.name) is stored, \(field) too")
            }
            return position
        }
        func schema(_ partitionKey: String, _ sortKeys: some Sequence<String>) -> KeySchema {
            KeySchema(partitionKey: position(partitionKey), sortKeys: sortKeys.map(position))
        }
        return Table(
            name: model.tableName ?? model.name, columns: columns,
            key: schema(model.primaryKey[0], model.primaryKey.dropFirst()),
            indexes: model.indexes.map { SecondaryIndex(name: $0.name, key: schema($0.partitionKey, $0.sortKeys)) },
            isVersioned: isVersioned(model.name))
    }

    /// Non-null dates of the usual names that the directive does not name: their input is optional in version 2, and no
    /// item could be read without them.
    private func unnamedDates(of draft: ModelDraft) -> [String] {
        guard conventions.fillsUnnamedDates else { return [] }
        return ModelTimestamps.usualNames.filter { name in
            guard !draft.timestamps.names.contains(name), let field = draft.declared.field(named: name) else {
                return false
            }
            return field.type.isNonNull && ModelTimestamps.holdsMoment(field)
        }
    }

    /// What the runtime must know of a model beyond schema and table.
    func model(of draft: ModelDraft, table: Int) -> Model {
        let id = draft.declared.field(named: "id")?.type.nullable
        let generatesID =
            draft.declares("id") ? id == .named("ID") || id == .named("String") : !draft.hasPrimaryKey
        let update = type(named: Names.mutationInput("Update", draft.name))?.inputObject
        let nonNull =
            draft.declared.fields.filter(\.type.isNonNull).map(\.name)
            + draft.foreignKeys.filter { $0.isRequired && conventions.showsForeignKeys }.map(\.name)
        let required = nonNull.filter { update?.field(named: $0).map { !$0.type.isNonNull } ?? false }
        let createdAt = draft.timestamps.autoFilled(draft.timestamps.createdAt, in: draft.declared)
        let updatedAt = draft.timestamps.autoFilled(draft.timestamps.updatedAt, in: draft.declared)
        return Model(
            name: draft.name, table: table, createdAt: createdAt, updatedAt: updatedAt,
            filledDates: [createdAt, updatedAt].compactMap { $0 } + unnamedDates(of: draft), generatesID: generatesID,
            primaryKey: draft.primaryKey,
            compositeSortKeys: draft.indexes.compactMap { index in
                guard let directive = index.directiveName, index.sortKeys.count > 1 else { return nil }
                return CompositeSortKey(directiveName: directive, indexName: index.name, fields: index.sortKeys)
            },
            requiredFields: Set(required), refusesNullForRequiredFields: conventions.refusesNullForRequiredFields,
            defaultValues: draft.defaultValues,
            conflictHandler: options.conflictHandler(of: draft.name))
    }
}
