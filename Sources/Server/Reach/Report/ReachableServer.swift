/// The server as clients reach it.
struct ReachableServer: Sendable, Hashable {
    /// A port that the server listens on.
    struct Port: Sendable, Hashable {
        let number: Int
        /// Whether requests in clear text are answered there.
        let acceptsClearText: Bool
        let acceptsTLS: Bool
    }

    /// A name or an address; one of IPv6 in brackets.
    var host: String
    var ports: [Port]
    /// The AWS hostnames of the project.
    var awsHosts: [AWSHost]
    /// Whether it does.
    var servesAWSNames: Bool
    /// The buckets.
    var buckets: [String]

    var isAddress: Bool { IPAddress(host) != nil }

    /// The first port at which a scheme is spoken: that of the scheme, or else another.
    func url(_ scheme: String, path: String = "") -> ReachURL? {
        let usual = ReachURL(scheme: scheme, host: host, path: path)
        let numbers = ports.filter { usual.isTLS ? $0.acceptsTLS : $0.acceptsClearText }.map(\.number)
        guard let first = numbers.first else { return nil }
        return numbers.contains(usual.effectivePort)
            ? usual : ReachURL(scheme: scheme, host: host, port: first, path: path)
    }

    /// A URL for a client that keeps the port: `https` where it is at its own port, `http` where that is spoken, which needs
    /// no certificate, or else `https` at another port.
    func url(path: String = "") -> ReachURL? {
        portlessURL(path: path) ?? url("http", path: path) ?? url("https", path: path)
    }

    /// A URL for a client that drops the port: nil where the server has neither 443 nor 80.
    func portlessURL(path: String = "") -> ReachURL? {
        ["https", "http"].lazy.compactMap { url($0, path: path) }.first { $0.port == nil }
    }

    /// `https` at port 443.
    func defaultPortTLSURL(path: String = "") -> ReachURL? {
        url("https", path: path).flatMap { $0.port == nil ? $0 : nil }
    }

    /// Whether a URL is one that the server answers.
    func answers(_ url: ReachURL) -> Bool {
        ports.contains { $0.number == url.effectivePort && (url.isTLS ? $0.acceptsTLS : $0.acceptsClearText) }
    }
}
