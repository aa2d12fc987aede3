import HTTP

/// The server as the clients of one place reach it.
struct ReachableServer: Sendable, Hashable {
    /// A port that the server listens on.
    struct Port: Sendable, Hashable {
        /// The address that is listened on, without brackets.
        var host = "0.0.0.0"
        let number: Int
        /// Whether requests by plain HTTP are answered there.
        let acceptsPlainHTTP: Bool
        let acceptsTLS: Bool
    }

    /// The name or the address that clients connect to; one of IPv6 in brackets.
    var host: String
    /// The ports that can be connected to at the host.
    var ports: [Port]
    /// The AWS hostnames of the project.
    var awsHosts: [AWSHost]
    /// Whether the server serves them.
    var servesAWSNames: Bool
    /// The buckets.
    var buckets: [String]
    /// The certificate of the local authority, if that has issued the one that is served; nil for another certificate.
    var authority: String?
    /// The address for hosts lines: that of port 443 where it differs from the host.
    var hostsAddress: String?
    /// Where clients find the proxy.
    var proxy = Proxy()
    /// What keeps the clients from the server as it listens.
    var warnings: [String] = []

    /// Where clients find `syncline proxy`.
    struct Proxy: Sendable, Hashable {
        var host = "127.0.0.1"
        /// Whether it has to be started with `--listen` and `--credentials`: the clients are on other machines.
        var isExposed = false

        /// `HOST:PORT`.
        var authority: String { HostPort.text(host, ReachReport.proxyPort) }
    }

    /// The host that hosts lines lead to.
    var hostsName: String { hostsAddress ?? host }

    var isAddress: Bool { IPAddress(host) != nil }

    /// The first port that accepts a scheme: that of the scheme, or else another.
    func url(_ scheme: String, path: String = "") -> ReachURL? {
        let usual = ReachURL(scheme: scheme, host: host, path: path)
        let numbers = ports.filter { usual.isTLS ? $0.acceptsTLS : $0.acceptsPlainHTTP }.map(\.number)
        guard let first = numbers.first else { return nil }
        return numbers.contains(usual.effectivePort)
            ? usual : ReachURL(scheme: scheme, host: host, port: first, path: path)
    }

    /// A URL for a client that keeps the port: `https` if it is at its own port, `http` if that is accepted, which needs no
    /// certificate, or else `https` at another port.
    func url(path: String = "") -> ReachURL? {
        portlessURL(path: path) ?? url("http", path: path) ?? url("https", path: path)
    }

    /// A URL for a client that drops the port: nil if the server has neither 443 nor 80.
    func portlessURL(path: String = "") -> ReachURL? {
        ["https", "http"].lazy.compactMap { url($0, path: path) }.first { $0.port == nil }
    }

    /// `https` at port 443.
    func defaultPortTLSURL(path: String = "") -> ReachURL? {
        url("https", path: path).flatMap { $0.port == nil ? $0 : nil }
    }

    /// Whether the server answers a URL.
    func answers(_ url: ReachURL) -> Bool {
        ports.contains { $0.number == url.effectivePort && (url.isTLS ? $0.acceptsTLS : $0.acceptsPlainHTTP) }
    }
}
