import Tables
import Transformer

/// The access to a model, and where its table has what dynamic roles look at. Made once for a schema.
final class RuledModel: Sendable {
    let access: ModelAccess
    let table: Table
    /// The columns of the roles, by their places; nil of static ones, and of a field that is not stored.
    let columns: [Int?]
    /// The attributes that the schema has added to those of the author: a caller that may write any field may set them.
    let addedFields: Set<String>

    init(_ access: ModelAccess, _ model: Model, _ table: Table) {
        self.access = access
        self.table = table
        columns = access.roles.map { role in role.field.flatMap(table.position) }
        // Owners, dates and an `id` are the author's matter, though the schema adds them where they are not declared.
        let named = access.fields + access.roles.compactMap(\.field) + model.filledDates + ["id"]
        let dates = [model.createdAt, model.updatedAt].compactMap { $0 }
        addedFields = Set(table.columns.map(\.field)).subtracting(named + dates)
    }

    /// The fields that the results of mutations and events leave out.
    var redactedFields: Set<String> {
        access.redactsResults ? access.redactedRelations.union(access.readers.keys) : []
    }

    var partitionKey: String { table.columns[table.key.partitionKey].field }

    func isList(_ column: Int) -> Bool { table.columns[column].type == .json }

    /// The columns that decide whether a field may be read.
    func columns(checking field: String) -> [Int] {
        (access.readers[field] ?? []).compactMap { columns[$0] }
    }
}
