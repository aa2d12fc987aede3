import NIOCore

/// An answer that is ready before its turn.
struct WaitingAnswer {
    var bytes: ByteBuffer
    var closes: Bool
    /// What the connection becomes with it.
    var webSocket: WebSocket?
}
