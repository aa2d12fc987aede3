/// What a request has cost its reader so far, for logs and counters.
extension Reader {
    /// Rows of the cursors that were closed since the request began.
    public var rowCount: Int { unsafe statements.rowCount }

    /// Steps since the request began, as the last look at its budget counted them, bytes included: a request of fewer than
    /// `stepsPerLook` steps has none.
    public var stepCount: Int { unsafe statements.progress.steps }

    /// By what the request has read its rows: its first 16 statements.
    public var readStatements: [ReadStatement] { unsafe statements.readStatements }
}

extension FetchShape {
    /// The table and how its items are found, such as `Post by primary key` or `Post by byAuthor`.
    var accessPath: String {
        let name = table.table.name
        return switch access {
        case .item, .primaryKey: "\(name) by primary key"
        case .scan: "\(name) by scan"
        case .index(let position): "\(name) by \(table.table.indexes[position].name)"
        case .changes: "\(name) by last change"
        }
    }
}
