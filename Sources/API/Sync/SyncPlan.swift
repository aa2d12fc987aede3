import GraphQL
import Tables

/// A field `syncPosts`, planned: the page of a sync, and the connection object around it.
final class SyncPlan: Sendable {
    typealias Part = ConnectionPart<SyncFetches>

    let table: StoredTable
    /// The keys by which a base with a filter may be read.
    let indexes: [SyncIndex]
    /// The keys that the author has declared: a filter that names one is a query of it for the rules.
    let keys: [KeySchema]
    let arguments: ArgumentTemplate
    /// The fields of the connection object and what each is.
    let parts: [(field: PlannedField, part: Part)]
    /// Reads rows without a column: where the page ends, when nothing else has read it before the token is asked.
    let bare: SyncFetches

    init(
        table: StoredTable, indexes: [SyncIndex], keys: [KeySchema], arguments: ArgumentTemplate,
        parts: [(field: PlannedField, part: Part)], bare: SyncFetches
    ) {
        self.table = table
        self.indexes = indexes
        self.keys = keys
        self.arguments = arguments
        self.parts = parts
        self.bare = bare
    }
}
