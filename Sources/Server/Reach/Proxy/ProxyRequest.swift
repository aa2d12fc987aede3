/// What a client asks of a forward proxy.
enum ProxyRequest: Sendable, Hashable {
    /// A tunnel to a target.
    ///
    /// - credentials: What `Proxy-Authorization` has of the scheme Basic, decoded: `user:password` (RFC 7617 §2). Nil where
    ///   there is no such field, and where it cannot be decoded.
    case connect(ProxyTarget, credentials: [UInt8]?)
    /// The PAC file.
    ///
    /// - host: `Host`, as it is; nil without one.
    case autoConfiguration(isHead: Bool, host: String?)
}
