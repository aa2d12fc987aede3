/// The bounds of a realtime connection, each with its unit in its name (reference: appsync-protocol, "Limits").
public struct RealtimeLimits: Sendable, Hashable {
    /// Operations that one connection may have at one time (AppSync: 100 subscriptions).
    public var subscriptionsPerConnectionMax = 100
    /// Largest payload of an event, in bytes (AppSync: 240 KB); a larger one is dropped for its subscriber.
    public var subscriptionPayloadBytesMax = 245_760
    /// Largest message that starts an operation, in bytes.
    public var startBytesMax = 245_760
    /// Longest identifier that a client may give an operation, in bytes.
    public var operationIDBytesMax = 512
    /// Longest authorization of a connection or an operation, in bytes of its base64 or its JSON text: as much as a client may
    /// send before it is authenticated.
    public var authorizationBytesMax = 32_768
    /// Longest life of a connection, in seconds (AppSync: 24 hours).
    public var connectionSeconds = 86_400
    /// How long a client without a carrier may take to its `connection_init`, in seconds.
    public var connectionInitSeconds = 5
    /// Time between two `ka` messages, in seconds (AppSync: 60).
    public var keepAliveSeconds = 60
    /// Messages that may wait while the connection's credentials are looked at.
    public var waitingMessagesMax = 200
    /// Bytes of such messages.
    public var waitingBytesMax = 1 << 20
    /// Bytes of requests, and of messages on all connections together, that wait while credentials are looked at: those of
    /// connections, and those of operations. One network may use half of them.
    public var waitingBytesTotalMax = 64 << 20

    /// How long a client may read a `connection_error` before the socket is closed, in milliseconds.
    static let graceMilliseconds: Int64 = 1_000
    /// The `connectionTimeoutMs` sent to clients: after so long without a `ka` they consider the connection dead.
    static let connectionTimeoutMilliseconds: Int64 = 300_000

    /// AppSync's bounds.
    public init() {}
}
