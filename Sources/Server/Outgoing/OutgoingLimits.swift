import API

/// The bounds of a call.
struct OutgoingLimits: Sendable, Hashable {
    /// Time for the whole call, in seconds: resolving the name, connecting, TLS, request and answer.
    var seconds: Int
    /// Calls of one purpose at one time; one more waits, or is not begun.
    var callsMax: Int
    /// Calls of one purpose that may wait for others to end.
    var queueCountMax = 0
    /// Bytes of the bodies of those that wait.
    var queueBytesMax = 0
    /// Bytes of an answer's body.
    var answerBytesMax: Int

    /// Time to connect to one address, in seconds.
    static let connectSeconds = 3
    /// Bytes of a request's body: the largest is a function's event.
    static let requestBytesMax = LambdaQuota.eventBytesMax
    /// Bytes of the names and values of an answer's headers.
    static let answerHeaderBytesMax = 32 << 10
    /// How long a connection is kept open without a call, in seconds.
    static let idleSeconds = 30
    /// How long the addresses of a name are kept, in seconds.
    static let addressSeconds = 5
    /// Names that are resolved at one time or wait for it; two are resolved at once.
    static let resolutionsMax = 64
    /// Names whose addresses are kept.
    static let namesMax = 256
    /// Hosts, each at one address, whose connections are kept beside those in use.
    static let hostsMax = 64
}
