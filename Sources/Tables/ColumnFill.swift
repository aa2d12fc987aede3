/// A value for the items of a table that lack a column, given in the transaction of a migration. In a versioned table each of them
/// counts as changed.
public struct ColumnFill: Sendable, Hashable {
    /// The table's name.
    public var table: String
    /// The column's name.
    public var column: String
    /// The value.
    public var value: Value

    /// A fill by its parts.
    public init(table: String, column: String, value: Value) {
        (self.table, self.column, self.value) = (table, column, value)
    }
}
