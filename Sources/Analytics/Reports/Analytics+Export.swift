import Encodings
public import JSON
import Tables

extension Analytics {
    /// A page of the stored events, in the order of their arrival: `items`, and `next`, which is the `after` of the next page
    /// and null on the last one. An empty page is not necessarily the last one.
    ///
    /// - Parameter parameters: `app`, `from`, `to`, `days` and `event` as in reports, and `after`. Without `from` and `days`
    ///   all events are exported.
    public func export(_ parameters: [ReportParameter]) async throws(AnalyticsError) -> JSONObject {
        let query = try query(parameters, nil)
        func has(_ name: String) -> Bool { parameters.contains { $0.name == name && !$0.value.isEmpty } }
        let isBounded = has("from") || has("days")
        let bounds = (isBounded ? query.from : 0)...(isBounded || has("to") ? query.to : AppDay.none)
        guard let number = try await number(ofApp: query.app.id) else { return ["items": [], "next": .null] }
        let builder = ReportBuilder(
            query: query, app: number, reads: reportReads, tables: tables, limits: limits)
        var names = try await builder.typeNames()
        if let event = query.event { names = names.filter { $0.value.isExactly(event) } }
        var after: Position?
        if let text = parameters.last(where: { $0.name == "after" })?.value {
            guard let rowID = Int64(text), rowID >= 0 else { throw .invalid("'after' is the 'next' of a page before.") }
            after = Position(sort: nil, rowID: rowID)
        }
        return try await page(after, names, bounds, query)
    }

    /// Maximum number of pages of rows that one call reads if few of the rows match.
    private static let readsMax = 20

    private func page(
        _ first: Position?, _ names: [Int64: String], _ days: ClosedRange<Int64>, _ query: ReportQuery
    ) async throws(AnalyticsError) -> JSONObject {
        typealias Event = AnalyticsTables.Event
        var after = first
        var exporting = ExportedNames(reads: reportReads, tables: tables)
        for _ in 0..<Self.readsMax {
            let batch = try await reportReads.batch(
                ItemQuery(
                    table: tables.event, access: .scan, key: [], after: after, limit: limits.exportedPerPageMax))
            var rows: [Item] = []
            after = try ItemReads.forEachRow(batch) { row in
                guard names[row.integer(Event.type)] != nil, days.contains(AppDay.day(of: row.integer(Event.time)))
                else { return }
                rows.append(Item(copying: row, count: Event.content + 1))
            }
            let isLast = batch.rowCount < limits.exportedPerPageMax
            if rows.isEmpty, !isLast { continue }
            var items: [JSONValue] = []
            for row in rows {
                var item: JSONObject = ["app": .string(query.app.id)]
                item["id"] = .string(row.text(Event.id) ?? "")
                item["time"] = .string(DateTime.text(milliseconds: row.integer(Event.time)))
                item["endpoint"] =
                    try await exporting.endpoint(row.integer(Event.endpoint)).map(JSONValue.string) ?? .null
                item["user"] = try await exporting.user(row.integer(Event.user)).map(JSONValue.string) ?? .null
                item["event"] = (try? JSONReader.read(row.text(Event.content) ?? "")) ?? .null
                items.append(.object(item))
            }
            return ["items": .array(items), "next": isLast ? .null : after.map { .string(String($0.rowID)) } ?? .null]
        }
        return ["items": [], "next": after.map { .string(String($0.rowID)) } ?? .null]
    }
}
