public import JSON
import Tables

/// The deletion of a user's data.
extension Analytics {
    /// Deletes the events, endpoints and activity of a user, by `UserId`, or by the endpoint's id for a user who never signed in.
    /// They are subtracted from the counts, except for events that were already removed.
    ///
    /// - Returns: The numbers of deleted `events`, `endpoints` and `days` of activity.
    public func delete(user id: String, app appID: String?) async throws(AnalyticsError) -> JSONObject {
        let app = try app(appID)
        let tables = tables
        guard let number = try await number(ofApp: app.id),
            let item = try await reads.item(of: tables.user, key: [.integer(number), .text(id)])
        else { throw AnalyticsError("NotFoundException", 404, "There is no user \(id) of the app \(app.id).") }
        let user = item.integer(AnalyticsTables.User.number)
        // Events that arrive from now on belong to a new user.
        try await transact(byteCount: 256) { (transaction) throws(StoreError) in
            typealias User = AnalyticsTables.User
            let key: [Value] = [.integer(number), .text(id)]
            guard let item = try transaction.item(of: tables.user, key: key), item.integer(User.number) == user else {
                return
            }
            _ = try transaction.delete(key, from: tables.user)
            _ = try transaction.put([.integer(user), .integer(number)], into: tables.deletion)
            let first = AppDay(item.integer(User.firstDay))
            if first.day != AppDay.none {
                try transaction.add(
                    [(AnalyticsTables.Day.newUsers, -1)], to: tables.day, key: [.integer(number), .integer(first.day)])
            }
            if !id.isExactly(Overflow.name) {
                try transaction.add([(AnalyticsTables.App.users, -1)], to: tables.app, key: [.text(app.id)])
            }
            // The user's endpoints, whether or not they have sent events.
            let endpoints = try transaction.items(
                of: tables.endpoint, .index(AnalyticsTables.Endpoint.byUserID), partition: .text(id),
                sort: SortCondition(sortOperator: .eq, operands: [[.integer(number)]]),
                columns: [AnalyticsTables.Endpoint.number], limit: Self.endpointsMax)
            for endpoint in endpoints {
                _ = try transaction.put([.integer(user), endpoint.value(0)], into: tables.userEndpoint)
            }
        }
        return try await removeData(ofUser: user, app: number)
    }

    /// Endpoints of a user per transaction.
    private static let endpointsMax = 1_000

    /// Removes the remaining data of a deleted user.
    func removeData(ofUser user: Int64, app: Int64) async throws(AnalyticsError) -> JSONObject {
        var events = 0
        var endpoints = 0
        var days = 0
        let tables = tables
        while true {
            let pairs = try await reads.items(of: tables.userEndpoint, key: [.integer(user)], limit: 100)
            for pair in pairs {
                let endpoint = pair.integer(1)
                events += try await removeEvents(of: user, endpoint, app)
                endpoints += try await removeEndpoint(endpoint, of: user, app)
            }
            if pairs.isEmpty { break }
        }
        while true {
            let rows = try await reads.items(
                of: tables.dayUser, .index(AnalyticsTables.DayUser.byUser), key: [.integer(user)], limit: 100)
            if rows.isEmpty { break }
            days += try await transact(byteCount: 64 * rows.count) { (transaction) throws(StoreError) in
                var count = 0
                for row in rows {
                    let day = AppDay(row.integer(0))
                    guard try transaction.delete([row.value(0), row.value(1)], from: tables.dayUser) else { continue }
                    count += 1
                    try transaction.add(
                        [(AnalyticsTables.Day.users, -1)], to: tables.day, key: [.integer(day.app), .integer(day.day)])
                }
                return count
            }
        }
        try await transact(byteCount: 64) { (transaction) throws(StoreError) in
            _ = try transaction.delete([.integer(user)], from: tables.deletion)
        }
        return [
            "events": .number(String(events)), "endpoints": .number(String(endpoints)), "days": .number(String(days)),
        ]
    }

    private func removeEvents(of user: Int64, _ endpoint: Int64, _ app: Int64) async throws(AnalyticsError) -> Int {
        typealias Event = AnalyticsTables.Event
        let (tables, limits, countMax) = (tables, limits, limits.removedPerTransactionMax)
        var count = 0
        var after: Position?
        while true {
            let batch = try await reads.batch(
                ItemQuery(
                    table: tables.event, key: [.integer(endpoint)],
                    columns: [Event.key, Event.type, Event.time, Event.user, Event.bytes, Event.content], after: after,
                    limit: countMax))
            var found: [RemovedEvent] = []
            after = try ItemReads.forEachRow(batch) { row in
                guard row.integer(3) == user else { return }
                guard case .text(let content) = row.value(5) else { return }
                found.append(
                    RemovedEvent(
                        key: row.integer(0), type: row.integer(1), day: AppDay.day(of: row.integer(2)),
                        bytes: row.integer(4),
                        duration: ReceivedEvent.duration(ofContent: content, limits)))
            }
            let events = found
            if !events.isEmpty {
                count += try await transact(byteCount: 128 * events.count) { (transaction) throws(StoreError) in
                    var numbering = try Numbering(tables, transaction)
                    var count = 0
                    for event in events
                    where try transaction.delete([.integer(endpoint), .integer(event.key)], from: tables.event) {
                        count += 1
                        numbering.add(bytes: -event.bytes)
                        try event.takeBack(app, tables, transaction)
                    }
                    try numbering.store(transaction)
                    return count
                }
            }
            guard batch.rowCount == countMax, after != nil else { return count }
        }
    }

    /// Removes an endpoint if its latest events were the user's, and the relation between both.
    private func removeEndpoint(
        _ endpoint: Int64, of user: Int64, _ app: Int64
    ) async throws(AnalyticsError) -> Int {
        typealias Endpoint = AnalyticsTables.Endpoint
        let tables = tables
        let item = try await reads.items(
            of: tables.endpoint, .index(Endpoint.byNumber), key: [.integer(endpoint)], limit: 1
        ).first
        let id = item?.text(Endpoint.id)
        let appID = try await self.id(ofApp: app)
        return try await transact(byteCount: 256) { (transaction) throws(StoreError) in
            _ = try transaction.delete([.integer(user), .integer(endpoint)], from: tables.userEndpoint)
            guard let id, let stored = try transaction.item(of: tables.endpoint, key: [.integer(app), .text(id)]),
                stored.isNull(Endpoint.user) || stored.integer(Endpoint.user) == user
            else { return 0 }
            _ = try transaction.delete([.integer(app), .text(id)], from: tables.endpoint)
            if let appID {
                try transaction.add(
                    [
                        (AnalyticsTables.App.endpoints, -1),
                        (AnalyticsTables.App.endpointBytes, -stored.integer(Endpoint.bytes)),
                    ], to: tables.app, key: [.text(appID)])
            }
            return 1
        }
    }

    /// The id of an app by its number.
    private func id(ofApp number: Int64) async throws(AnalyticsError) -> String? {
        for app in try await storedApps() where app.number == number { return app.id }
        return nil
    }
}

/// An event that is being deleted with its user.
private struct RemovedEvent: Sendable {
    let key: Int64
    let type: Int64
    let day: Int64
    let bytes: Int64
    let duration: Int64?

    /// Subtracts it from the counts.
    func takeBack(_ app: Int64, _ tables: StoredTables, _ transaction: StoreTransaction) throws(StoreError) {
        typealias Columns = AnalyticsTables.DayType
        try transaction.add(
            [(AnalyticsTables.Day.events, -1)], to: tables.day, key: [.integer(app), .integer(day)])
        try transaction.add(
            [
                (Columns.events, -1), (Columns.durations, duration == nil ? 0 : -1),
                (Columns.milliseconds, -(duration ?? 0)),
            ], to: tables.dayType, key: [AppDay(app, day).value, .integer(type)])
    }
}
