/// A server's address as a client writes it: scheme, host and port.
public struct ClientAddress: Sendable, Hashable {
    /// Whether the scheme is `https`.
    public var isSecure: Bool
    /// A name or an address; one of IPv6 in brackets.
    public var host: String
    /// The port; nil for that of the scheme.
    public var port: Int?

    /// The longest address that is read, in bytes.
    static let bytesMax = 1024

    /// An address of its parts.
    public init(isSecure: Bool, host: String, port: Int?) {
        (self.isSecure, self.host) = (isSecure, host)
        self.port = port == (isSecure ? 443 : 80) ? nil : port
    }

    /// Reads `http://HOST:PORT` or `https://…`; a path, such as `/graphql`, is ignored. Nil for anything else.
    public init?(url: String) {
        guard url.utf8.count <= Self.bytesMax else { return nil }
        let lower = url.lowercased()
        let scheme = ["https://", "http://"].first { lower.hasPrefix($0) }
        guard let scheme else { return nil }
        let rest = url.dropFirst(scheme.count)
        self.init(authority: String(rest.prefix { !"/?#".contains($0) }), isSecure: scheme == "https://")
    }

    /// Reads `HOST` or `HOST:PORT`; nil for anything else.
    init?(authority: String, isSecure: Bool) {
        guard let (host, port) = Self.parts(of: authority) else { return nil }
        self.init(isSecure: isSecure, host: host, port: port)
    }

    /// The host, in lower case, and the port of `HOST` or `HOST:PORT`; nil for anything else.
    static func parts(of authority: String) -> (host: String, port: Int?)? {
        var host = authority[...]
        var port: Int?
        // The colons of an address of IPv6 stand in brackets.
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            let digits = authority[authority.index(after: colon)...]
            guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits),
                (1...65_535).contains(number)
            else { return nil }
            (host, port) = (authority[..<colon], number)
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let inner = isBracketed ? host.dropFirst().dropLast() : host
        let signs = isBracketed ? ":." : "-._"
        guard !inner.isEmpty, authority.utf8.count <= Self.bytesMax,
            inner.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || signs.contains($0)) })
        else { return nil }
        return (host.lowercased(), port)
    }

    /// The same server by another host.
    ///
    /// - Parameter port: Another port; nil for the same.
    public func at(_ host: String, port: Int? = nil) -> ClientAddress {
        ClientAddress(isSecure: isSecure, host: host, port: port ?? self.port)
    }

    /// Whether it is the port that `https` has by itself, the only one at which amplify-swift finds a user pool.
    public var isSecureDefault: Bool { isSecure && port == nil }

    /// Host and port, where there is one.
    public var authority: String { port.map { "\(host):\($0)" } ?? host }

    /// The address as a URL without a path.
    public var url: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// Where GraphQL is served.
    public var graphQLURL: String { "\(url)/graphql" }
}
