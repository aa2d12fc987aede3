import API
import HTTP
public import Tables
import Transformer

/// What answers need besides the schema: the store, its seal, its clock. Made once; an API is made on it at start and
/// at each reload.
final class Backend: Sendable {
    let store: SQLiteStore
    private let environment: APIEnvironment

    /// Opens the data folder, which is locked until `close`.
    init(folder: String, durability: Durability, limits: StoreLimits, log: Log) throws(ServerError) {
        do {
            store = try SQLiteStore(folder: folder, options: .init(durability: durability, limits: limits))
            environment = APIEnvironment(sealedBy: Seal(key: try store.secret()), noting: log)
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
        let steps: [MigrationStep]
        let tables: [StoredTable]
        do {
            steps = try store.plan(for: definition.tables)
            tables = try store.migrate(to: definition.tables, keepsIndexes: replacesAnother)
        } catch {
            throw ServerError(migrating: error)
        }
        let options = APIOptions(
            limits: configuration.limits.api, fillsPages: configuration.pages == .full,
            allowsIntrospection: configuration.allowsIntrospection,
            subscriptions: configuration.subscriptions == .fill ? .fill : .mutationSelection,
            strictNullArguments: configuration.strictNullArguments)
        let api = GraphQLAPI(
            definition: definition, tables: tables, store: store, environment: environment, options: options)
        return (api, steps)
    }

    /// What one event loop reads with.
    func makeContext(for loop: EventLoop) throws(ServerError) -> LoopContext {
        do {
            return try LoopContext(store: store, executor: loop)
        } catch {
            throw ServerError(.data, "The database cannot be read: \(error)")
        }
    }

    /// Writes what waits, and lets the folder go.
    func close() { store.close() }
}

/// An event loop runs what the writer hands back.
extension EventLoop: Tables.Executor {}

extension APIEnvironment {
    /// The real clock, the system's random numbers, the seal of the data folder, and the log.
    init(sealedBy seal: Seal, noting log: Log) {
        self.init(
            nowMilliseconds: { Moment.now.milliseconds },
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
            case .locked, .damaged, .newerVersion, .notWritable, .corrupt, .ioError, .diskFull: .data
            default: .failed
            }
        self.init(code, "\(folder): \(error)")
    }

    /// Why the tables cannot be brought to the schema; steps that have to be asked for are told one by one.
    init(migrating error: StoreError) {
        guard case .refusedMigration(let steps) = error.code else {
            self.init(.data, "The tables cannot be brought to the schema: \(error)")
            return
        }
        let refused = steps.map { step in
            Diagnostic(
                kind: "MigrationRefused", message: "\(step.losesData ? "LOSES DATA: " : "")\(step.summary)",
                hint: step.hint)
        }
        let next = Diagnostic(
            kind: "MigrationRefused",
            message: "The schema changes what is stored already, which is done on request only. Nothing was changed.",
            hint: "Look at the steps with 'syncline migrate plan', take them with 'syncline migrate apply'.")
        self.init(.refused, refused + [next])
    }
}
