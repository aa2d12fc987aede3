import HTTP

/// Which requests the console and the operators' API take by TCP, by who is at the other end and by what a browser says of the
/// page that asks.
///
/// A page of another development server on this machine is same-site with this one, because ports do not count; a page that
/// made its own name resolve to this machine (DNS rebinding) is of the same origin. So `Host`, `Origin` and `Sec-Fetch-Site`
/// are checked, each by itself.
struct ConsoleAccess: Sendable {
    private let options: ConsoleOptions
    /// In lower case; some with a wildcard.
    private let hosts: [[UInt8]]

    init(_ configuration: Configuration) {
        options = configuration.console
        let names =
            options.hosts.isEmpty ? configuration.tls.hosts + configuration.address.names : options.hosts
        hosts = names.map { Array($0.lowercased().utf8) }
    }

    /// Whether anything of it is there for the client. A request that was forwarded is never one of this machine.
    func isServed(to request: Request, in mode: Service.Mode) -> Bool {
        switch options.reach(in: mode) {
        case .nowhere: false
        case .thisMachine: request.peer.isLoopback && !request.isForwarded
        case .everywhere: true
        }
    }

    /// Why a request is refused for where it comes from; nil when it is accepted.
    ///
    /// - Parameter isSecure: Whether the client speaks TLS.
    func problem(of request: Request, isSecure: Bool) -> OperatorProblem? {
        guard let host = request[header: "host"], isOwnHost(request) else {
            return .foreignHost(request[header: "host"])
        }
        // RFC 6454 §7.3: the origin of the page that asks.
        if let origin = request[header: "origin"],
            origin.lowercased() != "\(isSecure ? "https" : "http")://\(host.lowercased())"
        {
            return .foreignOrigin(origin)
        }
        // W3C, "Fetch Metadata Request Headers", "The Sec-Fetch-Site HTTP Request Header".
        if let site = request[header: "sec-fetch-site"], site != "same-origin" {
            let isRead = request.method == .get || request.method == .head
            guard site == "none", isRead else { return .foreignSite }
        }
        return nil
    }

    private func isOwnHost(_ request: Request) -> Bool {
        unsafe request.withHeader(.host) { bytes in
            guard let bytes = unsafe bytes, let host = unsafe HostPort(bytes[...]) else { return false }
            return host.isLoopback || hosts.contains(where: host.matches)
        }
    }
}

extension OperatorProblem {
    static func foreignHost(_ host: String?) -> OperatorProblem {
        let what = host.map { "'\(LogText.excerpt($0))' is no name of the console." } ?? "The request has no Host."
        return OperatorProblem(
            code: .misdirected, message: what, hint: "Use localhost, or add the name to 'console.hosts'.")
    }

    static func foreignOrigin(_ origin: String) -> OperatorProblem {
        OperatorProblem(
            code: .forbidden,
            message: "Pages of the origin '\(LogText.excerpt(origin))' may not use the operators' API.",
            hint: "A proxy that speaks TLS in front of this server is to be listed in 'trustedProxies'.")
    }

    static let foreignSite = OperatorProblem(
        code: .forbidden, message: "A page of another site has made this request, which is not accepted.",
        hint: "Type the address, or open the link from the terminal.")
}
