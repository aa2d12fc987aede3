import API
import JSON

/// Stands where the server stands: carries out what a session says, by rules simple enough to be written in a
/// transcript, and watches that the session keeps its word.
struct RealtimeTestServer {
    static let key = "da2-fakeApiId123456"

    var session: RealtimeSession
    private(set) var now: Int64 = 0
    /// What was said to the client and not looked at yet.
    private(set) var sent: [String] = []
    private(set) var closing: (code: UInt16, reason: String)?
    /// Credentials and operations that are answered later, in their order.
    private(set) var pending: [RealtimeSession.Action] = []
    /// Whether answers wait for `answerNext`.
    var isSlow = false
    /// Live subscriptions by number, with what stands around their events.
    private(set) var subscriptions: [Int: RealtimeFrame] = [:]

    /// By number: what a subscription or an execution received, and whether it was cancelled.
    private var known: Set<Int> = []
    private var dropped: Set<Int> = []
    /// What the session did that it must not do.
    private(set) var offences: [String] = []

    init(_ opening: RealtimeOpening, limits: RealtimeLimits = RealtimeLimits()) {
        session = RealtimeSession(opening, limits: limits)
    }

    mutating func open() { perform(session.opened(at: now)) }

    mutating func receive(_ text: String) { receive(Array(text.utf8)) }

    mutating func receive(_ text: [UInt8]) {
        if let id = (try? JSONReader.read(text, depthMax: 128))?["id"]?.stringValue { causes[id, default: 0] += 1 }
        unsafe perform(text.withUnsafeBytes { unsafe session.receive($0, at: now) })
    }

    /// Lets time pass, and wakes the session when it asked for it.
    mutating func pass(milliseconds: Int64) {
        let end = now + milliseconds
        while session.dueMilliseconds <= end {
            let due = session.dueMilliseconds
            now = max(now, due)
            perform(session.woken(at: now))
            if session.dueMilliseconds == due { return offences.append("The session asks to be woken for ever.") }
        }
        now = end
    }

    /// An event for the one subscription of this frame.
    mutating func publish(_ payload: String, to number: Int) {
        guard let frame = subscriptions[number] else { return }
        say(frame.prefix + Array(payload.utf8) + frame.suffix)
    }

    mutating func end(_ number: Int, _ errors: [RealtimeError]) {
        let id = subscriptions[number].flatMap { try? JSONReader.read($0.prefix + Array("0".utf8) + $0.suffix)["id"] }
        if let id = id?.stringValue { causes[id, default: 0] += 1 }
        perform(session.ended(number, errors))
    }

    /// The number of the live subscription whose frames bear this identifier.
    func number(of id: String) -> Int? {
        let member = JSONValue.string(id).description
        return subscriptions.first { String(decoding: $0.value.prefix, as: UTF8.self).contains("\"id\":\(member),") }?
            .key
    }

    /// The first of what waits is answered.
    mutating func answerNext() {
        guard !pending.isEmpty else { return }
        answer(pending.removeFirst())
    }

    mutating func lose() { perform(session.closed()) }

    mutating func takeSent() -> [String] {
        defer { sent = [] }
        return sent
    }

    mutating func takeClosing() -> (code: UInt16, reason: String)? {
        defer { closing = nil }
        return closing
    }

    private var isClosed = false

    /// The types of all frames that a server may send, in any dialect.
    private static let types: Set = [
        "connection_ack", "connection_error", "ka", "start_ack", "data", "next", "error", "complete", "pong",
    ]

    private mutating func say(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        sent.append(text)
        if isClosed { offences.append("Something is said behind the close.") }
        guard let message = try? JSONReader.read(bytes), let type = message["type"]?.stringValue,
            Self.types.contains(type)
        else { return offences.append("An invented frame: \(text)") }
        guard let id = message["id"]?.stringValue, type == "complete" || type == "error" else { return }
        if number(of: id) != nil { offences.append("A subscription outlives its end: \(text)") }
        causes[id, default: 0] -= 1
        if causes[id, default: 0] < 0 { offences.append("An end without a cause: \(text)") }
    }

    /// By identifier: how often the client or the server gave a reason to end an operation, less the ends there were.
    private var causes: [String: Int] = [:]

    private mutating func perform(_ actions: [RealtimeSession.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): say(bytes)
            case .close(let code, let reason):
                if isClosed { offences.append("The socket is closed twice.") }
                (isClosed, closing) = (true, (code, reason))
                if !subscriptions.isEmpty { offences.append("A subscription outlives the socket.") }
            case .unsubscribe(let number):
                dropped.insert(number)
                subscriptions[number] = nil
            case .authenticate, .execute:
                if isSlow { pending.append(action) } else { answer(action) }
            case .subscribe: answer(action)
            }
        }
    }

    private mutating func answer(_ action: RealtimeSession.Action) {
        switch action {
        case .authenticate(let authorization, let purpose):
            let isKnown = authorization["x-api-key"] == Self.key
            let decision = RealtimeSession.Decision.refused("You are not authorized to make this call.")
            perform(session.authenticated(purpose, isKnown ? .identity(.apiKey) : decision, at: now))
        case .subscribe(let number, let envelope, _):
            if !known.insert(number).inserted { offences.append("A number is used twice.") }
            let registration = Self.registration(of: envelope)
            if registration == .subscribed { subscriptions[number] = session.frame(of: number) }
            perform(session.subscribed(number, registration))
        case .execute(let number, let envelope, _):
            let query = Self.query(of: envelope) ?? ""
            let type = query.hasPrefix("mutation") ? "Mutation" : "Query"
            let isResult = !query.contains("broken")
            let answer =
                isResult
                ? #"{"data":{"__typename":"\#(type)"}}"# : #"{"errors":[{"path":null,"message":"broken"}]}"#
            unsafe perform(
                Array(answer.utf8).withUnsafeBytes { unsafe session.executed(number, isResult: isResult, $0) })
        case .send, .unsubscribe, .close: break
        }
    }

    private static func query(of envelope: [UInt8]) -> String? {
        (try? JSONReader.read(envelope))?["query"]?.stringValue
    }

    private static func registration(of envelope: [UInt8]) -> RealtimeSession.Registration {
        guard let query = query(of: envelope) else { return .unreadable }
        if query.hasPrefix("mutation") { return .otherOperation("mutation") }
        guard query.hasPrefix("subscription") else { return .otherOperation("query") }
        if query.contains("onSecret") {
            return .refused([
                RealtimeError(
                    errorType: "Unauthorized", message: "Not Authorized to access onSecret on type Subscription")
            ])
        }
        guard query.contains("nope") else { return .subscribed }
        let message =
            "Validation error of type FieldUndefined: Field 'nope' in type 'Subscription' is undefined @ 'nope'"
        return .refused([RealtimeError(message: message)])
    }
}
