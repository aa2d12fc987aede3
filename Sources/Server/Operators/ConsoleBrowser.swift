import HTTP

/// The parts of a request by TCP that a browser's session depends on.
struct ConsoleBrowser: Sendable {
    /// The port that the browser connected to, by the request's `Host`. Browsers send cookies to every port of a host, so
    /// the cookie's name has the port.
    let port: String
    /// Whether it speaks TLS.
    let isSecure: Bool
    /// Whether it runs on the server's own machine.
    let isLocal: Bool
    /// The address under which wrong links are counted.
    let network: String
    /// The cookie of its session; nil if it sent none.
    var secret: ConsoleSecret?
    /// The session; nil if there is none, or if it has ended.
    var session: ConsoleSession?

    init(_ request: Request, peer: Peer, isSecure: Bool) {
        let host = request[header: "host"] ?? ""
        let digits = host.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        let hasPort = host.contains(":") && !digits.isEmpty && digits.allSatisfy { ("0"..."9").contains($0) }
        port = hasPort ? String(digits) : isSecure ? "443" : "80"
        (self.isSecure, network) = (isSecure, peer.network)
        isLocal = peer.isLoopback && !request.isForwarded
        let prefix = "\(Self.cookieName(port))="
        let pairs = (request[header: "cookie"] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        secret = pairs.first { $0.hasPrefix(prefix) }.map { ConsoleSecret(String($0.dropFirst(prefix.count))) }
    }

    /// The header line that gives the browser its session.
    func cookie(_ secret: ConsoleSecret, _ session: ConsoleSession) -> (name: String, value: String) {
        ("Set-Cookie", "\(Self.cookieName(port))=\(secret.text); Max-Age=\(session.idleSeconds)\(attributes)")
    }

    /// The header line that removes the session's cookie from the browser.
    var endedCookie: (name: String, value: String) {
        ("Set-Cookie", "\(Self.cookieName(port))=; Max-Age=0\(attributes)")
    }

    private var attributes: String {
        "; Path=/operators; HttpOnly; SameSite=Strict" + (isLocal && !isSecure ? "" : "; Secure")
    }

    private static func cookieName(_ port: String) -> String { "syncline-\(port)" }
}
