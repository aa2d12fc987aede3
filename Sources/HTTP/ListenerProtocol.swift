/// What clients may speak at a listening socket.
public enum ListenerProtocol: String, Sendable, Hashable, CaseIterable {
    /// TLS or clear text, which the first byte of a connection decides.
    case any
    /// Only TLS: clear text is answered 400.
    case tls
    /// Clear text, whose requests the responder is to redirect: `Request.isToBeRedirected`. TLS is closed without an answer,
    /// because there is nothing to serve by it.
    case redirect
}
