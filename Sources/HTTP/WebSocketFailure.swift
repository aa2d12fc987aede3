/// Why a client's frames are no longer read: what its close frame says. RFC 6455 §7.1.7.
struct WebSocketFailure: Error, Equatable {
    let code: WebSocketCloseCode
    /// One sentence of at most 123 bytes, so that it fits a close frame.
    let reason: String

    static func malformed(_ reason: String) -> WebSocketFailure {
        WebSocketFailure(code: .protocolError, reason: reason)
    }
}
