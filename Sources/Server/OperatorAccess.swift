import HTTP

/// Who may use what is for the operator alone: the store as a whole, the keys, the counters.
///
/// A program on this machine may, without showing anything: whoever runs it could read the data folder as well. A web
/// page in a browser on this machine may not, although its requests come from this machine too: they bear the page's
/// Origin, or another site's name that was made to lead here, or a note that they cross sites. Neither may what a proxy
/// on this machine passes on for others. Everyone else shows the API key.
extension Exchange {
    /// Whether the caller may; if not, the request is answered.
    func admitsOperator(_ request: Request) -> Bool {
        if request.isLocal { return true }
        guard request.withHeader(.apiKey, { $0 != nil }), let authenticator = desk.served?.authenticator else {
            refuse(.foreignCaller)
            return false
        }
        if case .refused(let message) = authenticator.authenticate(request) {
            refuse(.unauthorized(message))
            return false
        }
        return true
    }
}

extension Request {
    /// Whether the request was made on this machine and by no page of another site.
    var isLocal: Bool {
        guard peer.isLoopback, let host = self[header: "host"], Configuration.isLoopback(Self.name(of: host)) else {
            return false
        }
        let isForwarded = withHeader("forwarded") { $0 != nil } || withHeader("x-forwarded-for") { $0 != nil }
        return !isForwarded && isOfOrigin(host) && isOfSite
    }

    /// RFC 6454 §7.3: the origin that a browser's page comes from. Only this server's own counts as none.
    private func isOfOrigin(_ host: String) -> Bool {
        guard let origin = self[header: "origin"]?.lowercased() else { return true }
        return origin == "http://\(host.lowercased())" || origin == "https://\(host.lowercased())"
    }

    /// Fetch Metadata, §2.3: what a browser says of a request that bears no Origin.
    private var isOfSite: Bool {
        guard let site = self[header: "sec-fetch-site"] else { return true }
        return site == "same-origin" || site == "none"
    }

    /// The host without its port.
    private static func name(of host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
        return String(host.prefix { $0 != ":" })
    }
}
