/// A URL of a server as clients take it apart: scheme, host, port and path.
struct ReachURL: Sendable, Hashable {
    var scheme: String
    /// A name or an address; one of IPv6 in brackets.
    var host: String
    /// Nil for that of the scheme.
    var port: Int?
    /// With its slash; empty where there is none.
    var path: String

    init(scheme: String, host: String, port: Int? = nil, path: String = "") {
        (self.scheme, self.host, self.path) = (scheme, host, path)
        self.port = port == Self.port(of: scheme) ? nil : port
    }

    /// Nil for what has no scheme or no host, or a port that is none.
    init?(_ text: String) {
        guard let mark = text.firstRange(of: "://"), mark.lowerBound > text.startIndex else { return nil }
        let rest = text[mark.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        guard let (host, port) = Self.parts(of: authority) else { return nil }
        self.init(
            scheme: text[..<mark.lowerBound].lowercased(), host: host, port: port,
            path: String(rest[authority.endIndex...]))
    }

    /// The host and the port of `HOST` or `HOST:PORT`; nil for anything else.
    static func parts(of authority: Substring) -> (host: String, port: Int?)? {
        guard !authority.isEmpty, !authority.contains("@"), !authority.contains("/") else { return nil }
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
            return (String(authority), nil)
        }
        let (host, digits) = (authority[..<colon], authority[authority.index(after: colon)...])
        // Digits alone: `Int` reads a sign too. A URL may have a port with leading zeros (RFC 3986 §3.2.3).
        guard !host.isEmpty, digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let port = Int(digits), (1...65_535).contains(port)
        else { return nil }
        return (String(host), port)
    }

    /// The host with the port, as clients send it in `Host`.
    var authority: String { host + (port.map { ":\($0)" } ?? "") }

    var text: String { "\(scheme)://\(authority)\(path)" }

    /// Whether the scheme uses TLS.
    var isTLS: Bool { Self.isTLS(scheme) }

    /// The port that is connected to.
    var effectivePort: Int { port ?? Self.port(of: scheme) }

    private static func isTLS(_ scheme: String) -> Bool { scheme == "https" || scheme == "wss" }

    private static func port(of scheme: String) -> Int { isTLS(scheme) ? 443 : 80 }
}
