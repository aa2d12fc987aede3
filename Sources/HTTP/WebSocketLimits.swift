/// The bounds of one WebSocket: what it takes in, keeps and waits for, at most.
///
/// `Reply.upgrade` brings a figure outside its range to the nearest one inside, as `HTTPServer` does with `HTTPLimits`.
public struct WebSocketLimits: Sendable, Equatable {
    /// Bytes of one message from the client, all its fragments together. More is closed with 1009.
    public var messageBytesMax = 1024 * 1024
    /// Fragments of one message. More is closed with 1009: tiny fragments cost more than they carry.
    public var fragmentCountMax = 4096
    /// Bytes of messages that the client has not taken. One more is closed with 1008; a single message may be larger
    /// than this when nothing waits before it.
    public var outgoingBytesMax = 1024 * 1024
    /// Seconds of a client's silence after which it is sent a ping. One that is silent for twice as long is given up.
    public var pingSeconds = 60
    /// Seconds from a close frame to the end of the connection, however much the client still has to take.
    public var closeSeconds = 5

    /// The defaults.
    public init() {}
}

extension WebSocketLimits {
    /// The same limits, every figure inside its range.
    var clamped: WebSocketLimits {
        var limits = self
        limits.messageBytesMax = messageBytesMax.clamped(125...1_073_741_824)
        limits.fragmentCountMax = fragmentCountMax.clamped(1...16_777_216)
        limits.outgoingBytesMax = outgoingBytesMax.clamped(4096...1_073_741_824)
        limits.pingSeconds = pingSeconds.clamped(1...86_400)
        limits.closeSeconds = closeSeconds.clamped(0...3_600)
        return limits
    }
}
