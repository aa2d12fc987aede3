import HTTP
import NIOPosix
import Synchronization
import Tables
import UserPools

/// The user pools of a running server: their records, their keys, and the threads on which their operations run. No work of
/// theirs is done on an event loop.
final class UserPoolService: Sendable {
    let pools: UserPools
    /// What was configured at the start.
    let summary: SignInSummary
    let tokenCache: UserPoolTokenCache
    /// One thread, on which records are read and the store's answers come back.
    private let records: SerialExecutor
    private let executor: OperationExecutor
    /// One thread for tokens of requests, which a flood of sign-ins does not delay. It keeps its priority: requests wait for it.
    private let verifier = OperationExecutor(threadCount: 1)
    private let operationTurns: NetworkTurns
    private let verificationTurns: NetworkTurns
    private let operations: Mutex<SharedCapacity>
    private let verifications: Mutex<SharedCapacity>
    private let drain = OperationDrain()
    let forgedTokens: ForgedTokens
    private let listener: Listener
    private let functions: CalledFunctions

    private init(
        _ pools: UserPools, _ records: SerialExecutor, _ executor: OperationExecutor, operationsMax: Int,
        listener: Listener, functions: CalledFunctions, tokenCache: UserPoolTokenCache, forgedTokens: ForgedTokens,
        summary: SignInSummary
    ) {
        self.functions = functions
        self.forgedTokens = forgedTokens
        operations = Mutex(SharedCapacity(countMax: operationsMax))
        verifications = Mutex(SharedCapacity(countMax: operationsMax))
        (operationTurns, verificationTurns) = (NetworkTurns(executor), NetworkTurns(verifier))
        (self.tokenCache, self.summary) = (tokenCache, summary)
        (self.pools, self.records, self.executor) = (pools, records, executor)
        self.listener = listener
    }

    /// Migrates the tables of user pools in the store, and serves the configured pools.
    ///
    /// - Parameters:
    ///   - keyFolder: The data folder, in which keys are kept.
    ///   - client: Calls functions; nil where none are called.
    ///   - servedURL: The base of the address that is served.
    ///   - mode: The server's mode. A command uses that of the server that made the pools of the folder.
    ///   - isServing: Whether it is served; false of a command that opens the data folder while no server runs.
    static func start(
        _ configuration: Configuration, mode: Service.Mode, store: any Store, keyFolder: String, servedURL: String,
        isServing: Bool = true, client: OutgoingClient?, clock: WallClock, log: Log
    ) async throws(ServerError) -> UserPoolService {
        // A server has done so before it opened the folder.
        if !isServing { try AmplifyDataNote.check(configuration) }
        let records = SerialExecutor()
        let executor = OperationExecutor(threadCount: max(2, Cores.usableCount))
        let listener = Listener()
        let functions = CalledFunctions(
            configuration.functions.byName, ServedOutboundRules(configuration, mode: mode))
        let tokenCache = UserPoolTokenCache(countMax: configuration.limits.userPools.seenTokensMax, clock: clock)
        do {
            let tables = try store.carryOutMigration(
                to: RecordTables.all, renaming: [], allowing: .none, keepsIndexes: false
            ).tables
            var mode = mode
            if !isServing {
                mode = try await Self.mode(of: store, tables, records, configuration)
            }
            var settings = configuration.userPools.settings(
                region: configuration.region, mode: mode, servedURL: servedURL, dataFolder: keyFolder)
            settings.isServing = isServing
            var limits = configuration.limits.userPools
            limits.operationsMax = max(1, limits.operationsMax)
            let pools = try UserPools(
                store: store, tables: tables, executor: records, keyStorage: KeyFolder("\(keyFolder)/keys").storage,
                services: services(
                    configuration, mode, store, client, log, listener, functions, tokenCache, clock),
                limits: limits, clock: clock)
            let service = UserPoolService(
                pools, records, executor, operationsMax: limits.operationsMax, listener: listener,
                functions: functions, tokenCache: tokenCache, forgedTokens: ForgedTokens(clock: clock),
                summary: SignInSummary(
                    settings, hasDeveloperKey: mode == .dev && configuration.userPools.accessKeys.isEmpty))
            try await service.serve(settings)
            executor.beginServing()
            return service
        } catch {
            records.end()
            executor.end()
            throw ServerError(starting: error, .failed, "User pools cannot be served")
        }
    }

    /// The mode in which a command uses the pools of a folder: `dev` if none are configured and `dev` has made one there.
    ///
    /// - Throws: The server's own answer if there are none.
    private static func mode(
        of store: any Store, _ tables: [StoredTable], _ records: SerialExecutor, _ configuration: Configuration
    ) async throws(ServerError) -> Service.Mode {
        let options = configuration.userPools
        guard options.pools.isEmpty else { return .serve }
        for id in options.ids where await UserPools.hasServed(id, in: store, tables: tables, executor: records) {
            return .dev
        }
        guard options.isConfigured else { throw OperatorProblem.noUserPools.serverError }
        return .serve
    }

    /// Serves what another configuration says; the address and the folder stay.
    func serve(_ configuration: Configuration, mode: Service.Mode, servedURL: String, dataFolder: String)
        async throws(ServerError)
    {
        try await serve(
            configuration.userPools.settings(
                region: configuration.region, mode: mode, servedURL: servedURL, dataFolder: dataFolder))
        functions.byName.withLock { $0 = configuration.functions.byName }
        functions.rules.serve(configuration)
    }

    /// Removes what has ended: sessions, codes, and users who never confirmed their sign-up.
    func removeEnded() async {
        await drain.run {
            _ = await withTaskExecutorPreference(executor) { [pools] in
                do throws(CognitoError) { try await pools.removeEnded() } catch {}
            }
        }
    }

    /// Serves another configuration.
    func serve(_ settings: UserPoolConfiguration) async throws(ServerError) {
        let result: Result<Void, CognitoError> = await withTaskExecutorPreference(executor) { [pools] in
            do throws(CognitoError) { return .success(try await pools.serve(settings)) } catch {
                return .failure(error)
            }
        }
        if case .failure(let error) = result {
            throw ServerError(.failed, "User pools cannot be served: \(error.message ?? error.name)")
        }
    }

    /// The services of the server that user pools use.
    private static func services(
        _ configuration: Configuration, _ mode: Service.Mode, _ store: any Store, _ client: OutgoingClient?, _ log: Log,
        _ listener: Listener, _ called: CalledFunctions, _ tokenCache: UserPoolTokenCache, _ clock: WallClock
    ) -> UserPoolServices {
        func sampled(_ message: String) -> SampledLog {
            SampledLog(
                log, message, mode: mode, linesPerSecondMax: configuration.limits.failureLinesPerSecondMax)
        }
        let uncalled = sampled("The function of a trigger could not be called.")
        let (failedTriggers, failedProviders) = (
            sampled("The function of a trigger failed."), sampled("An identity provider failed.")
        )
        let functions = UserPoolFunctions(
            functions: { called.byName.withLock { $0 } }, client: client, limits: configuration.limits.functions,
            operationsMax: max(1, configuration.limits.userPools.operationsMax), rules: called.rules,
            noteFailure: { function, cause in uncalled(["function": function, "cause": cause]) })
        let providers = IdentityProviderCalls(client: client, rules: called.rules)
        return UserPoolServices(
            invokeFunction: { function, event in await functions.invoke(function, event) },
            askProvider: { request in await providers.ask(request) },
            noteProviderFailure: { provider, reason in failedProviders(["provider": provider, "cause": reason]) },
            noteTriggerFailure: { trigger, reason in failedTriggers(["trigger": trigger, "cause": reason]) },
            noteMessage: { message in
                let fields = ["medium": message.medium, "recipient": message.recipient, "trigger": message.trigger]
                // Codes and temporary passwords are secrets: only `dev` logs them, and only on standard error.
                var secrets: [String: String] = [:]
                if mode == .dev { secrets["code"] = message.code }
                log(mode == .dev ? .notice : .info, "A message was put into the outbox.", fields, secrets: secrets)
            },
            endSessions: { ended in
                tokenCache.forget(ended)
                listener.receive.withLock { $0 }?(ended)
            },
            noteAdministration: { action in
                let caller = action.caller
                let entry = AuditEntry(
                    milliseconds: clock.milliseconds(), operator: caller.accessKeyID ?? "", role: caller.role.rawValue,
                    action: action.name, target: action.target, fields: action.fields, requestID: caller.requestID,
                    address: caller.address)
                do throws(StoreError) {
                    try store.addToAudit([entry])
                    return true
                } catch {
                    log(.error, "The audit log cannot be written.", ["cause": error.message])
                    return false
                }
            })
    }

    /// The functions that triggers call, and the rules for these calls: those of the configuration that is served now.
    private final class CalledFunctions: Sendable {
        let byName: Mutex<[String: Function]>
        let rules: ServedOutboundRules

        init(_ byName: [String: Function], _ rules: ServedOutboundRules) {
            self.byName = Mutex(byName)
            self.rules = rules
        }
    }

    /// Receives ended sessions, once the server has event loops.
    private final class Listener: Sendable {
        let receive = Mutex<(@Sendable (UserPoolServices.Ended) -> Void)?>(nil)
    }

    /// Sets the function that receives ended sessions. It is called on any thread.
    func whenSessionsEnd(_ receive: @escaping @Sendable (UserPoolServices.Ended) -> Void) {
        listener.receive.withLock { $0 = receive }
    }

    /// Runs work with the pools on the threads of operations.
    ///
    /// - Parameter network: The `Peer.network` of the caller. One network may use half of the capacity that others leave, because
    ///   operations may wait for a function or a provider; their tasks run in turns of networks. Nil for work that no request waits for.
    /// - Returns: False if the capacity is used up; `work` does not run then.
    func run(for network: String? = nil, _ work: @escaping @Sendable (UserPools) async -> Void) -> Bool {
        run(for: network, work, then: { _ in })
    }

    /// The same of work with a result, which is handed over when the work no longer counts: a client that has its answer may
    /// ask again.
    func run<Result: Sendable>(
        for network: String?, _ work: @escaping @Sendable (UserPools) async -> Result,
        then handOver: @escaping @Sendable (Result) -> Void
    ) -> Bool {
        guard operations.withLock({ $0.begin(for: network) }) else { return false }
        drain.begin()
        let turns = operationTurns.executor(for: network)
        Task(executorPreference: turns) { [self] in
            defer { drain.end() }
            defer { withExtendedLifetime(turns) {} }
            let result = await UserPoolFunctions.$network.withValue(network) { await work(pools) }
            operations.withLock { $0.end(for: network) }
            handOver(result)
        }
        return true
    }

    /// Runs the verification of a request's token or signature, on a thread that operations do not use.
    ///
    /// - Parameter network: The `Peer.network` of the caller. One network may use half of the capacity that others leave, and
    ///   no more than `ForgedTokens.underWayMax` at one time while `ForgedTokens` refuses its new tokens.
    /// - Parameter pending: The decision that is waited for. If no one waits when its turn comes, `work` does not run; it is
    ///   released, with what it holds, as soon as no one waits.
    /// - Returns: False if too many are under way; `work` does not run then.
    func runVerification(
        for network: String, deciding pending: PendingAuthentication? = nil,
        _ work: @escaping @Sendable (UserPools) async -> Void
    ) -> Bool {
        // Signed requests of such a network are still verified, but few at a time. Its new tokens are refused by the modes.
        let limit = forgedTokens.refuses(network) ? ForgedTokens.underWayMax : .max
        guard verifications.withLock({ $0.begin(for: network, atMost: limit) }) else { return false }
        let verification = AwaitedWork(work)
        pending?.whenSettled { verification.drop() }
        drain.begin()
        let turns = verificationTurns.executor(for: network)
        Task(executorPreference: turns) { [self] in
            defer { drain.end() }
            defer { withExtendedLifetime(turns) {} }
            await verification.take()?(pools)
            verifications.withLock { $0.end(for: network) }
        }
        return true
    }

    /// Waits for the operations under way and ends the threads.
    func end() async {
        await drain.wait()
        executor.end()
        verifier.end()
        records.end()
    }
}
