import NIOCore

/// An answer that is ready before its turn.
struct WaitingAnswer {
    var bytes: ByteBuffer
    /// Whether the connection ends with it.
    var closes: Bool
    /// Whether the connection becomes a WebSocket with it.
    var upgrades = false
    /// Whether its body is sent afterwards, in parts.
    var hasParts = false
}
