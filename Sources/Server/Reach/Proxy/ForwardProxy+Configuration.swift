extension ForwardProxy.Options {
    /// Options for the AWS names of a configuration.
    ///
    /// - Parameter server: Where the server listens for TLS; nil for the port of the configuration, on this machine.
    public init(_ configuration: Configuration, server: (host: String, port: Int)?) throws(ServerError) {
        let names = AWSNames(configuration).names
        guard let server = server ?? ReachableServer.tlsPort(of: configuration).map({ ("127.0.0.1", $0) }) else {
            throw ServerError(
                .usage, "The server has no port for TLS that is known here, and the proxy passes TLS on.",
                hint: "Name the address with --to HOST:PORT.")
        }
        self.init(serverHost: server.host, serverPort: server.port, names: names)
    }
}
