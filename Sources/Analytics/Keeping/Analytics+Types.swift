public import JSON
import Tables

/// The removal of types of events.
extension Analytics {
    /// Deletes the events of a type and its counts, and frees its place among the types of the app. Active users stay counted.
    ///
    /// - Returns: The numbers of deleted `events` that were stored, and of `days` whose counts were deleted.
    public func delete(type name: String, app appID: String?) async throws(AnalyticsError) -> JSONObject {
        let app = try app(appID)
        guard let number = try await number(ofApp: app.id),
            let item = try await reads.item(of: tables.type, key: [.integer(number), .text(name)])
        else { throw AnalyticsError("NotFoundException", 404, "There is no event type \(name) of the app \(app.id).") }
        let type = item.integer(AnalyticsTables.EventType.number)
        guard try await forget(type, name, app.id, number, keepsCounts: false) else { return ["events": 0, "days": 0] }
        let removed = try await removeData(ofType: type, app: number, into: nil)
        return ["events": JSONValue(Int64(removed.events)), "days": JSONValue(Int64(removed.days))]
    }

    /// Frees the places of types without stored events in apps that have as many types as they may have. Their daily counts are
    /// added to those of `Overflow`.
    func releaseTypes() async throws(AnalyticsError) {
        typealias EventType = AnalyticsTables.EventType
        for app in try await storedApps() where app.types >= limits.eventTypesPerAppMax {
            var types: [(name: String, number: Int64)] = []
            try await reads.forEachRow(
                ItemQuery(
                    table: tables.type, key: [.integer(app.number)], columns: [EventType.name, EventType.number],
                    limit: ItemQuery.pageRowsMax)
            ) { row throws(AnalyticsError) in
                if case .text(let name) = row.value(0), !name.isExactly(Overflow.name) {
                    types.append((name, row.integer(1)))
                }
            }
            for (name, type) in types {
                let events = try await reads.batch(
                    ItemQuery(
                        table: tables.event, access: .index(AnalyticsTables.Event.byTime), key: [.integer(type)],
                        columns: [AnalyticsTables.Event.key], limit: 1))
                if events.rowCount == 0 { _ = try await forget(type, name, app.id, app.number, keepsCounts: true) }
            }
            try await completeTypeDeletions()
        }
    }

    /// Completes deletions that were begun.
    func completeTypeDeletions() async throws(AnalyticsError) {
        typealias Deletion = AnalyticsTables.TypeDeletion
        let pending = try await reads.batch(
            ItemQuery(
                table: tables.typeDeletion, access: .scan, key: [],
                columns: [Deletion.type, Deletion.app, Deletion.into],
                limit: Self.deletionsMax))
        var types: [(type: Int64, app: Int64, into: Int64?)] = []
        try ItemReads.forEachRow(pending) { row in
            types.append((row.integer(0), row.integer(1), row.isNull(2) ? nil : row.integer(2)))
        }
        for (type, app, other) in types { _ = try await removeData(ofType: type, app: app, into: other) }
    }

    /// Deletions that are completed in one call.
    private static let deletionsMax = 10_000

    /// Removes the name of a type, so that later events of the name belong to a new type.
    ///
    /// - Returns: False if the type is gone already, or if its counts are to be kept and it has events.
    private func forget(
        _ type: Int64, _ name: String, _ appID: String, _ app: Int64, keepsCounts: Bool
    ) async throws(AnalyticsError) -> Bool {
        typealias Event = AnalyticsTables.Event
        let tables = tables
        return try await transact(byteCount: 256) { (transaction) throws(StoreError) in
            let key: [Value] = [.integer(app), .text(name)]
            guard let item = try transaction.item(of: tables.type, key: key),
                item.integer(AnalyticsTables.EventType.number) == type
            else { return false }
            var other = Value.null
            if keepsCounts {
                let events = try transaction.items(
                    of: tables.event, .index(Event.byTime), partition: .integer(type), columns: [Event.key], limit: 1)
                guard events.isEmpty else { return false }
                var numbering = try Numbering(tables, transaction)
                other = .integer(try Overflow.typeNumber(ofApp: app, tables, &numbering, transaction))
                try numbering.store(transaction)
            }
            _ = try transaction.delete(key, from: tables.type)
            _ = try transaction.put([.integer(type), .integer(app), other], into: tables.typeDeletion)
            if !name.isExactly(Overflow.name) {
                try transaction.add([(AnalyticsTables.App.types, -1)], to: tables.app, key: [.text(appID)])
            }
            return true
        }
    }

    /// Removes the remaining data of a type.
    ///
    /// - Parameter other: The type to which the counts are added; nil to delete them together with the events.
    private func removeData(
        ofType type: Int64, app: Int64, into other: Int64?
    ) async throws(AnalyticsError) -> (events: Int, days: Int) {
        typealias Event = AnalyticsTables.Event
        let (tables, countMax) = (tables, limits.removedPerTransactionMax)
        var (events, days) = (0, 0)
        while other == nil {
            let count = try await transact(byteCount: 0) { (transaction) throws(StoreError) in
                var numbering = try Numbering(tables, transaction)
                let items = try transaction.items(
                    of: tables.event, .index(Event.byTime), partition: .integer(type),
                    columns: [Event.endpoint, Event.key, Event.bytes], limit: countMax)
                for item in items {
                    _ = try transaction.delete([item.value(0), item.value(1)], from: tables.event)
                    numbering.add(bytes: -item.integer(2))
                }
                try numbering.store(transaction)
                return items.count
            }
            events += count
            if count < countMax { break }
        }
        var next: Int64 = 0
        while true {
            let rows = try await reads.items(
                of: tables.day, key: [.integer(app)], sort: .between(next, AppDay.none), limit: countMax)
            guard let last = rows.last else { break }
            next = last.integer(AnalyticsTables.Day.day) + 1
            days += try await transact(byteCount: 0) { (transaction) throws(StoreError) in
                var count = 0
                for row in rows {
                    let day = AppDay(app, row.integer(AnalyticsTables.Day.day))
                    if try Self.removeCounts(of: type, on: day, into: other, tables, transaction) { count += 1 }
                }
                return count
            }
        }
        try await transact(byteCount: 64) { (transaction) throws(StoreError) in
            _ = try transaction.delete([.integer(type)], from: tables.typeDeletion)
        }
        return (events, days)
    }

    /// Removes the counts of a type on a day.
    ///
    /// - Returns: False if there are none.
    private static func removeCounts(
        of type: Int64, on day: AppDay, into other: Int64?, _ tables: StoredTables, _ transaction: StoreTransaction
    ) throws(StoreError) -> Bool {
        typealias Columns = AnalyticsTables.DayType
        let key: [Value] = [day.value, .integer(type)]
        guard let item = try transaction.item(of: tables.dayType, key: key) else { return false }
        _ = try transaction.delete(key, from: tables.dayType)
        if let other {
            let columns = [Columns.events, Columns.durations, Columns.milliseconds]
            try transaction.add(
                columns.map { (column: $0, amount: item.integer($0)) }, to: tables.dayType,
                key: [day.value, .integer(other)])
        } else {
            try transaction.add(
                [(AnalyticsTables.Day.events, -item.integer(Columns.events))], to: tables.day,
                key: [.integer(day.app), .integer(day.day)])
        }
        return true
    }
}
