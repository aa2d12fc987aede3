import Tables

/// The tables of analytics as they stand in the store.
struct StoredTables: Sendable {
    let total, app, type, endpoint, user, userEndpoint, event, day, dayType, dayUser, deletion,
        typeDeletion: StoredTable

    /// - Parameter tables: The stored tables of `AnalyticsTables.all`.
    init(_ tables: [StoredTable]) {
        func stored(_ table: Table) -> StoredTable {
            guard let stored = tables.first(where: { $0.table.name == table.name }) else {
                preconditionFailure("all tables are there")
            }
            return stored
        }
        total = stored(AnalyticsTables.total)
        app = stored(AnalyticsTables.app)
        type = stored(AnalyticsTables.type)
        endpoint = stored(AnalyticsTables.endpoint)
        user = stored(AnalyticsTables.user)
        userEndpoint = stored(AnalyticsTables.userEndpoint)
        event = stored(AnalyticsTables.event)
        day = stored(AnalyticsTables.day)
        dayType = stored(AnalyticsTables.dayType)
        dayUser = stored(AnalyticsTables.dayUser)
        deletion = stored(AnalyticsTables.deletion)
        typeDeletion = stored(AnalyticsTables.typeDeletion)
    }
}
