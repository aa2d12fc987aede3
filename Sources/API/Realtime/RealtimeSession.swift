import JSON

/// One client's conversation over a WebSocket: messages, decisions and the time go in, actions come out.
///
/// A state machine without sockets, clock or GraphQL: its owner carries out the actions in their order and reports their
/// results. It speaks three protocols, which it distinguishes by the opening
/// (reference: appsync-protocol, "Realtime connection"): the subprotocol `graphql-transport-ws`; `graphql-ws` with
/// AppSync's carrier of authorization, which is AppSync; and `graphql-ws` without, which is Apollo's older protocol if
/// `connection_init` brings credentials.
///
/// Events do not pass through it: their owner puts them between the pieces of `frame(of:)`, from `start_ack` until
/// `unsubscribe`. Invariants: no message of an operation follows its one `complete` or `error` (a stop of an unknown
/// operation is answered all the same, because AppSync's clients wait for that); no more than
/// `subscriptionsPerConnectionMax` operations are open at one time; no message follows `close`.
///
/// Times are milliseconds of a clock that never goes back.
public struct RealtimeSession: Sendable {
    /// What the owner does, in order.
    public enum Action: Sendable, Hashable {
        /// Sends one text message.
        case send([UInt8])
        /// Finds out who is asking, and calls `authenticated`, now or later.
        case authenticate(RealtimeAuthorization, Purpose)
        /// Registers a subscription under a number, and calls `subscribed`.
        case subscribe(Int, envelope: [UInt8], as: Identity)
        /// Runs a query or mutation, and calls `executed`, now or later.
        case execute(Int, envelope: [UInt8], as: Identity)
        /// Cancels an operation: events and answers of this number are dropped from now on. It may be unknown by then.
        case unsubscribe(Int)
        /// Closes the socket; the last action of all. The reason may be longer than a close frame holds.
        case close(code: UInt16, reason: String)
    }

    /// What credentials are for.
    public enum Purpose: Sendable, Hashable {
        /// The connection.
        case connection
        /// The operation of this number.
        case operation(Int)
    }

    /// What credentials came to.
    public enum Decision: Sendable, Hashable {
        /// Authorized as this identity.
        case identity(Identity)
        /// Not authorized; the message is AppSync's.
        case refused(String)
        /// Not decided: the server has no room for it at present, and the client may try again.
        case throttled
    }

    /// What became of a `subscribe`.
    public enum Registration: Sendable, Hashable {
        /// Events come from now on.
        case subscribed
        /// The document, its variables or the caller were refused.
        case refused([RealtimeError])
        /// The operation is no subscription but a `query` or a `mutation`.
        case otherOperation(String)
        /// The envelope is no GraphQL request.
        case unreadable
    }

    enum Phase: Sendable, Hashable {
        /// The client has to send a message first: it is not authenticated yet.
        case waiting
        /// The connection's credentials are being looked at.
        case authenticating
        /// Operations are served.
        case open
        /// The error is sent; the socket closes after the time in which the client may read it.
        case ending
        case closed
    }

    /// An operation that the client has started and that has not ended.
    struct Operation: Sendable {
        enum Stage: Sendable, Hashable {
            case authenticating(envelope: [UInt8])
            case subscribing(envelope: [UInt8], Identity)
            case subscribed
            case executing
        }

        let number: Int
        let id: String
        var stage: Stage
    }

    let limits: RealtimeLimits
    private(set) var phase = Phase.waiting
    /// Nil until it is known.
    private(set) var dialect: RealtimeDialect?
    /// The credentials of the connection, by which its operations are authenticated in the dialects whose operations bring
    /// none; nil until they were accepted.
    private var connectionCredentials: RealtimeAuthorization?
    /// Few, and mostly one: looked through from the first to the last.
    private var operations: [Operation] = []
    private var lastNumber = 0
    /// What the opening brought, until it was looked at.
    private var carrier: RealtimeOpening.Carrier
    private let hasProtocol: Bool
    /// Messages that came while the connection's credentials were looked at.
    private var waitingMessages: [[UInt8]] = []
    private var waitingByteCount = 0

    /// The times at which something is due.
    private var connectionEnd: Int64 = .max
    private var initEnd: Int64 = .max
    private var keepAliveDue: Int64 = .max
    private var graceEnd: Int64 = .max

    /// A session for a client that has asked for a WebSocket.
    public init(_ opening: RealtimeOpening, limits: RealtimeLimits = RealtimeLimits()) {
        self.limits = limits
        let known = opening.subprotocols.first { Self.dialects.contains($0) }
        subprotocol = known
        hasProtocol = known != nil
        carrier = opening.carrier(bytesMax: limits.authorizationBytesMax)
        if known == Self.transportProtocol { dialect = .transport } else if carrier != .none { dialect = .appSync }
    }

    /// The subprotocol that is spoken, to be named in the answer to the handshake; never one of the carrier's.
    public let subprotocol: String?

    private static let transportProtocol = "graphql-transport-ws"
    private static let dialects = ["graphql-ws", transportProtocol]

    /// When `woken` is to be called, in milliseconds; it does nothing when it is called too early.
    public var dueMilliseconds: Int64 { min(min(connectionEnd, initEnd), min(keepAliveDue, graceEnd)) }
}

// MARK: - The connection

extension RealtimeSession {
    /// The WebSocket is open.
    public mutating func opened(at now: Int64) -> [Action] {
        connectionEnd = now + Int64(limits.connectionSeconds) * 1000
        guard hasProtocol else { return refuse(.noProtocol, code: 400, at: now) }
        if dialect == .appSync {
            guard case .found(let authorization) = carrier else {
                return refuse(.unreadableAuthorization, code: 400, at: now)
            }
            carrier = .none
            phase = .authenticating
            return [.authenticate(authorization, .connection)]
        }
        initEnd = now + Int64(limits.connectionInitSeconds) * 1000
        return []
    }

    /// One whole text message has come.
    public mutating func receive(_ text: UnsafeRawBufferPointer, at now: Int64) -> [Action] {
        switch phase {
        case .ending, .closed: return []
        case .authenticating where dialect != .transport: return unsafe wait(text)
        case .waiting, .authenticating, .open: return unsafe read(text, at: now)
        }
    }

    /// The credentials that an `authenticate` named were looked at.
    public mutating func authenticated(_ purpose: Purpose, _ decision: Decision, at now: Int64) -> [Action] {
        switch purpose {
        case .connection: connectionAuthenticated(decision, at: now)
        case .operation(let number): operationAuthenticated(number, decision)
        }
    }

    /// The envelope of an operation whose caller is looked at; nil of others.
    public func envelope(of number: Int) -> [UInt8]? {
        guard let index = index(of: number), case .authenticating(let envelope) = operations[index].stage else {
            return nil
        }
        return envelope
    }

    /// The time has come that `dueMilliseconds` named.
    public mutating func woken(at now: Int64) -> [Action] {
        if now >= graceEnd { return close(1000, "") }
        if now >= connectionEnd { return close(1001, "The connection has reached its age.") }
        if now >= initEnd {
            return dialect == .transport
                ? close(4408, "Connection initialisation timeout") : refuse(.missingAuthorization, code: 401, at: now)
        }
        guard now >= keepAliveDue else { return [] }
        keepAliveDue = now + Int64(limits.keepAliveSeconds) * 1000
        return [.send(RealtimeFrames.keepAlive)]
    }

    /// The socket is closed, by either side.
    public mutating func closed() -> [Action] {
        let actions = operations.map { Action.unsubscribe($0.number) }
        operations = []
        stop(.closed)
        return actions
    }

    private mutating func read(_ text: UnsafeRawBufferPointer, at now: Int64) -> [Action] {
        let message: RealtimeMessage
        do { message = try unsafe RealtimeMessage(text) } catch { return receiveUnreadable() }
        switch dialect {
        case .appSync: return receiveAppSync(message, at: now)
        case .apollo: return receiveApollo(message, at: now)
        case .transport: return receiveTransport(message, at: now)
        case nil: return receiveFirst(message, at: now)
        }
    }

    /// What is no JSON object: an error in the words of the dialect.
    private func unreadableError() -> [UInt8] {
        dialect == .apollo
            ? RealtimeFrames.connectionError(.unreadableMessage, code: 400)
            : RealtimeFrames.error(id: nil, [.unreadableMessage], .appSync)
    }

    private mutating func receiveUnreadable() -> [Action] {
        dialect == .transport ? close(4400, "Invalid message") : [.send(unreadableError())]
    }

    /// The first message of a client without a carrier. Who brings credentials is Apollo's; any other client is asked for
    /// them, since AppSync accepts no client without a carrier, whatever its `start` brings.
    private mutating func receiveFirst(_ message: RealtimeMessage, at now: Int64) -> [Action] {
        if message.kind == .connectionTerminate { return close(1000, "") }
        guard message.kind == .connectionInit else { return refuse(.missingAuthorization, code: 401, at: now) }
        guard let authorization = connectionAuthorization(message) else {
            return refuse(.unreadableAuthorization, code: 400, at: now)
        }
        guard authorization.hasCredentials else { return refuse(.missingAuthorization, code: 401, at: now) }
        dialect = .apollo
        return authenticate(authorization)
    }

    /// The credentials of `connection_init`; nil if they are longer than `authorizationBytesMax`.
    func connectionAuthorization(_ message: RealtimeMessage) -> RealtimeAuthorization? {
        unsafe RealtimeAuthorization(connectionParams: message.payload, bytesMax: limits.authorizationBytesMax)
    }

    /// Has the credentials of `connection_init` looked at; without any, those of the opening.
    mutating func authenticate(_ authorization: RealtimeAuthorization) -> [Action] {
        var authorization = authorization
        if !authorization.hasCredentials, case .found(let carried) = carrier { authorization = carried }
        carrier = .none
        initEnd = .max
        phase = .authenticating
        connectionCredentials = authorization.credentials
        return [.authenticate(authorization, .connection)]
    }

    private mutating func connectionAuthenticated(_ decision: Decision, at now: Int64) -> [Action] {
        guard phase == .authenticating else { return [] }
        switch decision {
        case .refused(let message):
            return dialect == .transport
                ? close(4403, "Forbidden") : refuse(.unauthorized(message), code: 401, at: now)
        case .throttled:
            // IANA, "WebSocket Close Code Number Registry": 1013, Try Again Later.
            return dialect == .transport
                ? close(1013, "Try again later") : refuse(.rateLimitExceeded, code: 429, at: now)
        case .identity:
            phase = .open
            // AppSync's client still has to ask for its acknowledgement; the others have.
            var actions = dialect == .appSync ? [] : acknowledge(at: now)
            let messages = waitingMessages
            waitingMessages = []
            for message in messages { unsafe actions += message.withUnsafeBytes { unsafe receive($0, at: now) } }
            return actions
        }
    }

    /// The acknowledgement, and the first `ka` right after it where the dialect has one: Apollo's clients of AppSync
    /// arm their timers by it.
    mutating func acknowledge(at now: Int64) -> [Action] {
        guard let dialect else { return [] }
        let ack = Action.send(RealtimeFrames.connectionAck(dialect))
        guard dialect != .transport else { return [ack] }
        keepAliveDue = now + Int64(limits.keepAliveSeconds) * 1000
        return [ack, .send(RealtimeFrames.keepAlive)]
    }

    /// Sends `ka` from now on, for a client that started without `connection_init`.
    mutating func keepAlive(from now: Int64) {
        keepAliveDue = min(keepAliveDue, now + Int64(limits.keepAliveSeconds) * 1000)
    }

    private mutating func wait(_ text: UnsafeRawBufferPointer) -> [Action] {
        waitingByteCount += text.count
        guard waitingMessages.count < limits.waitingMessagesMax, waitingByteCount <= limits.waitingBytesMax else {
            return close(1008, "Too many messages before connection_ack")
        }
        unsafe waitingMessages.append([UInt8](text))
        return []
    }

    /// Says `connection_error` and closes a little later, so that the client reads it first
    /// (reference: appsync-protocol, "Connection handshake").
    private mutating func refuse(_ error: RealtimeError, code: Int64, at now: Int64) -> [Action] {
        stop(.ending)
        graceEnd = now + RealtimeLimits.graceMilliseconds
        return [.send(RealtimeFrames.connectionError(error, code: code))]
    }

    /// Cancels all operations and closes.
    mutating func close(_ code: UInt16, _ reason: String) -> [Action] {
        closed() + [.close(code: code, reason: reason)]
    }

    private mutating func stop(_ phase: Phase) {
        self.phase = phase
        (connectionEnd, initEnd, keepAliveDue, graceEnd) = (.max, .max, .max, .max)
        waitingMessages = []
        carrier = .none
        connectionCredentials = nil
    }
}

// MARK: - Operations

extension RealtimeSession {
    /// What came of a `subscribe`.
    public mutating func subscribed(_ number: Int, _ registration: Registration) -> [Action] {
        guard let dialect, let index = index(of: number),
            case .subscribing(let envelope, let identity) = operations[index].stage
        else {
            // The client did not wait; the owner lets go what it registered meanwhile.
            return registration == .subscribed ? [.unsubscribe(number)] : []
        }
        let id = operations[index].id
        switch registration {
        case .subscribed:
            operations[index].stage = .subscribed
            return dialect == .appSync ? [.send(RealtimeFrames.startAck(id: id))] : []
        case .otherOperation(let word):
            guard dialect != .appSync else { return fail(at: index, [.unsupported(word)]) }
            operations[index].stage = .executing
            return [.execute(number, envelope: envelope, as: identity)]
        case .refused(let errors): return fail(at: index, errors)
        case .unreadable:
            return fail(at: index, [dialect == .appSync ? .unsupported("unknown") : .unreadableOperation])
        }
    }

    /// A query or mutation was answered. An answer that is no result, because the request was refused before it was
    /// executed, is `{"errors":[…]}`.
    public mutating func executed(_ number: Int, isResult: Bool, _ answer: UnsafeRawBufferPointer) -> [Action] {
        guard let dialect, let index = index(of: number), operations[index].stage == .executing else { return [] }
        let id = operations.remove(at: index).id
        guard !isResult else {
            let frame = RealtimeFrame(id: id, dialect: dialect)
            return unsafe [.send(frame.message(answer)), .send(RealtimeFrames.complete(id: id))]
        }
        let (list, message) = unsafe RealtimeMessage.errors(of: answer)
        return [.send(RealtimeFrames.error(id: id, list: list, firstMessage: message, dialect))]
    }

    /// A subscription is over, though the client did not stop it: with errors it ends by them, else by `complete`.
    public mutating func ended(_ number: Int, _ errors: [RealtimeError]) -> [Action] {
        guard let index = index(of: number), operations[index].stage == .subscribed else { return [] }
        guard errors.isEmpty else { return [.unsubscribe(number)] + fail(at: index, errors) }
        let id = operations.remove(at: index).id
        return [.unsubscribe(number), .send(RealtimeFrames.complete(id: id))]
    }

    /// What stands around the payload of each event of a subscription; made once, when it begins. Nil for one that has
    /// ended.
    public func frame(of number: Int) -> RealtimeFrame? {
        guard let dialect, let index = index(of: number) else { return nil }
        return RealtimeFrame(id: operations[index].id, dialect: dialect)
    }

    /// The client's identifier of an operation, by which AppSync's clients begin it again on another socket; nil in other
    /// dialects, whose clients count theirs.
    public func lastingID(of number: Int) -> String? {
        guard dialect == .appSync, let index = index(of: number) else { return nil }
        return operations[index].id
    }

    /// Whether an operation of this identifier has not ended.
    func isActive(_ id: String) -> Bool { operations.contains { $0.id.isExactly(id) } }

    /// Drops the operation of this identifier; nothing happens without one.
    mutating func drop(_ id: String) -> [Action] {
        guard let index = operations.firstIndex(where: { $0.id.isExactly(id) }) else { return [] }
        return [.unsubscribe(operations.remove(at: index).number)]
    }

    /// Begins an operation under an identifier that is free, once its caller is authenticated: by an authorization of its own,
    /// or else by the credentials of the connection, which may have expired or been revoked since it was opened.
    mutating func begin(
        _ id: String, envelope: [UInt8], authorization: RealtimeAuthorization? = nil
    ) -> [Action] {
        let countMax = limits.subscriptionsPerConnectionMax
        guard operations.count < countMax else { return refuse(id, .maxSubscriptionsReached(countMax)) }
        guard let authorization = authorization ?? connectionCredentials else { return refuse(id, .permissionDenied) }
        lastNumber += 1
        operations.append(Operation(number: lastNumber, id: id, stage: .authenticating(envelope: envelope)))
        return [.authenticate(authorization, .operation(lastNumber))]
    }

    /// Refuses an operation that did not begin; its identifier, if it is known, stays free.
    func refuse(_ id: String?, _ error: RealtimeError) -> [Action] {
        [.send(RealtimeFrames.error(id: id, [error], dialect ?? .appSync))]
    }

    /// Refuses a message that is none of the dialect's. If it bears the identifier of a live operation, that ends: a
    /// client takes an error of this identifier for its end.
    mutating func refuseMessage(_ id: String?, _ error: RealtimeError) -> [Action] {
        (id.map { drop($0) } ?? []) + refuse(id, error)
    }

    private mutating func operationAuthenticated(_ number: Int, _ decision: Decision) -> [Action] {
        guard let index = index(of: number), case .authenticating(let envelope) = operations[index].stage else {
            return []
        }
        switch decision {
        case .refused: return fail(at: index, [.permissionDenied])
        case .throttled: return fail(at: index, [.rateLimitExceeded])
        case .identity(let identity):
            operations[index].stage = .subscribing(envelope: envelope, identity)
            return [.subscribe(number, envelope: envelope, as: identity)]
        }
    }

    /// Ends an operation by its errors.
    private mutating func fail(at index: Int, _ errors: [RealtimeError]) -> [Action] {
        let id = operations.remove(at: index).id
        return [.send(RealtimeFrames.error(id: id, errors, dialect ?? .appSync))]
    }

    private func index(of number: Int) -> Int? { operations.firstIndex { $0.number == number } }
}
