import HTTP
import Synchronization

/// Where the requests of a listener that redirects are sent: to the same path by `https`, on a host of this server.
///
/// A name that is not this server's is never used, so that nobody can make a URL of this server that redirects elsewhere. An address is
/// used as it was asked for: the server may not know those of a router before it, and clients do not resolve addresses.
struct Redirection: Sendable {
    /// In lower case; some with a wildcard.
    private let names: [[UInt8]]

    init(_ configuration: Configuration) { names = configuration.ownNames.map { Array($0.utf8) } }

    /// The URL that a request is sent to; nil if its `Host` is no name of this server.
    ///
    /// - Parameter port: That of the clients' `https` URLs.
    func location(for request: Request, port: Int) -> String? {
        let host: String? = unsafe request.withHeader(.host) { bytes in
            guard let bytes = unsafe bytes, let host = unsafe HostPort(bytes[...]),
                IPAddress(host.lowercasedName) != nil || host.isLoopback || names.contains(where: host.matches)
            else { return nil }
            return host.lowercasedName
        }
        guard let host else { return nil }
        let authority = HostPort.text(host, port)
        let shown = port == Self.defaultPort ? authority.dropLast(":\(port)".utf8.count) : authority[...]
        // "*" is the target of an OPTIONS for the whole server.
        let path = request.path == "*" ? "/" : request.path
        let query = request.query.map { "?\($0)" } ?? ""
        return "https://\(shown)\(path)\(query)"
    }

    /// The port that a URL of `https` means without one (RFC 9110 §4.2.2).
    static let defaultPort = 443

    /// Which port `https` URLs have, of those where TLS is spoken: 443 if it is among them, or else that for TLS alone, or
    /// else the first one.
    static func port(main: Int, tls: Int?, others: [Int]) -> Int {
        ([main] + [tls].compactMap(\.self) + others).contains(defaultPort) ? defaultPort : tls ?? main
    }
}

extension Routes {
    /// Whether a request came to a listener that redirects, and not by `https`. A trusted proxy reports its client's scheme
    /// (`X-Forwarded-Proto`). Without that report the request is served, because a redirect could loop.
    func isToBeRedirected(_ request: Request, for client: Peer?) -> Bool {
        request.isToBeRedirected && (client == nil || request.forwardedProtocol == "http")
    }

    func redirect(_ request: Request, for client: ForwardedClient?, _ services: LoopServices, _ reply: Reply) {
        let requestContext = RequestContext(request, nil, services: services, reply: reply, client: client)
        guard let redirection = services.servedAPI?.redirection else { return requestContext.refuse(.notReady) }
        guard !request.asksWebSocket else { return requestContext.refuse(.redirectedUpgrade) }
        // The port that clients of a proxy use is the proxy's.
        let port = client == nil ? services.state.httpsPort.load(ordering: .relaxed) : Redirection.defaultPort
        guard let location = redirection.location(for: request, port: port) else {
            return requestContext.refuse(.foreignRedirect)
        }
        requestContext.redirect(to: location)
    }
}

extension RequestContext {
    /// 308, by which the method and the body stay as they are (RFC 9110 §15.4.9). It is not to be cached: ports of a
    /// development server change.
    fileprivate func redirect(to location: String) {
        unsafe answer(
            308, templates.bare, fields: [("Location", location), ("Cache-Control", "no-store")],
            UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

extension Problem {
    fileprivate static let redirectedUpgrade = Problem(
        status: 400, errorType: "BadRequestException",
        message: "This port redirects to https. A WebSocket cannot be redirected: use wss:// and the port of https.")
    fileprivate static let foreignRedirect = Problem(
        status: 400, errorType: "BadRequestException",
        message: "This port redirects to https, and the Host of the request is no name of this server. Add it "
            + "to 'hosts' or 'tlsHosts'.")
}
