/// A page that a list connection answers with, until all indexes exist: one side of a pair may come before the side
/// that makes the index.
struct ConnectionPage {
    /// Where the condition on the sort key comes from.
    enum Sort {
        case none
        case argument([String])
        case parent([String])
    }

    let connection: Connection
    /// The index of R; `nil` is its primary key.
    let indexName: String?
    let partitionColumn: String
    let sort: Sort
}
