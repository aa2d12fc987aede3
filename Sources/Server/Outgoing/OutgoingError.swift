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
