/// How many connections there are and were.
public struct HTTPStatistics: Sendable, Hashable {
    /// Connections open now.
    public var openCount: Int
    /// Connections accepted since the start, the refused ones included.
    public var acceptedCount: Int
    /// Connections that were one too many, answered 503 and closed.
    public var refusedCount: Int
    /// Connections that are a WebSocket now, before a close frame either way.
    public var webSocketCount: Int
    /// TLS handshakes that were completed.
    public var handshakeCount: Int
    /// TLS handshakes that came to nothing.
    public var failedHandshakeCount: Int
    /// Bytes of answers and messages that clients have not taken.
    public var outgoingBytes: Int
    /// Bytes of requests and messages that have not arrived whole.
    public var incomingBytes: Int
}
