import JSON
import Synchronization
public import Tables

/// Stores and counts the events of apps: the entry point of this target. `perform` executes the operations of Pinpoint's
/// API, `report` and `export` read the stored data.
///
/// Call operations in tasks on dedicated threads, never on an event loop, because they parse request bodies. They suspend while
/// they wait and do not block a thread.
public final class Analytics: Sendable {
    let store: any Store
    let tables: StoredTables
    let executor: any Executor
    /// Operations and reports have separate readers, so that a long report does not delay an operation.
    let reads, reportReads: ItemReads
    let limits: AnalyticsLimits
    let clock: WallClock
    let state: Mutex<State>

    /// The mutable state.
    struct State {
        var apps: [AnalyticsApp]
        /// Whether a removal of old events is in progress.
        var isRemoving = false
    }

    /// Opens the analytics of a store.
    ///
    /// - Parameters:
    ///   - tables: The stored tables of `AnalyticsTables.all`.
    ///   - executor: One thread, not an event loop's: operations read on it, and it receives the store's results.
    ///   - reportExecutor: Another such thread, on which reports read.
    ///   - apps: The apps whose events are accepted.
    public init(
        store: any Store, tables: [StoredTable], executor: any Executor, reportExecutor: any Executor,
        apps: [AnalyticsApp], limits: AnalyticsLimits = AnalyticsLimits(), clock: WallClock = .system
    ) throws(StoreError) {
        (self.store, self.executor, self.limits, self.clock) = (store, executor, limits, clock)
        self.tables = StoredTables(tables)
        reads = try ItemReads(store, on: executor)
        reportReads = try ItemReads(store, on: reportExecutor)
        state = Mutex(State(apps: apps))
    }

    /// The apps whose events are accepted.
    public var apps: [AnalyticsApp] { state.withLock { $0.apps } }

    /// Accepts only the events of these apps from now on. Stored events of other apps are kept.
    public func serve(_ apps: [AnalyticsApp]) { state.withLock { $0.apps = apps } }

    var now: Int64 { clock.milliseconds() }
}

// MARK: - Operations

extension Analytics {
    /// Executes an operation.
    ///
    /// - Parameters:
    ///   - app: The app's id, from the path.
    ///   - requestID: The id of the request, which some responses contain.
    public func perform(
        _ operation: AnalyticsOperation, app: String, _ body: [UInt8], requestID: String
    ) async -> Result<AnalyticsAnswer, AnalyticsError> {
        do throws(AnalyticsError) {
            guard apps.contains(where: { $0.id.isExactly(app) }) else { throw .notFound }
            guard body.count <= limits.requestBytesMax else { throw .payloadTooLarge }
            switch operation {
            case .putEvents: return .success(AnalyticsAnswer(status: 202, body: try await putEvents(app, body)))
            case .updateEndpoint(let id):
                guard EndpointChange.mayHave(body.count, limits) else {
                    throw .badRequest(EndpointProblem.tooLarge(limits).message)
                }
                try await updateEndpoints(app, [(id, try Self.value(body), body.count)])
                return .success(.accepted(requestID: requestID))
            case .updateEndpointsBatch:
                guard body.count <= 2 * limits.endpointsPerRequestBytesMax else {
                    throw .badRequest(EndpointProblem.requestTooLarge(limits).message)
                }
                try await updateEndpoints(app, try endpoints(of: Self.value(body)))
                return .success(.accepted(requestID: requestID))
            case .getEndpoint(let id): return .success(.init(200, try await endpoint(app, id)))
            case .deleteEndpoint(let id): return .success(.init(202, try await deleteEndpoint(app, id)))
            case .getInAppMessages: return .success(.init(200, ["InAppMessageCampaigns": []]))
            case .getUserEndpoints(let id): return .success(.init(200, try await userEndpoints(app, id)))
            case .deleteUserEndpoints(let id): return .success(.init(202, try await deleteUserEndpoints(app, id)))
            }
        } catch { return .failure(error) }
    }

    private func putEvents(_ app: String, _ body: [UInt8]) async throws(AnalyticsError) -> [UInt8] {
        let now = now
        let request = try EventsRequest(body, now: now, limits)
        let changes = request.items.compactMap { item in (try? item.change.get()).map { (id: item.id, change: $0) } }
        let result = try await ingest(app, now: now, byteCount: request.byteCount, changes) {
            (ingestion) throws(StoreError) in
            var result = EventsResult()
            for item in request.items { result.items.append(try ingestion.take(item)) }
            return result
        }
        return result.body
    }

    /// Runs a body in a transaction of the store.
    func transact<Success: Sendable>(
        byteCount: Int, _ body: @escaping @Sendable (StoreTransaction) throws(StoreError) -> Success
    ) async throws(AnalyticsError) -> Success {
        let executor = executor
        let result: Result<Success, StoreError> = await withCheckedContinuation { continuation in
            store.transact(
                byteCount: byteCount, deadline: .now + .seconds(Self.writeSecondsMax), on: executor, body
            ) { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let success): return success
        case .failure(let error): throw AnalyticsError(error)
        }
    }

    /// Timeout of a write, in seconds.
    private static let writeSecondsMax = 10

    private static func value(_ body: [UInt8]) throws(AnalyticsError) -> JSONValue {
        do throws(JSONError) { return try JSONReader.read(body, depthMax: 32) } catch {
            throw .badRequest("The body cannot be read: \(error.message)")
        }
    }
}

extension AnalyticsAnswer {
    init(_ status: Int, _ object: JSONObject) {
        self.init(status: status, body: Array(JSONValue.object(object).description.utf8))
    }

    /// Pinpoint's `MessageBody`.
    static func accepted(requestID: String) -> AnalyticsAnswer {
        AnalyticsAnswer(202, ["Message": "Accepted", "RequestID": .string(requestID)])
    }
}
