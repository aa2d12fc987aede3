/// Since when a connection waits for its client, in seconds of a clock that is passed in.
struct ConnectionDeadlines {
    /// When the client last sent something or was answered.
    private(set) var lastActivity: Int
    /// When what is awaited began to be awaited.
    private(set) var waitsSince = 0
    private var awaited = (phase: RequestParser.Phase.idle, issuedCount: 0)

    init(now: Int) { lastActivity = now }

    /// Whether a part of a request is awaited.
    var awaitsPart: Bool { awaited.phase != .idle }

    mutating func noteActivity(now: Int) { lastActivity = now }

    mutating func restart(now: Int) { waitsSince = now }

    /// When another message or another part of it begins to be awaited, its time begins.
    mutating func noteAwaited(_ phase: RequestParser.Phase, issuedCount: Int, now: Int) {
        guard phase != awaited.phase || issuedCount != awaited.issuedCount else { return }
        awaited = (phase, issuedCount)
        waitsSince = now
    }
}
