import API
import HTTP
import JSON
import Synchronization
import Tables
import Transformer
import UserPools

/// One client's WebSocket: carries messages, decisions and events between the socket, the session that knows the
/// protocol, the authenticator and the API.
///
/// It lives from the upgrade until the socket has closed, which ends its subscriptions. What a reload replaces is taken
/// from the loop's services each time, so that a connection goes on with what is served now.
///
/// `@unchecked Sendable`: made and used on the loop of its socket only, but for `isClosed`. Timers and answers, whose closures must be
/// Sendable, come back on that loop.
final class RealtimeConnection: WebSocketHandler, @unchecked Sendable {
    private var session: RealtimeSession
    private let services: LoopServices
    /// The request that was upgraded, and who made it: they identify the connection in the log.
    private let (requestID, peer): (RequestID, Peer)
    private let addressHash: Int
    /// The `Host` of that request.
    private let host: String?
    /// What the client calls itself, or the beginning of it.
    private let client: String?
    /// The name of the API key, or of the operator, of the operation that begins, while requests are recorded.
    private var callerName: String?
    /// Whether the operation that begins is to be explained.
    private var explains = false
    /// The operator at the socket; nil for a client.
    private let person: RealtimeOperator?
    /// Whom the operations of an operator run as.
    private var asked = OperatorGraphQLCall.Caller.nobody
    /// Operations of an operator in the order of their messages: the caller of the first is being decided, the others wait for that,
    /// so that an operation is answered only when those before it have begun. The session bounds them
    /// (`subscriptionsPerConnectionMax`).
    private var undecided: [Int] = []
    /// Nil before it has opened and from its close on.
    private var socket: WebSocket?
    private let isClosed = Atomic(false)
    private var subscriptions: [Int: SubscriptionHandle] = [:]
    /// By which credentials operations were begun.
    private var origins: [Int: CredentialOrigin] = [:]
    private let startNanoseconds = EventLoop.uptimeNanoseconds
    /// Bytes of messages that wait until the connection is authenticated, each reserved; nil while it is not looked at.
    private var waitingMessages: [Int]?
    /// What is being authenticated, and the bytes that are reserved for it.
    private var waiting: [RealtimeSession.Purpose: (pending: PendingAuthentication, byteCount: Int)] = [:]
    /// When the next timer comes, in milliseconds since the upgrade.
    private var timerDue = Int64.max

    /// - Parameters:
    ///   - request: The request that is upgraded.
    ///   - person: The operator who has sent it; nil for a client.
    init(
        _ session: RealtimeSession, opening request: Request, _ requestContext: RequestContext,
        for person: RealtimeOperator? = nil
    ) {
        self.session = session
        self.person = person
        host = request[header: "host"]
        client = request[header: "user-agent"].map(RecordedRequest.clientName)
        services = requestContext.services
        (requestID, peer) = (requestContext.requestID, requestContext.peer)
        addressHash = requestContext.addressHash
    }

    func opened(_ socket: WebSocket) {
        self.socket = socket
        perform(session.opened(at: now))
        setTimer()
        if person != nil { checkPresence() }
    }

    func received(_ text: UnsafeRawBufferPointer, on socket: WebSocket) {
        if waitingMessages != nil {
            guard reserve(text.count) else {
                // IANA, "WebSocket Close Code Number Registry": 1013, Try Again Later.
                return socket.close(WebSocketCloseCode(rawValue: 1013), reason: "Try again later")
            }
            waitingMessages?.append(text.count)
        }
        unsafe perform(session.receive(text, at: now))
        setTimer()
    }

    func closed(_ code: WebSocketCloseCode?, on socket: WebSocket) {
        self.socket = nil
        isClosed.store(true, ordering: .relaxed)
        services.release(self)
        releaseWaitingMessages()
        for purpose in waiting.keys { abandon(purpose) }
        perform(session.closed())
        guard services.state.log.isLogged(.debug) else { return }
        services.state.log(.debug, "A WebSocket has closed.", ["code": code.map { "\($0.rawValue)" } ?? "none"])
    }

    /// Milliseconds since the upgrade.
    private var now: Int64 { (EventLoop.uptimeNanoseconds - startNanoseconds) / 1_000_000 }
}

// MARK: - What the session wants done

extension RealtimeConnection {
    private func perform(_ actions: [RealtimeSession.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): unsafe bytes.withUnsafeBytes { unsafe socket?.send($0) }
            case .authenticate(let authorization, let purpose): authenticate(authorization, for: purpose)
            case .subscribe(let number, let envelope, let identity): subscribe(number, envelope, as: identity)
            case .execute(let number, let envelope, let identity): execute(number, envelope, as: identity)
            case .unsubscribe(let number):
                abandon(.operation(number))
                origins[number] = nil
                if let handle = subscriptions.removeValue(forKey: number) { services.context?.cancel(handle) }
            case .close(let code, let reason): socket?.close(WebSocketCloseCode(rawValue: code), reason: reason)
            }
        }
    }

    private func authenticate(_ authorization: RealtimeAuthorization, for purpose: RealtimeSession.Purpose) {
        guard let person else { return authenticate(authorization, for: purpose, after: nil) }
        authenticate(authorization, of: person, for: purpose)
    }

    private func authenticate(
        _ authorization: RealtimeAuthorization, for purpose: RealtimeSession.Purpose,
        after previous: ConfiguredCredentials?
    ) {
        guard let servedAPI = services.servedAPI, let loop = socket?.loop else { return }
        let credentials = credentials(authorization, for: purpose)
        let configured = ConfiguredCredentials(servedAPI, services.state, after: previous)
        switch servedAPI.authenticator.authenticate(credentials) {
        case .decided(let decision): authenticated(authorization, for: purpose, decision, by: configured)
        case .pending(let pending):
            let size = credentials.byteCount
            guard reserve(size) else {
                pending.abandon()
                return authenticated(authorization, for: purpose, .refused(.throttled), by: configured)
            }
            if purpose == .connection, waitingMessages == nil { waitingMessages = [] }
            waiting[purpose] = (pending, size)
            pending.whenDecided(on: loop, timeoutSeconds: configured.secondsLeft) { [weak self] decision in
                // It was abandoned if another one, or none, is waited for.
                guard let self, waiting[purpose]?.pending === pending else { return }
                release(purpose)
                if purpose == .connection { releaseWaitingMessages() }
                authenticated(
                    authorization, for: purpose, decision, by: configured, verified: pending.verifiedToken)
                setTimer()
            }
        }
    }

    /// Reserves bytes of a message that waits, if there is room for it on this server and for this network.
    private func reserve(_ bytes: Int) -> Bool {
        services.state.waitingMessages.withLock { $0.begin(for: peer.network, bytes: bytes) }
    }

    private func release(_ purpose: RealtimeSession.Purpose) {
        guard let byteCount = waiting.removeValue(forKey: purpose)?.byteCount else { return }
        services.state.waitingMessages.withLock { $0.end(for: peer.network, bytes: byteCount) }
    }

    /// Ends the authentication of what has ended, and gives back its bytes.
    private func abandon(_ purpose: RealtimeSession.Purpose) {
        waiting[purpose]?.pending.abandon()
        release(purpose)
    }

    private func releaseWaitingMessages() {
        guard let sizes = waitingMessages else { return }
        waitingMessages = nil
        services.state.waitingMessages.withLock { capacity in
            for size in sizes { capacity.end(for: peer.network, bytes: size) }
        }
    }

    private func credentials(
        _ authorization: RealtimeAuthorization, for purpose: RealtimeSession.Purpose
    ) -> RealtimeCredentials {
        var credentials = RealtimeCredentials(
            authorization: authorization, host: host, network: peer.network)
        if case .operation(let number) = purpose { credentials.envelope = session.envelope(of: number) ?? [] }
        return credentials
    }

    /// Hands a decision to the session, which ignores it if what it is about has ended meanwhile.
    ///
    /// - Parameters:
    ///   - configured: What was configured when the verification began.
    ///   - token: The token that was verified now, if a user pool of this server issued it.
    private func authenticated(
        _ authorization: RealtimeAuthorization, for purpose: RealtimeSession.Purpose,
        _ decision: AuthenticationDecision, by configured: ConfiguredCredentials, verified token: TokenIdentity? = nil
    ) {
        switch (decision, purpose) {
        case (.refused(let refusal), _):
            services.state.metrics.countErrors([refusal.errorType])
            logRefusal(refusal, purpose)
            if case .operation(let number) = purpose, let envelope = session.envelope(of: number) {
                record(envelope, as: nil, 0, refusal.status, [refusal.errorType])
            }
            perform(session.authenticated(purpose, refusal.realtimeDecision, at: now))
        case (.identity(let identity), .operation(let number)):
            // The origin is what is configured now, so it must have been the same when the verification began.
            guard noteOrigin(authorization, identity, of: number, verified: token), configured.isCurrent(services)
            else {
                origins[number] = nil
                guard configured.mayVerifyAgain else {
                    return authenticated(authorization, for: purpose, .refused(.unavailable), by: configured)
                }
                return authenticate(authorization, for: purpose, after: configured)
            }
            explains = services.state.mayExplain(authorization)
            if services.state.requests.isOn { callerName = name(ofKeyIn: authorization, identity) }
            perform(session.authenticated(purpose, .identity(identity), at: now))
            (explains, callerName) = (false, nil)
            // A query or mutation, or one that was refused.
            if subscriptions[number] == nil { origins[number] = nil }
        case (.identity(let identity), _): perform(session.authenticated(purpose, .identity(identity), at: now))
        }
    }

    /// Notes the credentials by which an operation begins, so that it ends when they are withdrawn.
    ///
    /// - Parameter verified: The token, if it was verified now. It counts only where ends of sessions do not: otherwise the
    ///   cache decides, which has no tokens of ended sessions.
    /// - Returns: Whether they are still accepted. If not, a session may have ended, or a reload may have come, while the
    ///   decision was on its way to this loop, so they have to be verified again.
    private func noteOrigin(
        _ authorization: RealtimeAuthorization, _ identity: Identity, of number: Int, verified: TokenIdentity?
    ) -> Bool {
        guard let servedAPI = services.servedAPI else { return true }
        let credentials = RealtimeCredentials(authorization: authorization)
        var token: TokenIdentity?
        if identity.mode == .userPools, let service = services.state.userPools.withLock({ $0 }) {
            token = unsafe credentials.withBearerToken { token in
                unsafe token.flatMap { unsafe service.tokenCache.find($0, by: nil) }?.token
            }
            if token == nil, servedAPI.acceptsRevokedTokens { token = verified }
            if token == nil, servedAPI.issuerMode?.issuer(of: identity) == nil { return false }
        }
        guard let origin = servedAPI.origin(of: credentials, identity, userPoolToken: token) else { return false }
        origins[number] = origin
        services.keep(self)
        return true
    }

    /// Ends the subscriptions that were begun by tokens of a session, a user, a client or a pool that has ended, or by
    /// temporary credentials of such a user.
    func end(_ ended: UserPoolServices.Ended) {
        guard services.servedAPI?.acceptsRevokedTokens != true else { return }
        end(.sessionEnded) { origin in
            switch origin {
            case .userPool(let token): ended.concerns(token)
            case .signature(let origin):
                origin.identity.claim("cognitoIdentityAuthProvider")?.stringValue.map(ended.concerns(provider:))
                    ?? false
            case .apiKey, .issuer, .authorizer: false
            }
        }
    }

    /// Ends the subscriptions that were begun by credentials that the API no longer accepts.
    func endSubscriptions(notAcceptedBy servedAPI: ServedAPI) {
        end(.permissionDenied) { !servedAPI.accepts($0) }
    }

    private func end(_ error: RealtimeError, where isWithdrawn: (CredentialOrigin) -> Bool) {
        for (number, origin) in origins where isWithdrawn(origin) {
            origins[number] = nil
            end(number, [error])
        }
    }

    private func subscribe(_ number: Int, _ envelope: [UInt8], as identity: Identity) {
        // Without a frame the client has stopped what it started in the same batch of messages.
        guard let context = services.context, let api = services.servedAPI?.api, let frame = session.frame(of: number)
        else {
            return
        }
        guard let request = Self.read(envelope, on: context, for: api) else {
            return perform(session.subscribed(number, .unreadable))
        }
        let start = EventLoop.uptimeNanoseconds
        let subscription = RealtimeSubscription(number, frame, of: self)
        switch api.subscribe(
            to: request, as: identity, id: session.lastingID(of: number), besides: Array(subscriptions.values),
            on: context, for: subscription)
        {
        case .subscribed(let handle):
            subscriptions[number] = handle
            record(envelope, as: identity, EventLoop.uptimeNanoseconds - start, 200, [], type: "subscription")
            perform(session.subscribed(number, .subscribed))
            context.replay(to: handle)
        case .refused(var errors, let report):
            services.state.metrics.countErrors(errors.map { $0.errorType ?? "request" })
            let kind = AnswerKind(errors, report)
            logAnswer("A subscription was refused", kind)
            record(
                envelope, as: identity, EventLoop.uptimeNanoseconds - start, kind.status,
                errors.map { $0.errorType ?? "request" }, report,
                type: "subscription")
            if explains, !errors.isEmpty { errors[0].explanation = report.explanation }
            perform(session.subscribed(number, .refused(errors)))
        case .otherOperation(let name): perform(session.subscribed(number, .otherOperation(name)))
        }
    }

    /// Runs a query or mutation. What refuses a request before it is executed is an `error` of the protocol, as the
    /// newer media type of GraphQL over HTTP has it.
    private func execute(_ number: Int, _ envelope: [UInt8], as identity: Identity) {
        guard let context = services.context, let api = services.servedAPI?.api,
            let request = Self.read(envelope, on: context, for: api)
        else {
            return
        }
        let start = EventLoop.uptimeNanoseconds
        let client = ReadClient(ObjectIdentifier(self), address: addressHash) { [self] in
            isClosed.load(ordering: .relaxed)
        }
        var options = AnswerOptions(refusesRequestErrors: true)
        options.explainsRules = explains
        options.notesWork = explains || services.state.requests.isOn
        let (explains, callerName) = (explains, callerName)
        unsafe api.respond(to: request, as: identity, on: context, options: options, client: client) {
            [self] kind, answer in
            if !kind.errorTypes.isEmpty { services.state.metrics.countErrors(kind.errorTypes) }
            let nanoseconds = EventLoop.uptimeNanoseconds - start
            kind.report.operation?.answered(nanoseconds: nanoseconds, isFailure: kind.isFailure)
            logAnswer("An operation over a WebSocket", kind, nanoseconds)
            if services.state.requests.isOn {
                unsafe record(
                    envelope, as: identity, named: callerName, nanoseconds, kind.status, kind.errorTypes, kind.report,
                    answer)
            }
            guard explains, kind.status == 200, let explanation = kind.report.explanation else {
                return unsafe perform(session.executed(number, isResult: kind.status == 200, answer))
            }
            let explained = unsafe explanation.added(to: answer, kind.report)
            unsafe explained.withUnsafeBytes { unsafe perform(session.executed(number, isResult: true, $0)) }
        }
    }

    private func name(ofKeyIn authorization: RealtimeAuthorization, _ identity: Identity) -> String? {
        guard identity.mode == .apiKey else { return nil }
        return unsafe RealtimeCredentials(authorization: authorization).withAPIKey { key in
            unsafe key.flatMap { unsafe services.servedAPI?.authenticator.apiKeys?.name($0) }
        }
    }

    /// Records an operation without an answer for operators, while requests are recorded.
    private func record(
        _ envelope: [UInt8], as identity: Identity?, _ nanoseconds: Int64, _ status: Int, _ errorTypes: [String],
        _ report: AnswerReport? = nil, type: String? = nil
    ) {
        unsafe record(
            envelope, as: identity, named: nil, nanoseconds, status, errorTypes, report, type: type,
            UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// The same of an operation that was answered.
    private func record(
        _ envelope: [UInt8], as identity: Identity?, named name: String?, _ nanoseconds: Int64, _ status: Int,
        _ errorTypes: [String], _ report: AnswerReport?, type: String? = nil, _ answer: UnsafeRawBufferPointer
    ) {
        let requests = services.state.requests
        guard requests.isOn, let loop = socket?.loop else { return }
        unsafe requests.add(
            RecordedRequest(
                loop.makeRequestID(), by: person == nil ? .webSocket : .operators, from: peer, client: client,
                as: identity, named: name ?? callerName,
                envelope, type: type, endingAt: WallClock.system.milliseconds(), nanoseconds: nanoseconds,
                status: status, errorTypes: errorTypes, report, answer, keepsContent: requests.isKeepingContents))
    }

    private func logRefusal(_ refusal: AuthenticationRefusal, _ purpose: RealtimeSession.Purpose) {
        let subject = purpose == .connection ? "a WebSocket" : "an operation over a WebSocket"
        let outcome = LoggedAnswer.Outcome(status: refusal.status, isFailure: true)
        services.state.answers.logAnswer(outcome, on: socket?.loop) {
            var answer = LoggedAnswer(
                message: "The credentials of \(subject) were refused", requestID: requestID, peer: peer)
            answer.add(refusal.problem, cause: nil)
            return answer
        }
    }

    private func logAnswer(_ message: String, _ kind: AnswerKind, _ nanoseconds: Int64? = nil) {
        let outcome = LoggedAnswer.Outcome(status: kind.status, isFailure: kind.isFailure, nanoseconds: nanoseconds)
        services.state.answers.logAnswer(outcome, on: socket?.loop) {
            LoggedAnswer(
                message: message, requestID: requestID, peer: peer,
                errorType: kind.errorType ?? kind.errorTypes.first, report: kind.report,
                explainsRules: services.state.mode == .dev)
        }
    }

    private static func read(_ envelope: [UInt8], on context: LoopContext, for api: GraphQLAPI) -> GraphQLRequest? {
        unsafe envelope.withUnsafeBytes { bytes in try? unsafe context.readRequest(bytes, for: api) }
    }

    /// Has the session woken when it wants to be.
    ///
    /// No timer is ever cancelled, because a loop looks through all of its timers to find the one; one that comes too
    /// early, or when the socket has closed, does no harm. None waits for longer than a minute, so that few come early
    /// and what they hold is released soon.
    private func setTimer() {
        let now = now
        let due = min(session.dueMilliseconds, now + 60_000)
        guard let loop = socket?.loop, due < timerDue else { return }
        timerDue = due
        loop.schedule(afterMilliseconds: Int(max(due - now, 0))) { [weak self] in self?.timerCame(due) }
    }

    private func timerCame(_ due: Int64) {
        if due == timerDue { timerDue = .max }
        guard socket != nil else { return }
        perform(session.woken(at: now))
        setTimer()
    }
}

// MARK: - Operators

extension RealtimeConnection {
    /// Has the secret of an operator's page checked, and finds out whom the operations run as: at each one anew, because a user
    /// may have been disabled meanwhile.
    private func authenticate(
        _ authorization: RealtimeAuthorization, of person: RealtimeOperator, for purpose: RealtimeSession.Purpose
    ) {
        guard let loop = socket?.loop else { return }
        // At each operation too: `checkPresence` may come a second later.
        guard person.presence.isCurrent() else { return close(OperatorPresence.signedOut, "The session has ended.") }
        if purpose == .connection {
            guard person.presence.accepts(csrf: authorization["csrf"]) else {
                return close(OperatorPresence.secretIsMissing, "The csrf is not that of the session.")
            }
            guard let asked = OperatorGraphQLCall.Caller(authorization["x-syncline-as"] ?? "admin") else {
                return close(OperatorPresence.secretIsMissing, OperatorGraphQLCall.Caller.forms("x-syncline-as"))
            }
            self.asked = asked
        }
        if case .operation(let number) = purpose {
            undecided.append(number)
            if undecided.count > 1 { return }
        }
        decide(purpose, of: person, on: loop)
    }

    /// Decides whom an operation or the connection runs as, and then the operations that wait, one after the other.
    private func decide(_ purpose: RealtimeSession.Purpose, of person: RealtimeOperator, on loop: EventLoop) {
        var envelope: [UInt8]?
        if case .operation(let number) = purpose { envelope = session.envelope(of: number) }
        person.decide(asked, envelope, on: loop) { [weak self] result in
            guard let self, socket != nil else { return }
            switch result {
            case .success(let decided): authenticated(decided, for: purpose)
            case .failure(let problem): refuse(purpose, problem)
            }
            if case .operation = purpose { undecided.removeFirst() }
            setTimer()
            if case .operation = purpose, let next = undecided.first, socket != nil {
                decide(.operation(next), of: person, on: loop)
            }
        }
    }

    private func authenticated(_ decided: RealtimeOperator.Decided, for purpose: RealtimeSession.Purpose) {
        switch decided.credentials {
        case .headers(let headers): authenticate(RealtimeAuthorization(headers), for: purpose, after: nil)
        case .identity(let identity, let origin):
            if case .operation(let number) = purpose, let origin {
                origins[number] = origin
                services.keep(self)
            }
            callerName = decided.callerName
            perform(session.authenticated(purpose, .identity(identity), at: now))
            callerName = nil
            if case .operation(let number) = purpose, subscriptions[number] == nil { origins[number] = nil }
        }
    }

    private func refuse(_ purpose: RealtimeSession.Purpose, _ problem: OperatorProblem) {
        let isBusy = problem.code == .limited || problem.code == .unavailable
        if purpose == .connection, !isBusy { return close(OperatorPresence.secretIsMissing, problem.message) }
        perform(session.authenticated(purpose, isBusy ? .throttled : .refused(problem.message), at: now))
    }

    private func close(_ code: UInt16, _ reason: String) {
        socket?.close(WebSocketCloseCode(rawValue: code), reason: reason)
    }

    /// Closes once the operator is signed out; until then looks again each second.
    private func checkPresence() {
        guard let socket, let person else { return }
        guard person.presence.isCurrent() else { return close(OperatorPresence.signedOut, "The session has ended.") }
        socket.loop.schedule(afterMilliseconds: ConsoleLimits.presenceMilliseconds) { [weak self] in
            self?.checkPresence()
        }
    }
}

// MARK: - Events of the API

extension RealtimeConnection {
    /// Sends events in one write; all sockets of the loop share the payloads. One that is too large is dropped, as at
    /// AppSync (reference: appsync-protocol, "Limits").
    func deliver(_ messages: ArraySlice<EventMessage>, in frame: RealtimeFrame) {
        guard let socket, let servedAPI = services.servedAPI else { return }
        let bytesMax = servedAPI.realtimeLimits.subscriptionPayloadBytesMax
        socket.gather {
            for (message, payload) in zip(messages, services.sharedBytes(of: messages)) {
                guard message.payload.count <= bytesMax else {
                    services.state.metrics.eventDropped()
                    continue
                }
                unsafe frame.prefix.withUnsafeBytes { prefix in
                    unsafe frame.suffix.withUnsafeBytes { suffix in unsafe socket.send(prefix, payload, suffix) }
                }
            }
        }
    }

    func end(_ number: Int, _ errors: [RealtimeError]) {
        services.state.metrics.countErrors(errors.map { $0.errorType ?? "request" })
        perform(session.ended(number, errors))
        setTimer()
    }
}

extension RealtimeError {
    fileprivate static let sessionEnded = RealtimeError(
        errorType: "UnauthorizedException", message: "The session has ended.")
}
