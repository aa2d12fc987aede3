/// Who speaks through a WebSocket. Called on the socket's loop only, and kept until `closed`.
public protocol WebSocketHandler: AnyObject {
    /// The first call: messages may be sent from now on. It is not called for a socket that never opens, because its
    /// connection was lost before the answers ahead of the upgrade had left, or because the server shuts down.
    func opened(_ socket: WebSocket)

    /// One whole text message, valid UTF-8; the bytes are valid during the call.
    func received(_ text: UnsafeRawBufferPointer, on socket: WebSocket)

    /// The last call, exactly once after `opened`, when either side has sent its close frame: nothing will be received
    /// from now on, and what is sent goes nowhere. `code` is the client's, or the server's if that was first; nil
    /// without a close frame, when the connection was lost. Never called from within `send` or `close`.
    func closed(_ code: WebSocketCloseCode?, on socket: WebSocket)
}
