import HTTP

/// Which requests the console and the operators' API accept by TCP: by the client's address, and by what a browser reports about
/// the page that sends them.
///
/// A page of another development server on this machine is same-site with this one, because a site does not include the port. A
/// page that makes its own name resolve to this machine (DNS rebinding) has the same origin. So `Host`, `Origin` and
/// `Sec-Fetch-Site` are each checked.
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

    /// Whether the console is served to the client at all, at the address to which the request came. A request that was forwarded
    /// never counts as one of this machine.
    func isServed(to request: Request, in mode: Service.Mode) -> Bool {
        guard options.listen == nil || request.isForOperators else { return false }
        return switch options.reach(in: mode) {
        case .nowhere: false
        case .thisMachine: request.peer.isLoopback && !request.isForwarded
        case .everywhere: true
        }
    }

    /// Why a request is refused because of where it comes from; nil if it is accepted.
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
        let what = host.map { "'\(LogText.excerpt($0))' is not a name of the console." } ?? "The request has no Host."
        return OperatorProblem(
            code: .misdirected, message: what, hint: "Use localhost, or add the name to 'console.hosts'.")
    }

    static func foreignOrigin(_ origin: String) -> OperatorProblem {
        OperatorProblem(
            code: .forbidden,
            message: "Pages of the origin '\(LogText.excerpt(origin))' may not use the operators' API.",
            hint: "If a proxy in front of this server speaks TLS, list it in 'trustedProxies'.")
    }

    static let foreignSite = OperatorProblem(
        code: .forbidden, message: "A page of another site has made this request, which is not accepted.",
        hint: "Type the address, or open the link from the terminal.")
}
