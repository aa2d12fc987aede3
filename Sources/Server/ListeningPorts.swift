import HTTP

/// The ports that a server listens on.
struct ListeningPorts {
    /// That of `port`.
    let main: Int
    /// That of `tlsPort`, for TLS alone.
    let tls: Int?
    /// Those of `listeners`, in their order.
    let listeners: [Int]
    /// That of `console.listen`.
    let console: Int?
    /// The port of `https` URLs.
    let https: Int

    /// Has a server listen at the addresses of a configuration.
    init(_ server: HTTPServer, _ configuration: Configuration, mode: Service.Mode) throws(ServerError) {
        let address = configuration.address
        func listen(
            _ host: String, _ port: Int, _ listenerProtocol: ListenerProtocol, _ setting: Setting,
            isForOperators: Bool = false
        ) throws(ServerError) -> Int {
            do {
                return try server.listen(
                    host: host, port: port, configuration.tls.spoken(listenerProtocol), isForOperators: isForOperators)
            } catch {
                throw ServerError(listening: error, host: host, port: port, setting)
            }
        }
        main = try listen(address.host, address.port, .any, .port)
        tls = try configuration.tls.port.map { port throws(ServerError) in
            try listen(address.host, port, .tls, .tlsPort)
        }
        listeners = try address.listeners.map { listener throws(ServerError) in
            try listen(listener.host, listener.port, listener.listenerProtocol, .listen)
        }
        let isConsoleOn = configuration.console.reach(in: mode) != .nowhere
        console = try (isConsoleOn ? configuration.console.listen : nil).map { listener throws(ServerError) in
            try listen(listener.host, listener.port, listener.listenerProtocol, .listen, isForOperators: true)
        }
        let others = zip(address.listeners, listeners).filter { $0.0.listenerProtocol != .redirect }.map(\.1)
        https = Redirection.port(main: main, tls: tls, others: others)
    }
}

extension ServerError {
    /// Why the server cannot listen at an address, and what its operator may do.
    ///
    /// - Parameter setting: What names the port.
    init(listening error: HTTPServerError, host: String, port: Int, _ setting: Setting) {
        switch error.code {
        case .portTaken:
            let holder = PortHolder.name(ofPort: port).map { " by \($0)" } ?? ""
            let free = setting == .listen ? "" : "; \(setting.flag) 0 takes a free one"
            self.init(
                .address,
                "Cannot listen on \(host):\(port): the port is taken\(holder). Choose another with "
                    + "\(setting.flag)\(free).")
        case .notAllowed:
            self.init(
                .address, error.message,
                hint: "Allow it with 'sudo setcap cap_net_bind_service=+ep $(which syncline)', or listen on another "
                    + "port and forward \(port) to it.")
        case .badAddress: self.init(.usage, error.message)
        case .other: self.init(.address, error.message)
        }
    }
}
