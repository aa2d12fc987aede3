import API
import HTTP
import Synchronization

/// What all event loops of a service share: the log, the counters, and whether it is about to end.
final class ServiceState: Sendable {
    let mode: Service.Mode
    let log: Log
    let metrics: ServerMetrics
    let operators: OperatorRegistry
    /// Which answers are logged, and how.
    let answers: AnswerLog
    /// Whether requests are answered, for `/ready`.
    let readiness: Readiness
    /// Answers the operators' socket; nil where there is none.
    let operatorEndpoint = Mutex<OperatorEndpoint?>(nil)
    /// What pages of the console follow.
    let live = LiveTopics()
    /// The last requests of the API, for operators.
    let requests: RequestLog
    /// The last calls of functions, for operators.
    let calls: CallLog
    /// The last lines of the log, for operators.
    let logLines: LogLines
    /// The sessions of the console; nil until the server starts.
    let consoleSessions = Mutex<ConsoleSessions?>(nil)
    /// What calls about the console's sessions need; nil until the server starts.
    let console = Mutex<ConsoleServer?>(nil)
    /// Long work of operators.
    let jobs: Jobs
    /// Keeps deployments and reloads apart.
    let schemaLock = SchemaLock()
    /// Answers calls about the schema; nil until the server starts.
    let schemaService = Mutex<SchemaService?>(nil)
    /// The schema that is served; nil until the server starts.
    let servedSchema = Mutex<ServedSchema?>(nil)
    /// The user pools; nil where none are served.
    let userPools = Mutex<UserPoolService?>(nil)
    /// The analytics; nil where no events are taken.
    let analytics = Mutex<AnalyticsService?>(nil)
    /// The buckets; nil where none are served.
    let buckets = Mutex<BucketService?>(nil)
    /// Requests, and messages of WebSockets, that wait until their caller is authenticated.
    let waitingMessages: Mutex<SharedCapacity>
    /// What the modes of others' tokens share; nil until the server starts.
    let tokens = Mutex<TokenServices?>(nil)
    /// What the configuration files of clients are made of; nil until the server starts.
    let clientFiles = Mutex<ClientFileSource?>(nil)
    /// How clients reach the server; nil until it starts.
    let description = Mutex<ServerDescription?>(nil)
    /// To whom one of them was last given.
    let pulls = PullRecord()
    /// The configuration files of clients that are being made for operators.
    let clientFileCalls = Mutex(SharedCapacity(countMax: ClientFileEndpoint.callsMax))
    /// The port of `https` URLs, once the server listens.
    let httpsPort = Atomic(Redirection.defaultPort)
    private let ending = Atomic(false)
    private let started = Atomic(false)
    private let hasHinted = Atomic(false)
    private let hasWarnedOfForeignRequest = Atomic(false)
    /// Whether certificates are about to be served, so that TLS is not off though it does not work yet.
    private let awaitsTLS = Atomic(false)

    init(
        mode: Service.Mode, log: Log, operators: OperatorFile? = nil, slowRequestSeconds: Double = 1,
        limits: Limits = Limits()
    ) {
        self.mode = mode
        logLines = LogLines()
        let log = log.keeping(logLines)
        self.log = log
        self.operators = OperatorRegistry(operators, log: log)
        answers = AnswerLog(
            log, mode: mode, slowRequestSeconds: slowRequestSeconds,
            failureLinesPerSecondMax: limits.failureLinesPerSecondMax)
        jobs = Jobs { [live] in live.publish(.jobs, $0) }
        requests = RequestLog(live: live, keepsContents: mode == .dev)
        calls = CallLog(recordingWith: requests)
        readiness = Readiness(
            log, probeMilliseconds: limits.probeSeconds * 1_000,
            intervalMilliseconds: limits.probeIntervalMilliseconds)
        let waitingBytesMax = limits.realtime.waitingBytesTotalMax
        waitingMessages = Mutex(
            SharedCapacity(countMax: .max, bytesMax: waitingBytesMax, networkBytesMax: max(1, waitingBytesMax / 2)))
        metrics = ServerMetrics(routes: Routes.table + [Routes.bucketRoute])
    }

    /// Whether the service answers what is under way and takes nothing new.
    var isEnding: Bool { ending.load(ordering: .relaxed) }

    func end() { ending.store(true, ordering: .relaxed) }

    /// Ends the operators' calls, once no connection is left.
    func endOperatorEndpoint() {
        operatorEndpoint.withLock { endpoint in
            endpoint?.end()
            endpoint = nil
        }
    }

    /// Ends the buckets, once no connection is left.
    func endBuckets() async {
        let service = buckets.withLock { service in
            defer { service = nil }
            return service
        }
        await service?.end()
    }

    /// Ends the user pools, once no connection is left.
    func endUserPools() async {
        let service = userPools.withLock { service in
            defer { service = nil }
            return service
        }
        await service?.end()
        tokens.withLock { tokens in
            tokens?.end()
            tokens = nil
        }
    }

    /// Ends the analytics, once no connection is left.
    func endAnalytics() async {
        let service = analytics.withLock { service in
            defer { service = nil }
            return service
        }
        await service?.end()
    }

    /// Whether all of the service is there, TLS included, so that its address was announced.
    var isStarted: Bool { started.load(ordering: .relaxed) }

    func start() { started.store(true, ordering: .relaxed) }

    /// Counts and logs an answer that the HTTP layer gave before any route was found.
    func noteRefusal(_ problem: Problem, requestID: RequestID, peer: Peer, on loop: EventLoop?) {
        metrics.countAnswer(route: nil, status: problem.status, nanoseconds: nil)
        metrics.countErrors([problem.errorType])
        answers.logAnswer(.init(status: problem.status, isFailure: true), on: loop) {
            LoggedAnswer(
                message: "The HTTP layer refused a request", requestID: requestID, peer: peer,
                errorType: problem.errorType, cause: problem.message)
        }
    }

    func setAwaitsTLS(_ awaits: Bool) { awaitsTLS.store(awaits, ordering: .relaxed) }

    /// Logs a TLS handshake that failed. What a developer can fix is logged once as a warning.
    func noteHandshake(failure: TLSHandshakeFailure, peer: Peer) {
        switch failure {
        case .notServed where awaitsTLS.load(ordering: .relaxed):
            log(.debug, "A TLS handshake came before the certificates", ["peer": peer.description])
        case .notServed:
            hint(
                "A client connected with https or wss, but TLS is off. Switch it on with \(Setting.tls.flag) auto, or with "
                    + "certificates of your own: \(Setting.tls.flag) CERT,KEY.", peer)
        case .distrusted:
            hint(
                "A client aborted the TLS handshake, which usually means it does not trust the certificate. "
                    + "'syncline trust' says how to trust the local certificate authority.", peer)
        case .tooSlow: log(.debug, "A TLS handshake took too long", ["peer": peer.description])
        case .broken(let reason):
            log(.debug, "A TLS handshake failed", ["peer": peer.description, "cause": reason])
        }
    }

    /// Claims the warning about requests that are refused for their `Host` or `Origin`; true for the first of them only.
    func claimForeignRequestWarning() -> Bool { !hasWarnedOfForeignRequest.exchange(true, ordering: .relaxed) }

    /// Logs that clients were turned away because the server is short of something; comes once a minute at most.
    func noteShortage(_ shortage: HTTPShortage, clientCount: Int) {
        let message =
            switch shortage {
            case .descriptors:
                "No descriptor is left for more connections; clients are answered 503. Raise the limit of open files (ulimit -n), or lower connectionsMax."
            case .outgoingBytes:
                "Clients take their answers too slowly: more than outgoingBytesPerServerMax waits for them. Those that took nothing for longest were closed."
            case .incomingBytes:
                "Clients send their requests too slowly: more than incomingBytesPerServerMax of unfinished ones is kept. The oldest were refused."
            }
        log(.warning, message, numbers: ["clients": clientCount])
    }

    private func hint(_ message: String, _ peer: Peer) {
        let isFirst = !hasHinted.exchange(true, ordering: .relaxed)
        log(isFirst ? .warning : .debug, message, ["peer": peer.description])
    }
}
