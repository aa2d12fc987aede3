import HTTP
import JSON

/// One page at the live channel, `syncline.live.v1`: it proves that it is a page of this origin, names the topics that it follows,
/// and is sent their messages until its session ends.
///
/// `@unchecked Sendable`: made and used on the loop of its socket only. Timers and messages, whose closures must be Sendable, come
/// back on that loop.
final class LiveConnection: WebSocketHandler, @unchecked Sendable {
    static let subprotocol = "syncline.live.v1"

    static let limits: WebSocketLimits = {
        var limits = WebSocketLimits()
        limits.messageBytesMax = ConsoleLimits.liveRequestBytesMax
        limits.outgoingBytesMax = ConsoleLimits.liveWaitingBytesMax
        limits.pingSeconds = ConsoleLimits.livePingSeconds
        return limits
    }()

    private let topics: LiveTopics
    private let presence: OperatorPresence
    /// Nil before it has opened and from its close on.
    private var socket: WebSocket?
    /// Whether the page has presented its session's secret.
    private var isAccepted: Bool
    private var hasFollowed = false
    /// The messages of the page in the last seconds.
    private var (requestStart, requestCount) = (Int64.min, 0)

    init(_ topics: LiveTopics, _ presence: OperatorPresence) {
        (self.topics, self.presence) = (topics, presence)
        isAccepted = !presence.needsSecret
    }

    private var id: ObjectIdentifier { ObjectIdentifier(self) }

    func opened(_ socket: WebSocket) {
        self.socket = socket
        let loop = socket.loop
        let isAdmitted = topics.join(id) { [weak self] text in
            loop.execute { [weak self] in self?.send(text) }
        }
        // IANA, "WebSocket Close Code Number Registry": 1013, Try Again Later.
        guard isAdmitted else { return close(1013, "Too many pages are open.") }
        loop.schedule(afterMilliseconds: ConsoleLimits.socketSecretSeconds * 1_000) { [weak self] in
            guard let self, !isAccepted else { return }
            close(OperatorPresence.secretIsMissing, "The first message has the csrf of the session.")
        }
        checkPresence()
    }

    func received(_ text: UnsafeRawBufferPointer, on socket: WebSocket) {
        guard isWithinRate else { return close(4429, "Too many messages.") }
        guard let message = try? unsafe JSONReader.read(text, depthMax: 8), message.objectValue != nil else {
            return close(4400, "A message is a JSON object.")
        }
        if !isAccepted {
            guard presence.isCurrent() else { return close(OperatorPresence.signedOut, "The session has ended.") }
            guard presence.accepts(csrf: message["csrf"]?.stringValue) else {
                return close(OperatorPresence.secretIsMissing, "The csrf is not that of the session.")
            }
            isAccepted = true
        }
        guard let asked = message["follow"] else { return }
        let names = asked.arrayValue ?? []
        let since = message["since"]?.intValue
        guard asked.arrayValue != nil, names.count <= ConsoleLimits.liveFollowedCountMax,
            names.allSatisfy({ $0.stringValue != nil }), message["since"] == nil || since != nil
        else { return close(4400, "'follow' is a list of at most \(ConsoleLimits.liveFollowedCountMax) topics.") }
        follow(Set(names.compactMap { $0.stringValue.flatMap(LiveTopic.init) }), since: since)
    }

    /// Only the first list resumes: what a page follows later, it has not followed before.
    private func follow(_ topics: Set<LiveTopic>, since: Int64?) {
        guard let accepted = self.topics.follow(topics, since: hasFollowed ? nil : since, id) else { return }
        hasFollowed = true
        let answer: JSONValue = [
            "following": .array(accepted.topics.map(\.text).sorted().map(JSONValue.string)),
            "n": .number(String(accepted.following.number)),
        ]
        send(Array(answer.description.utf8))
        for topic in accepted.unknown.sorted(by: { $0.text < $1.text }) { send(topic.refusal) }
        for message in accepted.following.missed { send(message.text) }
    }

    func closed(_ code: WebSocketCloseCode?, on socket: WebSocket) {
        self.socket = nil
        topics.leave(id)
    }

    // MARK: - Parts

    private func send(_ text: [UInt8]) { unsafe text.withUnsafeBytes { unsafe socket?.send($0) } }

    private func close(_ code: UInt16, _ reason: String) {
        socket?.close(WebSocketCloseCode(rawValue: code), reason: reason)
    }

    private var isWithinRate: Bool {
        let now = EventLoop.uptimeNanoseconds / 1_000_000_000
        if requestStart == .min || now - requestStart >= Int64(ConsoleLimits.liveRequestSeconds) {
            (requestStart, requestCount) = (now, 0)
        }
        requestCount += 1
        return requestCount <= ConsoleLimits.liveRequestCountMax
    }

    /// Closes once the operator is signed out; until then looks again each second.
    private func checkPresence() {
        guard let socket else { return }
        guard presence.isCurrent() else { return close(OperatorPresence.signedOut, "The session has ended.") }
        socket.loop.schedule(afterMilliseconds: ConsoleLimits.presenceMilliseconds) { [weak self] in
            self?.checkPresence()
        }
    }
}
