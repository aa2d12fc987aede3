import HTTP

extension ForwardProxy.Options {
    /// Options for the AWS hostnames of a project.
    ///
    /// - Parameter server: Where the server listens for TLS; nil for where the description has it.
    public init(_ description: ServerDescription, server: (host: String, port: Int)?) throws(ServerError) {
        guard let server = server ?? description.tlsEndpoint else {
            throw ServerError(
                .usage, "The server has no port for TLS that is known here, and the proxy passes TLS on.",
                hint: "Name the address with --to HOST:PORT.")
        }
        self.init(serverHost: server.host, serverPort: server.port, names: description.names)
    }

    /// How many names are routed to which server, in one sentence.
    public var summary: String {
        "\(names.count) AWS hostnames are routed to \(HostPort.text(serverHost, serverPort))."
    }

    /// The parts of `HOST:PORT`; nil for anything else.
    ///
    /// - Parameter portMin: 0 where that stands for a free port.
    public static func endpoint(_ text: String, portMin: Int = 1) -> (host: String, port: Int)? {
        HostPort.parts(of: text[...], portMin: portMin)
    }
}
