import Tables
import Transformer

/// The access to a model, with the columns that dynamic roles compare. Created once for a schema.
final class VersionTwoModel: Sendable {
    let access: ModelAccess
    let table: Table
    /// The columns of the roles, by role index; nil for static roles, and for a field that is not stored.
    let columns: [Int?]
    /// The generated attributes: every caller that may write some field may set them.
    let addedFields: Set<String>
    /// The owner fields that are stored as several claims and shown as the last of them.
    let fieldsShowingLastClaim: Set<String>

    init(_ access: ModelAccess, _ model: Model, _ table: Table) {
        self.access = access
        self.table = table
        columns = access.roles.map { role in role.field.flatMap(table.position) }
        // Owners, dates and `id` follow the rules, although they are generated if they are not declared.
        let named = access.fields + access.roles.compactMap(\.field) + model.filledDates + ["id"]
        let dates = [model.createdAt, model.updatedAt].compactMap { $0 }
        addedFields = Set(table.columns.map(\.field)).subtracting(named + dates)
        fieldsShowingLastClaim = Set(
            access.roles.compactMap { role in
                if case .owner(let field, let claims) = role.member, claims.count > 1 { field } else { nil }
            })
    }

    /// The fields that are null in the results of mutations and in events.
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
