import Codegen
import HTTP

extension ReachableServer {
    /// The server as the clients of one place reach it.
    ///
    /// - Parameter client: Where the clients run, or by which host they reach the server; nil for this machine, or for
    ///   `publicURL` if it is configured.
    init(_ description: ServerDescription, _ client: ClientHost?) throws(ServerError) {
        (awsHosts, servesAWSNames) = (description.awsHosts, description.servesAWSNames)
        (buckets, authority, ports) = (description.buckets, description.authority, description.ports)
        let publicURL = description.publicURL.flatMap { ReachURL($0) }
        switch (client, publicURL) {
        case (.emulator, _): host = ClientHost.emulatorAddress
        case (.device, _):
            guard let own = LocalNetwork.address else {
                throw ServerError(.usage, "This machine has no address in a network: name one with --host HOST.")
            }
            host = own
        case (.named(let name, let port), _):
            host = name
            if let port {
                setForwarded(port)
                return
            }
        case (.simulator, _), (nil, nil): host = ports.first?.connectableHost ?? "127.0.0.1"
        case (nil, let url?):
            host = url.host
            ports = [Port(number: url.effectivePort, acceptsPlainHTTP: !url.isTLS, acceptsTLS: url.isTLS)]
            authority = nil
            return
        }
        if client == .simulator { host = "127.0.0.1" }
        setProxy(client)
        // The emulator's address stands for the loopback interface of its machine.
        let destination = client == .emulator ? "127.0.0.1" : host
        let reachable = ports.filter { $0.isReachable(at: destination) }
        if !reachable.isEmpty {
            ports = reachable
        } else if let port = ports.first {
            warnings.append(
                "The server does not listen on \(destination). Start it with "
                    + "--listen \(HostPort.text(destination, port.number)), or with --host 0.0.0.0; both need --api-key KEY."
            )
        }
        guard client == nil, defaultPortTLSURL() == nil else { return }
        hostsAddress = description.ports.first { $0.number == 443 && $0.acceptsTLS }?.host
    }

    /// Clients connect to a port that is forwarded to one of the server's, unless it is one of them.
    private mutating func setForwarded(_ number: Int) {
        setProxy(.named(host, port: number))
        let same = ports.filter { $0.number == number && $0.isReachable(at: host) }
        ports =
            same.isEmpty
            ? [
                Port(
                    number: number, acceptsPlainHTTP: ports.contains(where: \.acceptsPlainHTTP),
                    acceptsTLS: ports.contains(where: \.acceptsTLS))
            ] : same
    }

    private mutating func setProxy(_ client: ClientHost?) {
        switch client {
        case .emulator: proxy.host = host
        case .device, .named:
            guard !HostPort.isLoopback(host) else { return }
            proxy = Proxy(host: host, isExposed: true)
        case .simulator, nil: break
        }
    }
}

extension ReachableServer.Port {
    private static let wildcards = ["0.0.0.0", "::", ""]

    /// The host as this machine connects to it: an address that means "all" is the loopback's. One of IPv6 has brackets.
    var connectableHost: String {
        switch host {
        case "0.0.0.0", "": "127.0.0.1"
        case "::": "[::1]"
        default: host.contains(":") ? "[\(host)]" : host
        }
    }

    /// Whether the port can be connected to at a host. A name that is not the loopback's may stand for any address.
    func isReachable(at other: String) -> Bool {
        let address = IPAddress(other)
        if Self.wildcards.contains(host) { return host != "0.0.0.0" || address?.text.contains(":") != true }
        if let own = IPAddress(host), let address { return own == address }
        if HostPort.isLoopback(other) { return HostPort.isLoopback(host) }
        return address == nil || !HostPort.isLoopback(host)
    }

    /// The ports that a server with a configuration listens on, in the order of their settings. One that the system chooses is
    /// not known before: it is left out.
    ///
    /// - Parameters:
    ///   - listening: Those that it has got; nil for those of the configuration.
    ///   - servesTLS: Whether there are certificates.
    static func list(
        _ configuration: Configuration, listening: ListeningPorts? = nil, servesTLS: Bool
    ) -> [ReachableServer.Port] {
        let (address, tls) = (configuration.address, configuration.tls)
        var list = [(address.host, listening?.main ?? address.port, ListenerProtocol.any)]
        if let port = listening?.tls ?? tls.port { list.append((address.host, port, .tls)) }
        let numbers = listening?.listeners ?? address.listeners.map(\.port)
        list += zip(address.listeners, numbers).map { ($0.host, $1, $0.listenerProtocol) }
        return list.compactMap { host, number, listenerProtocol in
            let accepted = tls.spoken(listenerProtocol)
            guard number != 0, accepted != .redirect else { return nil }
            return ReachableServer.Port(
                host: HostPort.withoutBrackets(host), number: number, acceptsPlainHTTP: accepted == .any,
                acceptsTLS: servesTLS)
        }
    }
}
