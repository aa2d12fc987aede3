import Analytics
import HTTP
import JSON
import NIOCore
import NIOPosix
import Synchronization
import Tables
import UserPools

/// The analytics of a running server, and the threads on which its operations run. No work of theirs is done on an event loop.
final class AnalyticsService: Sendable {
    let analytics: Analytics
    /// One thread for operations and one for reports, on which rows are read and the store's answers come back.
    private let records: SerialExecutor
    private let reports: SerialExecutor
    private let executor: OperationExecutor
    /// Operations under way, with the bytes of their bodies.
    private let underWay: Mutex<SharedCapacity>
    /// Operations of clients, which take turns by network.
    private let turns: Mutex<NetworkQueue>
    private let drain = OperationDrain()
    /// How long a body may take to arrive.
    private let bodySecondsMax: Int

    private init(
        _ analytics: Analytics, _ records: SerialExecutor, _ reports: SerialExecutor, _ limits: AnalyticsLimits,
        bodySecondsMax: Int
    ) {
        (self.analytics, self.records, self.reports) = (analytics, records, reports)
        self.bodySecondsMax = bodySecondsMax
        underWay = Mutex(
            SharedCapacity(
                countMax: max(1, limits.operationsMax), bytesMax: limits.operationBytesMax,
                networkBytesMax: limits.operationBytesMax / 2))
        turns = Mutex(NetworkQueue(countMax: max(2, limits.operationsAtOnceMax)))
        executor = OperationExecutor(threadCount: max(1, Cores.usableCount / 2))
        executor.beginServing()
    }

    /// Migrates the tables of analytics in the store, and accepts the events of the configured apps, or else of the one that `dev`
    /// has made for the folder.
    ///
    /// - Parameter makesApp: Whether one is made if there is none: in `dev`.
    /// - Returns: Nil if there is no app.
    static func start(
        _ configuration: Configuration, dataFolder: String, makesApp: Bool, store: any Store, clock: WallClock
    ) async throws(ServerError) -> AnalyticsService? {
        // A server has done so before it opened the folder.
        if !makesApp { try AmplifyDataNote.check(configuration) }
        let apps = configuration.analytics.apps
        let service = try open(configuration, apps, store, clock)
        guard apps.isEmpty else { return service }
        if let own = DeveloperApp.read(in: dataFolder) {
            service.analytics.serve([own])
            return service
        }
        // In a folder that was restored, events may be there before the file.
        let known: [String]
        do throws(AnalyticsError) { known = try await service.analytics.knownApps() } catch {
            throw ServerError(.data, error.message)
        }
        if makesApp {
            service.analytics.serve([try DeveloperApp.make(in: dataFolder, known: known.first)])
        } else if let id = known.first {
            service.analytics.serve([AnalyticsApp(id: id, name: "syncline")])
        } else {
            await service.end()
            return nil
        }
        return service
    }

    private static func open(
        _ configuration: Configuration, _ apps: [AnalyticsApp], _ store: any Store, _ clock: WallClock
    ) throws(ServerError) -> AnalyticsService {
        let limits = configuration.analytics.limits(configuration.limits.analytics)
        guard apps.count <= limits.appsMax else {
            throw ServerError(.invalid, "'analytics.appId' names more than \(limits.appsMax) apps.")
        }
        let (records, reports) = (SerialExecutor(), SerialExecutor())
        do throws(StoreError) {
            let tables = try store.carryOutMigration(
                to: AnalyticsTables.all, renaming: [], allowing: .none, keepsIndexes: false
            ).tables
            let analytics = try Analytics(
                store: store, tables: tables, executor: records, reportExecutor: reports, apps: apps, limits: limits,
                clock: clock)
            return AnalyticsService(
                analytics, records, reports, limits, bodySecondsMax: configuration.limits.http.bodySeconds)
        } catch {
            records.end()
            reports.end()
            throw ServerError(migrating: error)
        }
    }

    /// Runs work on the threads of operations, at once or in the turn of its network.
    ///
    /// - Parameter network: The `Peer.network` of the caller, of which one may have half of the capacity; nil for an operator, whose
    ///   work has no turn to wait for.
    /// - Returns: False if the capacity is used up; `work` does not run then.
    func run(for network: String?, _ work: @escaping @Sendable (Analytics) async -> Void) -> Bool {
        guard underWay.withLock({ $0.begin(for: network) }) else { return false }
        drain.begin()
        let start: @Sendable () -> Void = { [self] in
            Task(executorPreference: executor) { [self] in
                defer { drain.end() }
                await work(analytics)
                underWay.withLock { $0.end(for: network) }
                if let network { turns.withLock { $0.end(for: network) }?() }
            }
        }
        guard let network else {
            start()
            return true
        }
        if turns.withLock({ $0.admit(for: network, start: start) }) { start() }
        return true
    }

    /// Receives the body of a request, and then runs work with it as `run` does: a slow client takes no capacity of operations.
    /// The bytes of the bodies of all concurrent requests are bounded. They are counted as they arrive, until the work ends.
    ///
    /// - Parameters:
    ///   - refuse: Called on the current loop if the work does not run.
    func run(
        with stream: RequestBody?, for network: String,
        _ work: @escaping @Sendable (Analytics, [UInt8]) async -> Void,
        refuse: @escaping @Sendable (AnalyticsError) -> Void
    ) {
        guard let stream else {
            let isAccepted = run(for: network) { await work($0, []) }
            return isAccepted ? () : refuse(.tooManyRequests)
        }
        let body = Mutex<[UInt8]>([])
        @Sendable func release() {
            let count = body.withLock(\.count)
            underWay.withLock { $0.shrink(for: network, by: count) }
        }
        BodyCollector.collect(stream, secondsMax: bodySecondsMax) { [self] part in
            guard underWay.withLock({ $0.grow(for: network, by: part.count) }) else { return false }
            body.withLock { $0 += part }
            return true
        } completion: { [self] outcome in
            if case .complete = outcome {
                let isAccepted = run(for: network) { analytics in
                    await work(analytics, body.withLock { $0 })
                    release()
                }
                if isAccepted { return }
            }
            release()
            refuse(AnalyticsError(outcome))
        }
    }

    /// Removes what is kept no longer.
    func removeEnded() async {
        await drain.run {
            await withTaskExecutorPreference(executor) { [analytics] in await analytics.removeEnded() }
        }
    }

    /// Waits for the operations under way and ends the threads.
    func end() async {
        await drain.wait()
        executor.end()
        reports.end()
        records.end()
    }
}

extension AnalyticsService {
    /// Runs work for an operator, and blocks until it is done. Not to be called on an event loop.
    func answer(
        _ work: @escaping @Sendable (Analytics) async throws(AnalyticsError) -> JSONObject
    ) throws(OperatorProblem) -> JSONObject {
        let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(
            of: Result<JSONObject, AnalyticsError>.self)
        let isAccepted = run(for: nil) { analytics in
            do throws(AnalyticsError) { promise.succeed(.success(try await work(analytics))) } catch {
                promise.succeed(.failure(error))
            }
        }
        guard isAccepted else {
            promise.succeed(.success([:]))
            throw .limited
        }
        guard let result = try? promise.futureResult.wait() else {
            throw OperatorProblem(code: .internal, message: "The report was not answered.")
        }
        switch result {
        case .success(let answer): return answer
        case .failure(let error): throw OperatorProblem(error)
        }
    }
}

extension AnalyticsError {
    static let tooManyRequests = AnalyticsError("TooManyRequestsException", 429, "Too many requests")
}

extension OperatorProblem {
    static let noAnalytics = OperatorProblem(
        code: .notFound, message: "This server accepts no events of apps.",
        hint: "Configure 'analytics'; 'syncline dev' makes an app by itself.")

    fileprivate init(_ error: AnalyticsError) {
        let code: Code =
            switch error.status {
            case 404: .notFound
            case 429: .limited
            case 500...: .internal
            default: .invalid
            }
        self.init(code: code, message: error.message)
    }
}

extension AnalyticsError {
    /// The error of a request whose body was not received, or whose operation could not begin.
    fileprivate init(_ outcome: BodyCollector.Outcome) {
        switch outcome {
        case .complete, .notTaken: self = .tooManyRequests
        case .timedOut:
            self.init("BadRequestException", 408, "The request's body took too long to arrive.")
        case .failed(.refused(let refusal)) where refusal.status == 413: self = .payloadTooLarge
        case .failed(.refused(let refusal)): self.init("BadRequestException", refusal.status, refusal.message)
        // The client has disconnected, so nobody receives this.
        case .failed: self.init("BadRequestException", 400, "The body is incomplete.")
        }
    }
}
