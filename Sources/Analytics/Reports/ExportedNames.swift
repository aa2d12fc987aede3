import Tables

/// The ids of endpoints and users by their numbers, each read once.
struct ExportedNames {
    let reads: ItemReads
    let tables: StoredTables
    private var endpoints: [Int64: String?] = [:]
    private var users: [Int64: String?] = [:]

    init(reads: ItemReads, tables: StoredTables) { (self.reads, self.tables) = (reads, tables) }

    /// The id of an endpoint; nil if it was deleted.
    mutating func endpoint(_ number: Int64) async throws(AnalyticsError) -> String? {
        if let known = endpoints[number] { return known }
        let id = try await reads.items(
            of: tables.endpoint, .index(AnalyticsTables.Endpoint.byNumber), key: [.integer(number)], limit: 1
        ).first?.text(AnalyticsTables.Endpoint.id)
        endpoints[number] = .some(id)
        return id
    }

    /// The id of a user; nil if the user was deleted.
    mutating func user(_ number: Int64) async throws(AnalyticsError) -> String? {
        if let known = users[number] { return known }
        let id = try await reads.items(
            of: tables.user, .index(AnalyticsTables.User.byNumber), key: [.integer(number)], limit: 1
        ).first?.text(AnalyticsTables.User.id)
        users[number] = .some(id)
        return id
    }
}
