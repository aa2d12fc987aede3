import API

/// A call that the server makes of its own: one POST and its whole answer.
struct OutgoingCall: Sendable {
    /// An `http` or `https` URL, of the configuration.
    var url: String
    /// Header lines beside `Host` and `Content-Length`. None may hold a line break.
    var headers: [(name: String, value: String)]
    var body: [UInt8]
    var limits: OutgoingLimits
    var rules: OutboundRules
    /// What it is made for.
    var purpose = Purpose.conflict
    /// When it has to have ended, however much of its own time is left; nil leaves it all of that.
    var deadline: ContinuousClock.Instant?

    /// What calls are made for. Those of each purpose are counted by themselves, so that many of one do not keep the
    /// others from being made.
    enum Purpose: Sendable, Hashable {
        case conflict, pipeline
    }

    /// What came back; any status is an answer, redirects included.
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
        /// Whether it is the error of a function. AWS Lambda, "Invoke": the header `X-Amz-Function-Error`.
        var isFunctionError = false
    }
}

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

/// Why a call has no answer.
struct OutgoingError: Error {
    enum Code: Sendable, Hashable {
        /// As many calls are under way as may be, and as many wait.
        case tooManyCalls
        /// The call cannot be sent as it is.
        case invalid
        /// No address of the host may be called.
        case forbidden
        /// The name is unknown, nothing listens on the port, or TLS was not agreed on.
        case connection
        /// Not all of the answer came in time.
        case timeout
        /// The answer is larger than allowed.
        case tooLarge
        /// The client has ended.
        case ended
    }

    let code: Code
    /// For the log; it holds nothing of the request's or the answer's headers and bodies.
    let reason: String
}
