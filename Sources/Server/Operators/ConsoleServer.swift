import Codegen
import Crypto
import Encodings
import HTTP

/// What the calls about sessions need to know about the running server.
struct ConsoleServer: Sendable {
    let sessions: ConsoleSessions
    let mode: Service.Mode
    /// What the console's URL begins with; nil if the console is not served, or if no address for a link to it is known.
    let baseURL: String?
    /// The host and port of each address by which apps on this machine and in its network can reach the server.
    let hosts: [String]
    /// Distinguishes the data from that of other servers.
    let serverID: String

    /// - Parameter consolePort: The port of `console.listen`; nil if the console is served on all addresses.
    init(
        _ configuration: Configuration, mode: Service.Mode, port: Int, consolePort: Int? = nil,
        sessions: ConsoleSessions
    ) {
        (self.sessions, self.mode) = (sessions, mode)
        baseURL = Self.baseURL(configuration, mode, port, consolePort)
        let address = configuration.address
        let scheme = configuration.tls.isRequired ? "https" : "http"
        var hosts = [address.baseURL(scheme, port: port).dropFirst(scheme.utf8.count + 3)].map(String.init)
        if Self.isWildcard(address.host), let own = LocalNetwork.address { hosts.append("\(own):\(port)") }
        self.hosts = hosts
        let data = configuration.data.isEphemeral ? configuration.schema.paths.first ?? "" : configuration.data.folder
        serverID = Hexadecimal.text(of: SHA256.hash(data: Array("syncline \(Files.absolute(data))".utf8)).prefix(8))
    }

    /// The URL of a link.
    func url(_ secret: ConsoleSecret) -> String? { baseURL.map { "\($0)/console/#link=\(secret.text)" } }

    /// An address that a browser on this machine can connect to or, for other machines, the first name in `console.hosts`.
    private static func baseURL(
        _ configuration: Configuration, _ mode: Service.Mode, _ mainPort: Int, _ consolePort: Int?
    ) -> String? {
        var (address, isTLSOnly, port) = (configuration.address, configuration.tls.isRequired, mainPort)
        if let listener = configuration.console.listen, let consolePort {
            (address.host, port) = (listener.host, consolePort)
            isTLSOnly = configuration.tls.spoken(listener.listenerProtocol) == .tls
        }
        let scheme = isTLSOnly ? "https" : "http"
        let isLocal = HostPort.isLoopback(address.host) || isWildcard(address.host)
        switch configuration.console.reach(in: mode) {
        case .nowhere: return nil
        case .thisMachine: return isLocal ? address.baseURL(scheme, port: port) : nil
        case .everywhere:
            let name = configuration.console.hosts.first { !$0.contains("*") && !HostPort.isLoopback($0) }
            guard let name, configuration.console.listen == nil || !isLocal else {
                return address.baseURL(scheme, port: port)
            }
            let isDefaultPort = !isTLSOnly || port == Redirection.defaultPort
            return "https://\(name)\(isDefaultPort ? "" : ":\(port)")"
        }
    }

    private static func isWildcard(_ host: String) -> Bool { ["0.0.0.0", "", "::", "[::]"].contains(host) }
}
