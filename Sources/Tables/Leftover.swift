/// What is stored and no longer declared. It stays until someone asks for its removal.
public enum Leftover: Sendable, Hashable {
    /// A table with so many items.
    case table(String, items: Int)
    /// A column of a declared table, which so many items have.
    case column(table: String, name: String, values: Int)

    /// How many items or values go with it.
    public var count: Int {
        switch self {
        case .table(_, let items): items
        case .column(_, _, let values): values
        }
    }
}
