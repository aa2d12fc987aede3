/// How the body of a request is received. The responder decides it from the head alone (`Responder.bodyReception`).
public enum BodyReception: Sendable, Hashable {
    /// The responder is given the request whole, its chunks joined and its content decoded. A body of more bytes is
    /// refused with 413; nil stands for `HTTPLimits.bodyBytesMax`.
    case collect(bytesMax: Int? = nil)
    /// The responder is given the head, and reads the body in parts (`Request.stream`): chunks joined, its content as it
    /// was encoded. A body that is known to have more bytes is refused with 413; one that turns out to have fails. A
    /// client that expects `100 Continue` receives it when the first part is asked for.
    case stream(bytesMax: Int)
    /// The responder is given the head, and its answer ends the connection, unless the whole body has arrived with the
    /// head: then it is discarded. No further bytes of the body are received.
    case refuse
}
