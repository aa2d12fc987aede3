/// A statement that a request has read rows by, for logs and operators. It holds no value.
public final class ReadStatement: Sendable {
    /// The table and how its items are found, such as `Post by primary key` or `Post by byAuthor`.
    public let accessPath: String
    /// The table's name.
    public let table: String
    /// The statement's text.
    public let sql: String

    init(_ fetch: Fetch) {
        (accessPath, table, sql) = (fetch.shape.accessPath, fetch.table.table.name, fetch.sql)
    }
}

extension ReadStatement: Hashable {
    /// Whether both are the same statement.
    public static func == (left: ReadStatement, right: ReadStatement) -> Bool {
        left === right || left.accessPath == right.accessPath && left.sql == right.sql
    }

    /// Hashes the statement, as it is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(sql) }
}
