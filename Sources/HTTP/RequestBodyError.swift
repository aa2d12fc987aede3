/// Why the rest of a body does not come.
public enum RequestBodyError: Error, Sendable, Hashable {
    /// The connection ended.
    case disconnected
    /// The request was answered, and the rest is not received.
    case answered
    /// The body is malformed, larger than the route takes, or too slow. The answer should say so.
    case refused(Refusal)
}
