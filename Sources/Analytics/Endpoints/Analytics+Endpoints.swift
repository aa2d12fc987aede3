import Encodings
import JSON
import Synchronization
import Tables

/// Endpoints by their ids and by their users.
extension Analytics {
    /// The endpoints of an `UpdateEndpointsBatch`.
    func endpoints(
        of body: JSONValue
    ) throws(AnalyticsError) -> [(id: String, value: JSONValue, byteCount: Int)] {
        guard let items = body["Item"]?.arrayValue else { throw .badRequest("'Item' is a list of endpoints.") }
        guard items.count <= limits.endpointsPerBatchMax else {
            throw .badRequest("A request has at most \(limits.endpointsPerBatchMax) endpoints, and not \(items.count).")
        }
        return try items.map { item throws(AnalyticsError) in
            guard let id = item["Id"]?.stringValue else { throw .badRequest("An endpoint of 'Item' has an 'Id'.") }
            return (id, item, item.description.utf8.count)
        }
    }

    /// Applies changes to endpoints: all of them, or none.
    ///
    /// - Parameter endpoints: Each with its size in bytes: as sent, or in a batch as serialized again.
    func updateEndpoints(
        _ app: String, _ endpoints: [(id: String, value: JSONValue, byteCount: Int)]
    ) async throws(AnalyticsError) {
        var changes: [(id: String, change: EndpointChange)] = []
        for (id, value, byteCount) in endpoints {
            guard (1...limits.idBytesMax).contains(id.utf8.count) else {
                throw .badRequest("An endpoint's id has 1 to \(limits.idBytesMax) bytes.")
            }
            do throws(EndpointProblem) {
                guard EndpointChange.mayHave(byteCount, limits) else { throw .tooLarge(limits) }
                changes.append((id, try EndpointChange(value, byteCount: byteCount, limits)))
            } catch {
                throw .badRequest(error.message)
            }
        }
        let made = changes
        let refusal = Refusal()
        do throws(AnalyticsError) {
            try await ingest(app, now: now, byteCount: 4_096 * made.count, made) {
                (ingestion) throws(StoreError) in
                for (id, change) in made {
                    guard case .failure(let problem) = try ingestion.change(id, change) else { continue }
                    refusal.problem.withLock { $0 = problem }
                    // Rolls back the others.
                    throw StoreError(.invalidRequest, problem.message)
                }
            }
        } catch {
            guard let problem = refusal.problem.withLock({ $0 }) else { throw error }
            throw .badRequest(problem.message)
        }
    }

    /// Pinpoint's `EndpointResponse` of an endpoint.
    func endpoint(_ app: String, _ id: String) async throws(AnalyticsError) -> JSONObject {
        guard let number = try await number(ofApp: app), (1...limits.idBytesMax).contains(id.utf8.count),
            let item = try await reads.item(of: tables.endpoint, key: [.integer(number), .text(id)]),
            let response = Self.response(item, app)
        else { throw .notFound }
        return response
    }

    /// Deletes an endpoint. Its events are kept.
    func deleteEndpoint(_ app: String, _ id: String) async throws(AnalyticsError) -> JSONObject {
        let response = try await endpoint(app, id)
        guard let number = try await number(ofApp: app) else { throw .notFound }
        try await forget([id], app, number)
        return response
    }

    /// Pinpoint's `EndpointsResponse` of the endpoints of a user.
    func userEndpoints(_ app: String, _ userID: String) async throws(AnalyticsError) -> JSONObject {
        let items = try await items(ofUser: userID, app)
        guard !items.isEmpty else { throw .notFound }
        return ["Item": .array(items.compactMap { Self.response($0, app).map(JSONValue.object) })]
    }

    /// Deletes the endpoints of a user. Their events are kept.
    func deleteUserEndpoints(_ app: String, _ userID: String) async throws(AnalyticsError) -> JSONObject {
        let items = try await items(ofUser: userID, app)
        guard !items.isEmpty, let number = try await number(ofApp: app) else { throw .notFound }
        try await forget(items.compactMap { $0.text(AnalyticsTables.Endpoint.id) }, app, number)
        return ["Item": .array(items.compactMap { Self.response($0, app).map(JSONValue.object) })]
    }

    /// The number of an app; nil if it has not sent anything yet.
    func number(ofApp app: String) async throws(AnalyticsError) -> Int64? {
        try await reads.item(of: tables.app, key: [.text(app)])?.integer(AnalyticsTables.App.number)
    }

    /// Endpoints of a user per page.
    private static let userEndpointsMax = 500

    private func items(ofUser userID: String, _ app: String) async throws(AnalyticsError) -> [Item] {
        guard let number = try await number(ofApp: app), (1...limits.idBytesMax).contains(userID.utf8.count) else {
            return []
        }
        return try await reads.items(
            of: tables.endpoint, .index(AnalyticsTables.Endpoint.byUserID), key: [.text(userID)],
            sort: SortCondition(sortOperator: .eq, operands: [[.integer(number)]]), limit: Self.userEndpointsMax)
    }

    private func forget(_ ids: [String], _ appID: String, _ app: Int64) async throws(AnalyticsError) {
        typealias Columns = AnalyticsTables.Endpoint
        let tables = tables
        try await transact(byteCount: 256 * ids.count) { (transaction) throws(StoreError) in
            var byteCount: Int64 = 0
            for id in ids {
                let key: [Value] = [.integer(app), .text(id)]
                guard let stored = try transaction.item(of: tables.endpoint, key: key) else { continue }
                byteCount += stored.integer(Columns.bytes)
                _ = try transaction.update(
                    tables.endpoint, key: key,
                    setting: [(Columns.userID, .null), (Columns.document, .null), (Columns.bytes, .null)])
            }
            try transaction.add([(AnalyticsTables.App.endpointBytes, -byteCount)], to: tables.app, key: [.text(appID)])
        }
    }

    private static func response(_ item: Item, _ app: String) -> JSONObject? {
        typealias Columns = AnalyticsTables.Endpoint
        guard let document = item.text(Columns.document), let id = item.text(Columns.id) else { return nil }
        return EndpointDocument(document).response(
            id: id, app: app, created: DateTime.text(milliseconds: item.integer(Columns.created)),
            cohort: Int(item.integer(Columns.number) % 100))
    }
}

/// Why a transaction was rolled back.
private final class Refusal: Sendable {
    let problem = Mutex<EndpointProblem?>(nil)
}
