import Buckets
public import Codegen
import HTTP

extension ReachReport {
    /// The report on what a configuration serves.
    ///
    /// - Parameters:
    ///   - host: Where the clients run, or by which host they reach the server; nil for this machine, or `publicURL` where it
    ///     is configured.
    ///   - proxy: `HOST:PORT` of the proxy.
    ///   - options: Words for the proposed commands, with a space before each.
    public init(
        _ configuration: Configuration, host: ClientHost? = nil, proxy: String = "127.0.0.1:\(proxyPort)",
        options: String = ""
    ) throws(ServerError) {
        server = try ReachableServer(configuration, host)
        let isLoopback = HostPort.isLoopback(server.host)
        // For a hosts file, which has no names on the left.
        if let own = IPAddress(server.host) {
            address = own.text
        } else {
            address = isLoopback ? "127.0.0.1" : (try? IPAddress.resolve(server.host))?.first?.text ?? server.host
        }
        authority = configuration.tls.setting(for: .dev) == .auto ? Authority.file(of: configuration) : nil
        awsAuthority = Authority.file(of: configuration, .awsNames)
        (self.proxy, self.options) = (proxy, options)
    }

    /// The calls that test whether clients reach the server.
    ///
    /// - Parameter url: The server's URL, to which all names are taken to lead; nil resolves them as this machine does.
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

extension ReachableServer {
    fileprivate init(_ configuration: Configuration, _ client: ClientHost?) throws(ServerError) {
        awsHosts = configuration.awsNames.hosts
        servesAWSNames = configuration.awsNameOptions.isOn
        buckets = configuration.storage.served(in: .dev).buckets.map(\.name)
        ports = Self.ports(of: configuration)
        switch client {
        case .emulator: host = ClientHost.emulatorAddress
        case .device:
            guard let own = LocalNetwork.address else {
                throw ServerError(.usage, "This machine has no address in a network: name one with --host HOST.")
            }
            host = own
        case .simulator: host = "127.0.0.1"
        case .named(let name, let port):
            host = name
            // The port of a forwarding in between.
            if let port {
                ports = [
                    Port(
                        number: port, acceptsClearText: ports.contains(where: \.acceptsClearText),
                        acceptsTLS: ports.contains(where: \.acceptsTLS))
                ]
            }
        case nil:
            let url = configuration.userPools.publicURL.flatMap { ReachURL($0) }
            host = url?.host ?? ReachURL(configuration.address.baseURL("http", port: 80))?.host ?? "127.0.0.1"
            if let url {
                ports = [Port(number: url.effectivePort, acceptsClearText: !url.isTLS, acceptsTLS: url.isTLS)]
            }
        }
    }

    /// The first port for TLS.
    static func tlsPort(of configuration: Configuration) -> Int? {
        ports(of: configuration).first(where: \.acceptsTLS)?.number
    }

    /// Where the server listens. A port that the system chooses is not known.
    private static func ports(of configuration: Configuration) -> [Port] {
        let servesTLS = configuration.tls.setting(for: .dev) != .off
        var ports = [
            Port(
                number: configuration.address.port, acceptsClearText: !configuration.tls.isRequired,
                acceptsTLS: servesTLS)
        ]
        if let port = configuration.tls.port {
            ports.append(Port(number: port, acceptsClearText: false, acceptsTLS: servesTLS))
        }
        for listener in configuration.address.listeners where listener.listenerProtocol != .redirect {
            let acceptsClearText = listener.listenerProtocol == .any && !configuration.tls.isRequired
            ports.append(Port(number: listener.port, acceptsClearText: acceptsClearText, acceptsTLS: servesTLS))
        }
        return ports.filter { $0.number != 0 }
    }
}
