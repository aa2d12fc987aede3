import Dispatch
import Foundation
import JSON
import Synchronization
import Tables
import Testing

@testable import Analytics

/// Analytics of one app over a store of its own, with a clock that the test sets.
final class AnalyticsStage: Sendable {
    static let app = "0123456789abcdef0123456789abcdef"
    /// 2026-01-15T12:00:00Z, a Thursday.
    static let start: Int64 = 1_768_478_400_000

    let analytics: Analytics
    let store: any Store
    let folder: String
    let time = TestTime()

    final class TestTime: Sendable {
        let milliseconds = Mutex<Int64>(AnalyticsStage.start)
        func advance(days: Int64) { milliseconds.withLock { $0 += days * 86_400_000 } }
    }

    final class QueueExecutor: Tables.Executor {
        private let queue = DispatchQueue(label: "records")
        func execute(_ work: @escaping @Sendable () -> Void) { queue.async { work() } }
    }

    init(limits: AnalyticsLimits = AnalyticsLimits(), apps: [String] = [AnalyticsStage.app]) throws {
        folder = NSTemporaryDirectory() + "/analytics-\(UUID().uuidString)"
        var options = StoreOptions()
        options.durability = .off
        store = try LocalStore.open(folder: folder, options: options)
        let tables = try store.carryOutMigration(
            to: AnalyticsTables.all, renaming: [], allowing: .none, keepsIndexes: false
        ).tables
        let time = time
        analytics = try Analytics(
            store: store, tables: tables, executor: QueueExecutor(), reportExecutor: QueueExecutor(),
            apps: apps.map { AnalyticsApp(id: $0, name: "app") }, limits: limits,
            clock: WallClock { time.milliseconds.withLock { $0 } })
    }

    deinit {
        store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Performs an operation and reads its answer.
    func perform(
        _ operation: AnalyticsOperation, _ body: JSONValue = .null, app: String = AnalyticsStage.app
    ) async throws -> (status: Int, body: JSONValue) {
        let bytes = body.isNull ? [] : Array(body.description.utf8)
        return switch await analytics.perform(operation, app: app, bytes, requestID: "request-1") {
        case .success(let answer): (answer.status, try JSONReader.read(answer.body))
        case .failure(let error): (error.status, ["name": .string(error.name), "message": .string(error.message)])
        }
    }

    /// Sends events of one endpoint.
    @discardableResult
    func put(
        _ events: [(id: String, event: JSONValue)], endpoint: String = "e1", _ members: JSONValue = [:],
        app: String = AnalyticsStage.app
    ) async throws -> JSONValue {
        let answer = try await perform(.putEvents, Self.batch(endpoint, members, events), app: app)
        #expect(answer.status == 202)
        return answer.body["Results"]?[endpoint] ?? .null
    }

    static func batch(_ endpoint: String, _ members: JSONValue, _ events: [(id: String, event: JSONValue)]) -> JSONValue
    {
        [
            "BatchItem": .object([
                endpoint: ["Endpoint": members, "Events": .object(JSONObject(events.map { ($0.id, $0.event) }))]
            ])
        ]
    }

    static func event(_ type: String, _ timestamp: String, _ attributes: JSONObject = [:]) -> JSONValue {
        ["EventType": .string(type), "Timestamp": .string(timestamp), "Attributes": .object(attributes)]
    }

    /// The rows of a report, in the order of its columns.
    func report(_ kind: ReportKind, _ parameters: KeyValuePairs<String, String> = [:]) async throws -> [[JSONValue]] {
        let body = try await analytics.report(kind, parameters.map { ReportParameter($0.key, $0.value) })
        let columns = try #require(body["columns"]?.arrayValue).compactMap(\.stringValue)
        return try #require(body["items"]?.arrayValue).map { item in columns.map { item[$0] ?? .null } }
    }

    static let accepted: JSONValue = ["StatusCode": 202, "Message": "Accepted"]
}

extension Analytics {
    func report(_ kind: ReportKind, _ parameters: [(String, String)]) async throws -> JSONObject {
        try await report(kind, parameters.map { ReportParameter($0.0, $0.1) })
    }

    func export(_ parameters: [(String, String)]) async throws -> JSONObject {
        try await export(parameters.map { ReportParameter($0.0, $0.1) })
    }
}
