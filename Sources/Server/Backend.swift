import API
import HTTP
import Synchronization
public import Tables
import Transformer

/// What answers need besides the schema: the store, its seal, its clock. Made once; an API is made on it at start and
/// at each reload.
final class Backend: Sendable {
    let store: any Store
    private let environment: APIEnvironment
    private let client: OutgoingClient
    private let log: Log
    private let mode: Service.Mode
    /// What is counted of the answers, by operation.
    let operations: OperationCounters
    /// The tables of the API that is served.
    private let servedTables = Mutex<[StoredTable]>([])

    /// Opens the data folder, which is locked until `close`.
    init(
        folder: String, durability: Durability, limits: Limits, mode: Service.Mode, client: OutgoingClient,
        clock: WallClock, log: Log
    ) throws(ServerError) {
        (self.client, self.log, self.mode) = (client, log, mode)
        operations = OperationCounters(nameCountMax: limits.operationNameCountMax)
        do {
            store = try LocalStore.open(
                folder: folder,
                options: .init(
                    durability: durability, limits: limits.store, tombstoneSeconds: Int64(limits.tombstoneSeconds)),
                clock: clock)
            environment = APIEnvironment(sealedBy: Seal(key: try store.secret()), clock: clock, noting: log)
        } catch {
            throw ServerError(opening: folder, error)
        }
    }

    /// Brings the tables to the definition and makes the API that serves it. What would change stored items
    /// is refused.
    ///
    /// - Parameter replacesAnother: Whether another API is served until this one is whole: it keeps its indexes.
    func makeAPI(
        for definition: APIDefinition, _ configuration: Configuration, replacesAnother: Bool
    ) throws(ServerError) -> (api: GraphQLAPI, steps: [MigrationStep]) {
        if replacesAnother { try refuseSwitching(definition) }
        return try makeAPI(for: definition, configuration, by: MigrationRequest(keepsIndexes: replacesAnother))
    }

    /// The same by a request that says what may be changed.
    func makeAPI(
        for definition: APIDefinition, _ configuration: Configuration, by request: MigrationRequest
    ) throws(ServerError) -> (api: GraphQLAPI, steps: [MigrationStep]) {
        let steps: [MigrationStep]
        let tables: [StoredTable]
        do {
            (tables, steps) = try store.carryOut(request, to: definition.tables)
        } catch {
            throw ServerError(migrating: error)
        }
        let options = APIOptions(
            limits: configuration.limits.api, fillsPages: configuration.compatibility.pages == .full,
            allowsIntrospection: configuration.allowsIntrospection,
            subscriptions: configuration.compatibility.subscriptions == .fill ? .fill : .mutationSelection,
            strictNullArguments: configuration.compatibility.strictNullArguments,
            hidesDeletedInLists: configuration.compatibility.hidesDeletedInLists,
            recreatesOverTombstone: configuration.compatibility.recreatesOverTombstone, region: configuration.region)
        var environment = environment
        let rules = configuration.outboundRules(in: mode)
        environment.resolveConflict = configuration.resolverConfig.functions.resolution(
            by: client, limits: configuration.limits.functions, rules: rules, log: log)
        environment.invokeFunction =
            PipelineFunctions(
                functions: configuration.functions.byName, client: client, limits: configuration.limits.functions,
                rules: rules, region: configuration.region,
                failures: SampledLog(
                    log, "A function gave no answer.", mode: mode,
                    linesPerSecondMax: configuration.limits.failureLinesPerSecondMax)
            ).invoke
        servedTables.withLock { $0 = tables }
        let api = GraphQLAPI(
            definition: definition, tables: tables, store: store, environment: environment, options: options)
        return (api, steps)
    }

    /// Requests under way go on in the API they began on, which knows nothing of versions, or of their end.
    func refuseSwitching(_ definition: APIDefinition) throws(ServerError) {
        let before = Dictionary(
            servedTables.withLock { $0.map { ($0.table.name, $0.table.isVersioned) } }, uniquingKeysWith: { $1 })
        let switched = definition.tables.filter { before[$0.name] == !$0.isVersioned }
        guard !switched.isEmpty else { return }
        throw ServerError(
            .refused,
            switched.map { table in
                Diagnostic(
                    kind: "MigrationRefused",
                    message: "Conflict detection of \(table.name) is switched \(table.isVersioned ? "on" : "off"), "
                        + "which a server that runs cannot do.", hint: "Restart the server.")
            })
    }

    /// Tombstones that are removed in one transaction, which other writes wait for.
    static let tombstonesPerStepMax = 256

    /// Removes tombstones whose time has come, step by step; answers when none is left, or the store is closed.
    func collectTombstones() async {
        let (countMax, executor) = (Self.tombstonesPerStepMax, TaskExecutor())
        while !Task.isCancelled {
            let tables = servedTables.withLock { $0.filter(\.table.isVersioned) }
            guard !tables.isEmpty else { return }
            let result = await withCheckedContinuation { continuation in
                store.collectTombstones(of: tables, countMax: countMax, on: executor) {
                    continuation.resume(returning: $0)
                }
            }
            guard case .success(countMax) = result else { return }
        }
    }

    /// The items that mutations write.
    var changes: ItemChanges { environment.publisher.changes }

    /// What one event loop reads with.
    func makeContext(for loop: EventLoop) throws(ServerError) -> LoopContext {
        do {
            return try LoopContext(store: store, executor: loop, counters: operations)
        } catch {
            throw ServerError(.data, "The database cannot be read: \(error)")
        }
    }

    /// Writes what waits, and releases the folder.
    func close() { store.close() }
}

/// An event loop runs what the writer hands back, until the server has shut down; then it drops it.
extension EventLoop: Tables.Executor {}

/// Runs what the writer hands back as a task. For a caller that waits for one answer at a time, and would wait forever if it
/// were dropped.
private final class TaskExecutor: Tables.Executor {
    func execute(_ work: @escaping @Sendable () -> Void) {
        Task { work() }
    }
}

extension APIEnvironment {
    /// The clock of the store, the system's random numbers, the seal of the data folder, and the log.
    init(sealedBy seal: Seal, clock: WallClock, noting log: Log) {
        self.init(
            nowMilliseconds: clock.milliseconds,
            makeUUID: {
                var random = SystemRandomNumberGenerator()
                return RequestID(randomBits: random.next(), random.next()).description
            },
            seal: { seal.seal($0, binding: $1) },
            open: { seal.open($0, binding: $1) },
            notice: { log(.notice, $0.description) })
    }
}

extension ServerError {
    /// Why a data folder cannot be opened.
    public init(opening folder: String, _ error: StoreError) {
        let code: Code =
            switch error.code {
            case .lost, .locked, .damaged, .newerVersion, .notWritable, .corrupt, .ioError, .diskFull: .data
            default: .failed
            }
        self.init(code, "\(folder): \(error.message)", hint: error.hint)
    }

    /// Why the tables cannot be migrated to the schema; steps that have to be requested are listed one by one.
    init(migrating error: StoreError) {
        if case .invalidRequest = error.code {
            self.init(.usage, "\(error)")
            return
        }
        guard case .refusedMigration(let steps) = error.code else {
            self.init(.data, "The tables cannot be brought to the schema: \(error.message)", hint: error.hint)
            return
        }
        let refused = steps.map { step in
            Diagnostic(
                kind: "MigrationRefused", message: Migrations.Step(step).text, hint: step.hint)
        }
        let next = Diagnostic(
            kind: "MigrationRefused",
            message: "The schema changes what is stored already, which is done on request only. Nothing was changed.",
            hint: "Look at the steps with 'syncline migrate plan', take them with 'syncline migrate apply'.")
        self.init(.refused, refused + [next])
    }
}
