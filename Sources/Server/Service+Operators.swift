import HTTP
import Synchronization
import Tables

extension Service {
    /// Makes the endpoint of the operators' calls, and listens on the data folder's socket, which their verbs use. Data that is
    /// thrown away at exit has no socket. Without one, the server serves everything else.
    static func startOperators(
        _ configuration: Configuration, dataFolder: String, _ backend: Backend, on server: HTTPServer,
        _ ports: ListeningPorts, _ clock: WallClock, _ state: ServiceState, _ loopServices: [LoopServices]
    ) -> OperatorSocket? {
        let store = backend.store
        state.live.start(on: server.loops[0], backend.changes, state.requests)
        state.requests.start(on: server.loops[0])
        let userFolder = configuration.userFolder ?? UserFolder.path
        let sessions = ConsoleSessions(
            mode: state.mode, operators: state.operators,
            file: state.mode == .dev ? userFolder.map(ConsoleSessionFile.init) : nil, clock: clock, log: state.log)
        let console = ConsoleServer(
            configuration, mode: state.mode, port: ports.main, consolePort: ports.console, sessions: sessions)
        state.consoleSessions.withLock { $0 = sessions }
        state.console.withLock { $0 = console }
        let schema = SchemaService(
            mode: state.mode, dataFolder: dataFolder, lock: state.schemaLock, log: state.log,
            publish: { [live = state.live] in live.publish(.schema, $0) }
        ) { [weak state] in state?.servedSchema.withLock { $0 } }
        state.schemaService.withLock { $0 = schema }
        let handler = OperatorCallHandler(
            configuration: configuration,
            servedConfiguration: { [weak state] in state?.servedSchema.withLock { $0?.configuration } },
            dataFolder: dataFolder,
            userPools: { [weak state] in state?.userPools.withLock { $0 } },
            keyRevoked: { [loops = server.loops] in
                for loop in loops {
                    let services = loopServices[loop.index]
                    loop.execute { services.endSubscriptionsWithoutCredentials() }
                }
            }, analytics: { [weak state] in state?.analytics.withLock { $0 } },
            clientFiles: { [weak state] in state?.clientFiles.withLock { $0 } },
            description: { [weak state] in state?.description.withLock { $0 } },
            graphQL: OperatorGraphQL(on: server.loops[0], loopServices[server.loops[0].index], store),
            schema: schema, jobs: state.jobs,
            status: OperatorStatus(
                mode: state.mode, startMilliseconds: Moment.now.milliseconds,
                folder: configuration.data.isEphemeral ? nil : dataFolder,
                connections: { [weak server] in server?.statistics }, store: { store.statistics }),
            live: state.live, requests: state.requests, calls: state.calls, logLines: state.logLines, console: console
        ) { entries throws(StoreError) in
            try store.addToAudit(entries)
        }
        state.operatorEndpoint.withLock { $0 = OperatorEndpoint(handler, log: state.log) }
        guard !configuration.data.isEphemeral else { return nil }
        do {
            let socket = try OperatorSocket(folder: configuration.data.folder)
            try server.listen(unixSocket: socket.path, connectionsMax: OperatorEndpoint.connectionsMax)
            socket.noteFile()
            return socket
        } catch {
            let cause = (error as? ServerError)?.text ?? (error as? HTTPServerError)?.message ?? "\(error)"
            state.log(
                .warning, "Operators' verbs cannot reach this server: there is no \(OperatorSocket.name).",
                ["cause": cause])
            return nil
        }
    }

    /// The URL of a new link that signs a browser in to the console as the user who runs this process, once; nil if
    /// `isConsoleServed` is false.
    public func makeConsoleURL() -> String? {
        guard isConsoleServed, let console = state.console.withLock({ $0 }) else { return nil }
        return console.url(console.sessions.makeLink(for: .user).secret)
    }

    /// Whether the console is served, and an address for links to it is known.
    public var isConsoleServed: Bool { state.console.withLock { $0?.baseURL } != nil }
}
