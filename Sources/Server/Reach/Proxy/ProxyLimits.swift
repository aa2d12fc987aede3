/// The bounds of a forward proxy.
struct ProxyLimits: Sendable, Hashable {
    /// Connections of clients at one time. One more is answered 503 and closed.
    var connectionsMax = 256
    /// Connections of one client's network (`Peer.network`) at one time. Those from this machine are bounded by
    /// `connectionsMax` only.
    var connectionsPerNetworkMax = 64
    /// Bytes of a request line and its header section together. More is answered 431.
    var headBytesMax = 8 << 10
    /// Seconds from the connection to the end of the request head. Later is answered 408.
    var headSeconds = 10
    /// Seconds from the answer of a CONNECT for the server to the end of the ClientHello. Later the connection is closed.
    var clientHelloSeconds = 10
    /// Seconds to resolve a name and to connect to one of its addresses. Later is answered 504.
    var connectSeconds = 10
    /// Addresses of one name that are tried.
    var addressesMax = 4
    /// Seconds in which no byte passes in either direction. Later the tunnel is closed.
    var idleSeconds = 600
    /// Bytes that are kept for each direction of a tunnel. Reading pauses before there are more.
    var bufferedBytesMax = 64 << 10
    /// Bytes of one read.
    var readBytesMax = 16 << 10
    /// Bytes that the system may keep of each socket's input. When the other end has closed, all of them are read at once.
    var socketBytesMax = 128 << 10
    /// Seconds in which a refused client may go on sending, so that it sees the answer.
    var lingerSeconds = 2
    /// Names that are resolved at one time; each waits in a thread.
    var resolverThreadCount = 16
    /// Resolutions that are under way or wait for a thread. One more is answered 503.
    var resolutionsMax = 256

    /// The least number of characters of a password beyond loopback.
    static let passwordCharactersMin = 20
    /// Bytes of a user and a password together.
    static let credentialBytesMax = 1 << 10
}
