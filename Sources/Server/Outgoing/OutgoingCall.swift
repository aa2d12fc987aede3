import API

/// A call that the server makes of its own: one request and its whole answer.
struct OutgoingCall: Sendable {
    /// What it is made by: POST, or GET, which has no body.
    var isGet = false
    /// An `http` or `https` URL, of the configuration.
    var url: String
    /// Header lines beside `Host` and `Content-Length`. None may hold a line break.
    var headers: [(name: String, value: String)]
    var body: [UInt8]
    var limits: OutgoingLimits
    var rules: OutboundRules
    /// What it is made for.
    var purpose = Purpose.conflict
    /// The name of the function that is called; nil if it is none.
    var function: String?
    /// The `Peer.network` of the caller who waits for it; nil if it is not counted by networks.
    var network: String?
    /// When it has to have ended, however much of its own time is left; nil leaves it all of that.
    var deadline: ContinuousClock.Instant?

    /// What calls are made for. Those of each purpose are counted by themselves, so that many of one do not keep the
    /// others from being made.
    enum Purpose: Sendable, Hashable {
        case conflict, pipeline, trigger, objectEvent, identityProvider, authorizer
    }

    /// What came back; any status is an answer, redirects included.
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
        /// Whether it is the error of a function. AWS Lambda, "Invoke": the header `X-Amz-Function-Error`.
        var isFunctionError = false
    }
}
