import GraphQL
import Tables
import Transformer

/// A page of items, and the connection object around it.
final class PagePlan: Sendable {
    typealias Part = ConnectionPart<FetchFamily>

    let query: QueryItems
    let table: StoredTable
    let arguments: ArgumentTemplate
    /// Positions in the parent's row of the columns that the key is taken from, by their names.
    let parentPositions: [String: Int]
    /// The fields of the connection object and what each is.
    let parts: [(field: PlannedField, part: Part)]
    /// Reads rows without a column: where the page ends, when nothing else has read it before the token is asked.
    let bare: FetchFamily

    /// A column of the parent's that the key is taken from; nil when it is absent.
    func operand(_ column: String, of row: some ParentRow) -> Operand? {
        guard let position = parentPositions[column], !row.isNull(position) else { return nil }
        return row.operand(position)
    }

    init(
        query: QueryItems, table: StoredTable, arguments: ArgumentTemplate, parentPositions: [String: Int],
        parts: [(field: PlannedField, part: Part)], bare: FetchFamily
    ) {
        self.query = query
        self.table = table
        self.arguments = arguments
        self.parentPositions = parentPositions
        self.parts = parts
        self.bare = bare
    }
}
