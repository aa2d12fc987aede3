import HTTP

/// `host`, `port` and `hosts`: the address to listen on, and the names of this server.
public struct ListenAddress: Sendable, Hashable {
    /// The address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 takes a free one.
    public var port = 20002
    /// More names of this server, which requests may have in `Host`.
    public var names: [String] = []

    /// The default.
    public init() {}

    /// Whether only this machine can reach the address.
    public var isLoopback: Bool { HostPort.isLoopback(host) }

    /// Where GraphQL is served, as this machine can reach it: an address that means "all" is spelt as the loopback's.
    func url(_ scheme: String, port: Int) -> String { "\(baseURL(scheme, port: port))/graphql" }

    /// What the addresses of this server begin with, as this machine can reach it.
    func baseURL(_ scheme: String, port: Int) -> String {
        let name =
            switch host {
            case "0.0.0.0", "": "127.0.0.1"
            case "::", "[::]": "[::1]"
            default: host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
            }
        return "\(scheme)://\(name):\(port)"
    }

    mutating func read(_ file: ConfigurationSection) {
        host = file.string("host") ?? host
        port = file.integer("port", in: 0...65535) ?? port
        names = file.hostNames("hosts") ?? names
    }

    mutating func read(_ settings: SettingReader) {
        host = settings.text(.host) ?? host
        port = settings.port(.port) ?? port
        names =
            settings.value(ofAll: .hosts, "one or several host names or addresses") { texts in
                texts.allSatisfy(CertificateNames.isName) ? texts : nil
            } ?? names
    }
}
