import GraphQL
import Tables

/// A model while its directives are read; at the end it becomes a `Model` and its `Table`.
struct ModelDraft {
    /// A secondary index by field names.
    struct Index {
        var name: String
        var partitionKey: String
        var sortKeys: [String]
        /// Whether a `@key` asked for it, and not a connection.
        var isKey: Bool
    }

    /// The type as its author wrote it.
    let declared: ObjectTypeDefinition
    let operations: ModelOperations
    let timestamps: ModelTimestamps
    /// The non-model object types in reach of the fields, depth first.
    let nestedTypes: [ObjectTypeDefinition]
    /// The fields of the primary key; `hasPrimaryKey` once a `@key` has named them.
    var primaryKey = ["id"]
    var hasPrimaryKey = false
    /// In the order they arise.
    var indexes: [Index] = []
    var foreignKeys: [String] = []

    var name: String { declared.name }

    /// Whether the author wrote a field of this name.
    func declares(_ field: String) -> Bool { declared.field(named: field) != nil }

    /// The position of the index with this name.
    func index(named name: String) -> Int? { indexes.firstIndex { $0.name == name } }

    /// Adds an index unless one of its name exists: the two sides of a connection speak of the same one.
    mutating func addIndex(_ index: Index) {
        if self.index(named: index.name) == nil { indexes.append(index) }
    }

    /// Adds a stored foreign key unless the author declared it or another field brought it.
    mutating func addForeignKey(_ name: String) {
        if !declares(name), !foreignKeys.contains(name) { foreignKeys.append(name) }
    }
}

extension TransformContext {
    /// The columns of a model: its stored fields in declared order, generated foreign keys, added timestamps.
    func columns(of model: ModelDraft) -> [Column] {
        var columns = model.declared.fields.compactMap { field in
            columnType(of: field.type, in: model).map { Column(name: field.name, type: $0) }
        }
        if !model.declares("id"), !model.hasPrimaryKey { columns.insert(Column(name: "id", type: .text), at: 0) }
        columns += model.foreignKeys.map { Column(name: $0, type: .text) }
        columns += model.timestamps.added(to: model.declared).map { Column(name: $0, type: .text) }
        // A `keyField` may be called as something that is stored anyway.
        var seen: Set<String> = []
        return columns.filter { seen.insert($0.name).inserted }
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
            guard let position = columns.firstIndex(where: { $0.name == field }) else {
                preconditionFailure("every key field of \(model.name) is stored, \(field) too")
            }
            return position
        }
        func schema(_ partitionKey: String, _ sortKeys: some Sequence<String>) -> KeySchema {
            KeySchema(partitionKey: position(partitionKey), sortKeys: sortKeys.map(position))
        }
        return Table(
            name: model.name, columns: columns,
            key: schema(model.primaryKey[0], model.primaryKey.dropFirst()),
            indexes: model.indexes.map { SecondaryIndex(name: $0.name, key: schema($0.partitionKey, $0.sortKeys)) })
    }

    /// What the runtime must know of a model beyond schema and table.
    func model(of draft: ModelDraft, table: Int) -> Model {
        let id = draft.declared.field(named: "id")?.type.nullable
        let generatesID =
            draft.declares("id") ? id == .named("ID") || id == .named("String") : !draft.hasPrimaryKey
        let update = type(named: Names.mutationInput("Update", draft.name))?.inputObject
        let required = draft.declared.fields.filter { field in
            guard field.type.isNonNull, let input = update?.field(named: field.name) else { return false }
            return !input.type.isNonNull
        }
        return Model(
            name: draft.name, table: table,
            createdAt: draft.timestamps.autoFilled(draft.timestamps.createdAt, in: draft.declared),
            updatedAt: draft.timestamps.autoFilled(draft.timestamps.updatedAt, in: draft.declared),
            generatesID: generatesID, primaryKey: draft.primaryKey,
            compositeSortKeys: draft.indexes.filter { $0.isKey && $0.sortKeys.count > 1 }
                .map { CompositeSortKey(indexName: $0.name, fields: $0.sortKeys) },
            requiredFields: Set(required.map(\.name)))
    }
}
