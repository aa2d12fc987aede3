import API
import Buckets
import HTTP
import Synchronization
public import Tables
public import Transformer

/// A running server: it listens, answers, and serves another schema after a reload.
///
/// It is started once and stopped once. `reload` may be called from one task at a time; requests go on meanwhile.
public final class Service: Sendable {
    /// What the service is for.
    public enum Mode: Sendable, Hashable {
        /// For callers: `syncline serve`.
        case serve
        /// For the author of a schema, who may also throw the data away: `syncline dev`.
        case dev
    }

    /// What is served, for banners and logs.
    public struct Summary: Sendable {
        /// The definition that is served.
        public let definition: APIDefinition
        /// What was done to the tables, as sentences.
        public let steps: [String]
    }

    /// How TLS is served.
    public struct TLS: Sendable {
        /// Where GraphQL is served by TLS, on the port that serves clear text as well if that is not refused.
        public let url: String
        /// Where it is served by TLS alone, if there is such a port.
        public let portURL: String?
        /// The certificate of the local authority that clients must trust; nil for certificates of one's own.
        public let authorityFile: String?
        /// That of the authority for AWS hostnames; nil where these are not served.
        public let awsAuthorityFile: String?
    }

    /// A further listener of a running server.
    public struct ListenerURL: Sendable {
        /// Where GraphQL is served there, or asked for to be redirected.
        public let url: String
        /// Whether clear text is refused there.
        public let isTLSOnly: Bool
        /// Whether requests are redirected to `https`.
        public let redirects: Bool
    }

    /// Where GraphQL is served.
    public let url: String
    /// The further listeners, in the order of the configuration.
    public let listeners: [ListenerURL]
    /// How it is served by TLS; nil when it is not.
    public let tls: TLS?
    /// What it listens on, without listeners that redirect.
    let ports: [ReachableServer.Port]
    /// What was served first.
    public let summary: Summary

    let configuration: Configuration
    let state: ServiceState
    let server: HTTPServer
    let loopServices: [LoopServices]
    let backend: Backend
    private let ephemeralFolder: EphemeralFolder?
    let certificates: ServerCertificates?
    let client: OutgoingClient
    private let operatorSocket: OperatorSocket?

    private init(
        ports: ListeningPorts, summary: Summary, configuration: Configuration, state: ServiceState, server: HTTPServer,
        loopServices: [LoopServices], opened: OpenedData, certificates: ServerCertificates?, client: OutgoingClient,
        operatorSocket: OperatorSocket?
    ) {
        self.operatorSocket = operatorSocket
        self.client = client
        url = configuration.address.url(configuration.tls.isRequired ? "https" : "http", port: ports.main)
        tls = certificates.map { certificates in
            TLS(
                url: configuration.address.url("https", port: ports.main),
                portURL: ports.tls.map { configuration.address.url("https", port: $0) },
                authorityFile: certificates.authorityFile(of: .local).map(Files.absolute),
                awsAuthorityFile: certificates.authorityFile(of: .awsNames).map(Files.absolute))
        }
        listeners = zip(configuration.address.listeners, ports.listeners).map { listener, port in
            let spoken = configuration.tls.spoken(listener.listenerProtocol)
            let base = ListenAddress.baseURL(spoken == .tls ? "https" : "http", host: listener.host, port: port)
            return ListenerURL(url: "\(base)/graphql", isTLSOnly: spoken == .tls, redirects: spoken == .redirect)
        }
        self.ports = ReachableServer.Port.list(configuration, listening: ports, servesTLS: certificates != nil)
        self.certificates = certificates
        self.summary = summary
        self.configuration = configuration
        self.state = state
        self.server = server
        self.loopServices = loopServices
        backend = opened.backend
        ephemeralFolder = opened.ephemeralFolder
    }

    private var log: Log { state.log }
}

// MARK: - Start

extension Service {
    /// Starts: schema first, then the port, then the data, so that whatever fails leaves the disk as it was.
    ///
    /// - Parameter clock: What time it is for the data.
    public static func start(
        _ given: Configuration, mode: Mode, log: Log, clock: WallClock = .system
    ) async throws(ServerError) -> Service {
        OpenFiles.raiseLimit()
        SchemaJournal.recover(given, mode: mode, log)
        try given.userPools.checkAccessKeys(for: given.address)
        let tls = given.tls.setting(for: mode)
        try given.tls.check(tls, given.address.listeners)
        // Beside all the rest, which takes longer: to make keys and certificates costs milliseconds.
        async let loading = ServerCertificates.load(tls, given)
        let isFirst = mode == .dev && FirstSchema.isWanted(by: given)
        var read = given.read(for: mode)
        read.schema.mayBeMissing = isFirst
        let definition = try read.loadServedDefinition(allowsClosedModels: mode == .dev)
        let configuration = given.withCreatedKeys().withServedBuckets(in: mode)
        try configuration.apiKeys.check(for: configuration.address)
        try configuration.console.check(for: mode, configuration.address, configuration.tls)
        try AmplifyDataNote.check(configuration)
        let state = ServiceState(
            mode: mode, log: log,
            operators: configuration.data.isEphemeral ? nil : OperatorFile(folder: configuration.data.folder),
            slowRequestSeconds: configuration.log.slowRequestSeconds, limits: configuration.limits)
        // Its lines are kept for operators.
        let log = state.log
        state.setAwaitsTLS(tls != .off)
        let templates = HeaderTemplates(configuration.cors, RequestSourcePolicy(configuration))
        let loopCount = configuration.limits.eventLoopCount
        let awsNames = configuration.servedAWSNames
        let loopServices = (0..<(loopCount > 0 ? loopCount : Cores.usableCount)).map { _ in
            LoopServices(state: state, templates: templates, awsNames: awsNames)
        }
        let server = HTTPServer(
            limits: configuration.limits.http, loopCount: loopServices.count,
            responder: Routes(loopServices: loopServices))
        let client = OutgoingClient(
            on: server,
            connectionsPerHostMax: 2 * configuration.limits.functions.callsMax
                + configuration.limits.buckets.eventsPerFunctionMax * configuration.functions.byName.count,
            log: log,
            refusals: SampledLog(
                log, "An outgoing call was not allowed.", mode: mode,
                linesPerSecondMax: configuration.limits.failureLinesPerSecondMax), calls: state.calls)
        do throws(ServerError) {
            let ports = try ListeningPorts(server, configuration, mode: mode)
            state.httpsPort.store(ports.https, ordering: .relaxed)
            let opened = try OpenedData(configuration, mode: mode, client: client, clock: clock, log: log)
            do throws(ServerError) {
                let userPools = try await startUserPools(
                    configuration, definition, opened, ports, client, state, clock)
                try await startAnalytics(
                    configuration, store: opened.backend.store, dataFolder: opened.folder, hasSigners: userPools != nil,
                    state, clock)
                let buckets = try await startBuckets(
                    configuration, opened.backend.store, dataFolder: opened.folder, userPools, state, clock)
                let tokens = TokenServices(
                    configuration, mode: mode, client: client, clock: clock, log: log)
                state.tokens.withLock { $0 = tokens }
                let change = SchemaFileChange(
                    sinceLastServed: SchemaDeployments(dataFolder: opened.folder),
                    to: ServedSchema(configuration: configuration, definition: definition), mode: mode,
                    dataFolder: opened.folder)
                let (steps, loops) = try opened.serve(
                    definition, configuration, userPools, tokens, by: loopServices, on: server.loops)
                state.metrics.read(from: { [store = opened.backend.store, operations = opened.backend.operations] in
                    .init(
                        connections: server.statistics, store: store.statistics, loops: loops,
                        operations: operations.readings)
                })
                let certificates = try await certificates(
                    tls, configuration, loading, ephemeralFolder: opened.ephemeralFolder?.path, on: server, log)
                state.setAwaitsTLS(false)
                let operatorSocket = startOperators(
                    configuration, dataFolder: opened.folder, opened.backend, on: server, ports, clock, state,
                    loopServices)
                AmplifyDataNote.write(configuration)
                if isFirst {
                    let written = try FirstSchema.write(configuration)
                    state.schemaService.withLock { $0 }?.noteWritten(written)
                }
                state.noteServed(ServedSchema(configuration: configuration, definition: definition), after: change)
                let service = Service(
                    ports: ports, summary: Summary(definition: definition, steps: steps),
                    configuration: configuration, state: state, server: server, loopServices: loopServices,
                    opened: opened,
                    certificates: certificates, client: client, operatorSocket: operatorSocket)
                userPools?.whenSessionsEnd { [loops = server.loops] ended in
                    for loop in loops {
                        let services = loopServices[loop.index]
                        loop.execute { services.end(ended) }
                    }
                }
                if let buckets { service.serve(buckets, configuration) }
                service.setClientFiles(configuration, definition)
                service.setDescription(configuration)
                service.startDeployments()
                try service.announce()
                return service
            } catch {
                // As in `stop`: no operation waits for a client or a function then.
                await server.shutdown(drainSeconds: 0) { await client.end() }
                await state.endAnalytics()
                await state.endBuckets()
                await state.endUserPools()
                opened.close()
                throw error
            }
        } catch {
            await server.shutdown(drainSeconds: 0) { await client.end() }
            state.endOperatorEndpoint()
            state.metrics.read(from: nil)
            throw error
        }
    }

    /// Starts the user pools, where they are wanted: in `dev` always.
    private static func startUserPools(
        _ configuration: Configuration, _ definition: APIDefinition, _ opened: OpenedData, _ ports: ListeningPorts,
        _ client: OutgoingClient, _ state: ServiceState, _ clock: WallClock
    ) async throws(ServerError) -> UserPoolService? {
        guard state.mode == .dev || configuration.userPools.isConfigured else {
            guard !definition.needsUserPool(configuration) else { throw .noUserPool }
            guard configuration.authModes?.contains(.iam) != true else { throw .noSigner }
            return nil
        }
        let scheme = configuration.tls.isRequired ? "https" : "http"
        let service: UserPoolService
        do throws(ServerError) {
            service = try await UserPoolService.start(
                configuration, mode: state.mode, store: opened.backend.store, keyFolder: opened.folder,
                servedURL: configuration.address.baseURL(scheme, port: ports.main), client: client, clock: clock,
                log: state.log)
        } catch {
            // A developer who has not asked for them is served without.
            guard !configuration.userPools.isConfigured, !definition.needsUserPool(configuration),
                configuration.authModes?.contains(.iam) != true
            else { throw error }
            state.log(.warning, "User pools are not served.\n\(error.text)")
            return nil
        }
        state.userPools.withLock { $0 = service }
        return service
    }

    /// Puts the loaded certificates to use. TLS that was not asked for does not keep the server from starting.
    private static func certificates(
        _ setting: TLSSetting, _ configuration: Configuration,
        _ loaded: Result<ServerCertificates.Loaded?, ServerError>, ephemeralFolder: String?, on server: HTTPServer,
        _ log: Log
    ) throws(ServerError) -> ServerCertificates? {
        do throws(ServerError) {
            return try ServerCertificates.begin(
                setting, configuration, try loaded.get(), ephemeralFolder: ephemeralFolder, on: server, log: log)
        } catch {
            guard configuration.tls.setting == nil, configuration.tls.port == nil, !configuration.tls.isRequired,
                !configuration.awsNameOptions.isOn, !configuration.address.listeners.contains(where: \.needsTLS)
            else { throw error }
            log(.warning, "TLS is not served.\n\(error.text)")
            return nil
        }
    }

    /// Announces that the server answers, in the log and by the ready file.
    private func announce() throws(ServerError) {
        for note in configuration.notes { log(.notice, note) }
        let warnings = configuration.warnings + summary.definition.warnings
        for warning in Diagnostic.texts(warnings, "warning") { log(.warning, warning) }
        for step in summary.steps { log(.info, "Migration: \(step)") }
        state.start()
        log(
            .info, "Ready. /ready returns 200 while requests can be served, /health while the process is running.",
            ["url": url], numbers: ["models": summary.definition.models.count])
        if let tls {
            var fields = ["url": tls.portURL ?? tls.url]
            fields["authority"] = tls.authorityFile
            let advice = tls.authorityFile == nil ? "" : " Clients must trust its authority; see 'syncline trust'."
            log(.info, "Serving TLS.\(advice)", fields)
        }
        if let file = tls?.awsAuthorityFile {
            log(
                .info,
                "Serving AWS hostnames. Clients must trust their authority; see "
                    + "'\(AuthorityKind.awsNames.trustCommand)'.",
                ["authority": file], numbers: ["names": configuration.awsNames.hosts.count])
        }
        guard let path = configuration.readyFile else { return }
        try AmplifyFolder.refuseWriting(file: path, of: Setting.readyFile.flag)
        do {
            try Files.write(urls.map { "\($0)\n" }.joined(), to: path)
        } catch {
            throw ServerError(.failed, "Cannot write the ready file \(path): \(error.reason).")
        }
    }
}

extension Service {
    /// The API keys that are accepted, beside those that the data folder has.
    public var apiKeys: APIKeys { configuration.apiKeys }

    /// The user pools that are served; nil where there are none.
    public var signIn: SignInSummary? { state.userPools.withLock { $0?.summary } }

    /// Serves the user pools, the buckets and the apps of a changed configuration, and last the files of clients, which have
    /// the ids of all of them.
    ///
    /// - Parameter summary: What `reload` said of the change.
    public func reloadServices(
        _ configuration: Configuration, _ summary: Summary
    ) async throws(ServerError) {
        reloadAnalytics(configuration, dataFolder: ephemeralFolder?.path ?? self.configuration.data.folder)
        try await reloadBuckets(configuration.withServedBuckets(in: state.mode))
        if let userPools = state.userPools.withLock({ $0 }) { try await reload(userPools, configuration) }
        setClientFiles(configuration, summary.definition)
        setDescription(configuration)
    }

    private func reload(
        _ userPools: UserPoolService, _ configuration: Configuration
    ) async throws(ServerError) {
        let base = url.hasSuffix("/graphql") ? String(url.dropLast(8)) : url
        try await userPools.serve(
            configuration, mode: state.mode, servedURL: base,
            dataFolder: ephemeralFolder?.path ?? self.configuration.data.folder)
        // Access keys may have changed.
        for loop in server.loops {
            let services = loopServices[loop.index]
            loop.execute { services.endSubscriptionsWithoutCredentials() }
        }
    }

    /// Where GraphQL is served: the port for all, that for TLS alone if there is one, and those of further listeners.
    public var urls: [String] { [url] + [tls?.portURL].compactMap(\.self) + listeners.map(\.url) }

    /// Reads the certificates again. On an error, which is logged, the old ones go on.
    public func reloadCertificates() { certificates?.reloadAndLog() }

    /// Reads certificates again when their files change, and renews those that are about to expire, until the task is
    /// cancelled.
    public func watchCertificates() async { await certificates?.watch() }
}

extension Service {
    /// Removes what has expired, once a minute, until the task is cancelled: deleted items of models with versions, sessions and
    /// codes of user pools, events and activity beyond their days, and uploads that nobody completed.
    ///
    /// - Parameter clock: Schedules the runs.
    public func removeExpiredData(clock: some Clock<Duration> = ContinuousClock()) async {
        repeat {
            await backend.collectTombstones()
            await state.userPools.withLock { $0 }?.removeEnded()
            await state.analytics.withLock { $0 }?.removeEnded()
            await state.buckets.withLock { $0 }?.removeAbandonedUploads()
        } while (try? await clock.sleep(for: .seconds(60))) != nil
    }
}

extension Service {
    /// Sends the messages of the outbox, where mail is configured, until the task is cancelled.
    public func sendMail() async {
        guard let transport = configuration.mail.transport, let userPools = state.userPools.withLock({ $0 }) else {
            return
        }
        await MailSender(
            transport: { message, date throws(MailError) in try transport.send(message, date: date) },
            from: configuration.mail.from, pools: userPools.pools, log: log
        ).run()
    }
}

extension Service {
    /// Checks periodically whether the files of the data folder are still those that were opened, until the task is
    /// cancelled.
    ///
    /// - Parameter clock: Schedules the checks.
    /// - Returns: Why the service cannot continue, when the folder or one of its files was removed or replaced: nothing is
    ///   written from then on, and the caller must stop the service. `nil` when the task was cancelled.
    public func watchData(clock: some Clock<Duration> = ContinuousClock()) async -> ServerError? {
        repeat {
            do throws(StoreError) {
                try backend.store.verifyPlace()
            } catch {
                log(
                    .critical,
                    "The data folder or a file in it was removed or replaced. Writes are refused and the server stops.",
                    ["cause": error.description])
                return ServerError(
                    opening: configuration.data.isEphemeral ? "the data" : configuration.data.folder, error)
            }
        } while (try? await clock.sleep(for: .milliseconds(Self.dataIntervalMilliseconds))) != nil
        return nil
    }

    /// How long to wait between two checks of the data folder's files.
    private static let dataIntervalMilliseconds = 500
}

// MARK: - Reload and stop

extension Service {
    /// Reads configuration and schema again and serves them, all or nothing: on an error the old API goes on.
    ///
    /// Address, data folder, bounds of connections, the form of the log and the Amplify project stay as they were at the
    /// start.
    public func reload(_ configuration: Configuration) throws(ServerError) -> Summary {
        try state.schemaLock.with { () throws(ServerError) in try reloadAlone(configuration) }
    }

    private func reloadAlone(_ configuration: Configuration) throws(ServerError) -> Summary {
        try AmplifyDataNote.check(configuration, replacing: self.configuration)
        var read = configuration.read(for: state.mode)
        // A file that is being written is empty for a moment.
        if state.servedSchema.withLock({ $0?.definition.models.isEmpty == false }) { read.schema.mayBeEmpty = false }
        let definition = try read.loadServedDefinition(allowsClosedModels: state.mode == .dev)
        var kept = configuration
        kept.address.host = self.configuration.address.host
        kept.address.listeners = self.configuration.address.listeners
        kept.console = configuration.console.afterReload(of: self.configuration.console)
        kept = kept.withCreatedKeys()
        var configuration = configuration.withServedBuckets(in: state.mode)
        configuration.apiKeys = kept.apiKeys
        configuration.console = kept.console
        try kept.apiKeys.check(for: kept.address)
        try kept.console.check(for: state.mode, kept.address, self.configuration.tls)
        try kept.userPools.checkAccessKeys(for: kept.address)
        try checkSignIn(definition, configuration)
        let schema = ServedSchema(configuration: configuration, definition: definition)
        let change = fileChange(to: schema)
        // The migration is the last step that can fail: when it is done, the new API is served.
        let makeAPI = { [backend] () throws(ServerError) in
            try backend.makeAPI(for: definition, configuration, replacesAnother: true)
        }
        let (api, steps) =
            if let certificates {
                try certificates.serve(kept, after: makeAPI)
            } else {
                try makeAPI()
            }
        state.tokens.withLock { $0 }?.serve(configuration)
        let servedAPI = ServedAPI(
            api, definition, configuration, state.userPools.withLock { $0 }, tokens: state.tokens.withLock { $0 })
        serve(servedAPI, schema, after: change)
        return Summary(definition: definition, steps: steps.map(\.summary))
    }

    /// Refuses an API for users of a pool, or signed requests, where nobody signs them in.
    func checkSignIn(_ definition: APIDefinition, _ configuration: Configuration) throws(ServerError) {
        guard state.userPools.withLock({ $0 }) == nil else { return }
        if definition.needsUserPool(configuration) { throw .noUserPool }
        if configuration.authModes?.contains(.iam) == true { throw .noSigner }
    }

    /// Stops in order: no new requests, the answers under way, what waits to be written, the folder's lock.
    public func stop() async {
        state.end()
        // They write as clients do, while event loops run.
        await state.jobs.end()
        // Before the sockets are closed, which is what the loops do next.
        for loop in server.loops {
            let services = loopServices[loop.index]
            loop.execute { services.context?.deliverEverything() }
        }
        await server.shutdown(drainSeconds: configuration.limits.drainSeconds) { await client.end() }
        // The readings hold the server, which holds the services of the loops, which hold the state.
        state.metrics.read(from: nil)
        state.endOperatorEndpoint()
        await state.endAnalytics()
        await state.endBuckets()
        await state.endUserPools()
        // While the folder is locked: later it may be another server's.
        operatorSocket?.remove()
        backend.close()
        ephemeralFolder?.remove()
        if let path = configuration.readyFile, !AmplifyFolder.containsFile(path) { Files.remove(path) }
        log(.info, "The server has stopped.")
    }

    /// Removes what must not outlive the process when there is no time to stop in order. What was acknowledged is safe:
    /// it was committed before.
    public func abandon() { ephemeralFolder?.remove() }
}

// MARK: - Parts

extension ServerError {
    fileprivate static let noUserPool = ServerError(
        .invalid, "Users of a user pool may use the API, and no user pool is configured.",
        hint: "Add 'userPool' to the configuration; 'syncline dev' makes one by itself.")
    fileprivate static let noSigner = ServerError(
        .invalid, "Signed requests may use the API, and there is nobody to sign them.",
        hint: "Add 'identityPool' or 'accessKeys' to the configuration; 'syncline dev' makes both by itself.")
}

extension Configuration {
    /// The configuration with the API keys that are served at its address.
    func withCreatedKeys() -> Configuration {
        var configuration = self
        let keys = (try? APIKeyFile(self).read()) ?? []
        configuration.apiKeys = apiKeys.served(
            at: address, isMode: acceptsAPIKeys, hasCreatedKeys: !keys.isEmpty)
        return configuration
    }
}

extension APIDefinition {
    /// Whether users of a pool of this server may use the API.
    fileprivate func needsUserPool(_ configuration: Configuration) -> Bool {
        authModes.contains(.userPools)
            && (!configuration.userPoolProviders.isEmpty
                || !configuration.auth.issuers.contains { $0.kind == .userPool })
    }
}

/// The data folder, opened.
private struct OpenedData {
    let backend: Backend
    let ephemeralFolder: EphemeralFolder?
    /// The folder's path.
    let folder: String

    /// Opens the configured folder, or a fresh one whose data need not survive the machine's power.
    init(
        _ configuration: Configuration, mode: Service.Mode, client: OutgoingClient, clock: WallClock, log: Log
    ) throws(ServerError) {
        guard configuration.data.isEphemeral else {
            ephemeralFolder = nil
            folder = configuration.data.folder
            backend = try Backend(
                folder: configuration.data.folder, durability: .full, limits: configuration.limits,
                mode: mode, client: client, clock: clock, log: log)
            PrivateFiles.secure(configuration.data.folder)
            return
        }
        let folder = try EphemeralFolder()
        do {
            backend = try Backend(
                folder: folder.path, durability: .off, limits: configuration.limits, mode: mode, client: client,
                clock: clock,
                log: log)
        } catch {
            folder.remove()
            throw error
        }
        ephemeralFolder = folder
        self.folder = folder.path
    }

    /// Gives each event loop its services; says what was done to the tables, and where each loop counts.
    func serve(
        _ definition: APIDefinition, _ configuration: Configuration, _ userPools: UserPoolService?,
        _ tokens: TokenServices, by loopServices: [LoopServices], on loops: [EventLoop]
    ) throws(ServerError) -> (steps: [String], loops: [LoopStatistics]) {
        let (api, steps) = try backend.makeAPI(for: definition, configuration, replacesAnother: false)
        let servedAPI = ServedAPI(api, definition, configuration, userPools, tokens: tokens)
        loopServices.first?.state.live.setModels(servedAPI.modelNames)
        let contexts = try loops.map { loop throws(ServerError) in
            LoopContextInTransit(try backend.makeContext(for: loop))
        }
        for (loop, transit) in zip(loops, contexts) {
            let services = loopServices[loop.index]
            loop.execute {
                services.context = transit.context
                services.serve(servedAPI)
            }
        }
        return (steps.map(\.summary), contexts.map(\.statistics))
    }

    func close() {
        backend.close()
        ephemeralFolder?.remove()
    }
}

/// Takes a loop's context from the thread that made it to the loop, once; the maker forgets it. Hence the unchecked
/// Sendable.
private struct LoopContextInTransit: @unchecked Sendable {
    let context: LoopContext
    let statistics: LoopStatistics

    init(_ context: LoopContext) {
        self.context = context
        statistics = context.statistics
    }
}
