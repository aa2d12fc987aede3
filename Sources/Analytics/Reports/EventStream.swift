import Tables

/// The events of one type in the order of time, read page by page.
struct EventStream {
    /// The time and the user of an event.
    struct Event {
        let time: Int64
        let user: Int64
    }

    private let reads: ItemReads
    private var query: ItemQuery?
    private var page: [Event] = []
    private var position = 0

    /// - Parameter times: The first and the last time, in milliseconds since 1970.
    init(of type: Int64, _ times: ClosedRange<Int64>, _ tables: StoredTables, _ reads: ItemReads) {
        typealias Columns = AnalyticsTables.Event
        self.reads = reads
        query = ItemQuery(
            table: tables.event, access: .index(Columns.byTime), key: [.integer(type)],
            sort: .between(times.lowerBound, times.upperBound), columns: [Columns.time, Columns.user],
            limit: ItemQuery.pageRowsMax)
    }

    /// The next event; nil after the last one.
    var next: Event? { position < page.count ? page[position] : nil }

    /// Skips the next event.
    mutating func advance() { position += 1 }

    /// Reads the next page at the end of the current one.
    mutating func fill() async throws(AnalyticsError) {
        guard position >= page.count, let query else { return }
        let batch = try await reads.batch(query)
        var events: [Event] = []
        events.reserveCapacity(batch.rowCount)
        let last = try ItemReads.forEachRow(batch) { row in
            events.append(Event(time: row.integer(0), user: row.integer(1)))
        }
        (page, position) = (events, 0)
        self.query?.after = last
        if batch.rowCount < query.limit { self.query = nil }
    }
}
