import Synchronization
import Tables

/// The periodic removal of old data.
extension Analytics {
    /// Removes expired events and activity, events beyond the bound of their bytes, the remaining data of deleted users and
    /// types, and, where an app has all the types that it may have, those without events. To be called once a minute; a call
    /// during another call does nothing.
    public func removeEnded() async {
        guard state.withLock({ $0.beginRemoving() }) else { return }
        defer { state.withLock { $0.isRemoving = false } }
        // After a failure, the next call continues.
        do throws(AnalyticsError) {
            if try await isSomethingDue() {
                var position: EventRemoval.Position?
                while true {
                    let start = ContinuousClock.now
                    let isRest = try await removeSome(from: &position)
                    guard isRest, !Task.isCancelled else { break }
                    // Other writes have half of the writer's time.
                    try? await Task.sleep(for: min(ContinuousClock.now - start, .seconds(1)))
                }
            }
            if Task.isCancelled { return }
            let table = tables.deletion
            let pending = try await reads.batch(
                ItemQuery(
                    table: table, access: .scan, key: [],
                    columns: [AnalyticsTables.Deletion.user, AnalyticsTables.Deletion.app], limit: 100))
            var users: [(user: Int64, app: Int64)] = []
            try ItemReads.forEachRow(pending) { row in users.append((row.integer(0), row.integer(1))) }
            for (user, app) in users { _ = try await removeData(ofUser: user, app: app) }
            try await completeTypeDeletions()
            try await releaseTypes()
        } catch { return }
    }

    /// Whether there is anything to remove. This only reads, so that a server without events commits nothing.
    private func isSomethingDue() async throws(AnalyticsError) -> Bool {
        typealias Day = AnalyticsTables.Day
        let today = AppDay.day(of: now)
        for (index, days) in [(Day.byEvents, limits.retentionDays), (Day.byActivity, limits.activityDays)] {
            let oldest = ItemQuery(
                table: tables.day, access: .index(index), key: [.integer(1)], columns: [Day.day], limit: 1)
            var isDue = false
            try ItemReads.forEachRow(try await reads.batch(oldest)) { row in
                isDue = row.integer(0) < today - Int64(days) + 1
            }
            if isDue { return true }
        }
        let total = ItemQuery(
            table: tables.total, access: .item, key: AnalyticsTables.Total.key, columns: [AnalyticsTables.Total.bytes],
            limit: 1)
        var bytes: Int64 = 0
        try ItemReads.forEachRow(try await reads.batch(total)) { row in bytes = row.integer(0) }
        return bytes > Int64(limits.eventsBytesMax)
    }

    /// Removes up to the bound of one transaction.
    ///
    /// - Parameter position: Where the transaction before has ended.
    /// - Returns: Whether there may be more to remove.
    func removeSome(from position: inout EventRemoval.Position?) async throws(AnalyticsError) -> Bool {
        let (tables, limits, today, start) = (tables, limits, AppDay.day(of: now), position)
        let (isRest, end) = try await transact(byteCount: 0) { (transaction) throws(StoreError) in
            var numbering = try Numbering(tables, transaction)
            var events = EventRemoval(
                tables, transaction, workMax: limits.removedPerTransactionMax, from: start)
            try events.run(before: today - Int64(limits.retentionDays) + 1)
            let excess = numbering.bytes - events.bytes - Int64(limits.eventsBytesMax)
            if excess > 0 { try events.run(before: .max, bytesMin: events.bytes + excess) }
            numbering.add(bytes: -events.bytes)
            try numbering.store(transaction)
            var activity = ActivityRemoval(
                tables, transaction, countMax: max(1, limits.removedPerTransactionMax - events.count))
            try activity.run(before: today - Int64(limits.activityDays) + 1)
            return (events.isFull || activity.isFull, events.position)
        }
        position = end
        return isRest
    }
}

extension Analytics.State {
    /// Begins a removal, unless one is in progress.
    fileprivate mutating func beginRemoving() -> Bool {
        if isRemoving { return false }
        isRemoving = true
        return true
    }
}
