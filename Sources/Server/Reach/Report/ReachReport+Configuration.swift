public import Codegen
import HTTP

extension ReachReport {
    /// The report on a server. If its host is a name, hosts lines require `resolveHost`.
    ///
    /// - Parameters:
    ///   - host: Where the clients run, or by which host they reach the server; nil for this machine, or `publicURL` if it is
    ///     configured.
    ///   - options: Words for the proposed commands, with a space before each.
    public init(
        _ description: ServerDescription, host: ClientHost? = nil, options: String = ""
    ) throws(ServerError) {
        server = try ReachableServer(description, host)
        isRunning = description.isRunning
        address = IPAddress(server.hostsName)?.text ?? (HostPort.isLoopback(server.hostsName) ? "127.0.0.1" : nil)
        (authority, awsAuthority) = (description.authority, description.awsAuthority)
        self.options = options
    }

    /// Resolves the host if that is a name, because a hosts file has no names on the left. May block.
    public mutating func resolveHost() {
        if address == nil { address = (try? IPAddress.resolve(server.hostsName))?.first?.text }
    }

    /// The calls that test whether clients reach the server.
    ///
    /// - Parameter url: The server's URL, to which all names are taken to resolve; nil resolves them as this machine does.
    public func makeTest(at url: String?) throws(ServerError) -> ReachTest {
        var own = server.url(path: "/graphql")
        if let url {
            guard let given = ReachURL(url), ["http", "https"].contains(given.scheme) else {
                throw ServerError(.usage, "\"\(url)\" is no URL of a server.", hint: "Write it as https://HOST:PORT.")
            }
            own = ReachURL(scheme: given.scheme, host: given.host, port: given.port)
        }
        var probes: [ReachProbe] = []
        if let own {
            var probe = ReachProbe.graphQL(own.host)
            probe.endpoint = ReachProbe.Endpoint(host: own.host, port: own.effectivePort)
            probe.trust = own.isTLS ? .localAuthority : .plainHTTP
            probes.append(probe)
        }
        for host in server.awsHosts {
            var probe = ReachProbe(host)
            if url != nil { probe.endpoint = own.map { ReachProbe.Endpoint(host: $0.host, port: $0.effectivePort) } }
            probes.append(probe)
        }
        return ReachTest(
            probes: probes, awsAuthority: awsAuthority.flatMap { Files.exists($0) ? $0 : nil }, authority: authority)
    }
}
