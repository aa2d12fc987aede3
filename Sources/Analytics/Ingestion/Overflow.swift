import Tables

/// How events are counted that exceed a bound of their app: under one event type or one user with a reserved name.
///
/// The type counts events whose own types exceed `AnalyticsLimits.eventTypesPerAppMax`, and takes over the daily counts of types
/// that were removed to make room. Clients cannot send events of this type. The user counts events of users beyond
/// `AnalyticsLimits.usersPerAppMax`. Neither is included in the number of types or users of the app.
enum Overflow {
    static let name = "_other"

    /// The number of the overflow type of an app, which is created if there is none.
    static func typeNumber(
        ofApp app: Int64, _ tables: StoredTables, _ numbering: inout Numbering, _ transaction: StoreTransaction
    ) throws(StoreError) -> Int64 {
        let key: [Value] = [.integer(app), .text(name)]
        if let known = try transaction.item(of: tables.type, key: key) {
            return known.integer(AnalyticsTables.EventType.number)
        }
        let number = numbering.next()
        _ = try transaction.put(key + [.integer(number)], into: tables.type)
        return number
    }
}
