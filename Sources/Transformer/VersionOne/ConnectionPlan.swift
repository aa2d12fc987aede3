/// How a generated connection is bound once all keys and indexes are known.
enum ConnectionPlan {
    /// A list: a page of R's items.
    case page(ConnectionPage)
    /// One item of R, by these columns of P.
    case item(Connection, columns: [String])
}
