import HTTP

/// The ports that a server listens on.
struct ListeningPorts {
    /// That of `port`.
    let main: Int
    /// That of `tlsPort`, for TLS alone.
    let tls: Int?

    /// Has a server listen at the addresses of a configuration.
    init(_ server: HTTPServer, _ configuration: Configuration) throws(ServerError) {
        let host = configuration.address.host
        func listen(_ port: Int, _ setting: Setting, isTLSOnly: Bool) throws(ServerError) -> Int {
            do {
                return try server.listen(host: host, port: port, isTLSOnly: isTLSOnly)
            } catch {
                throw ServerError(listening: error, host: host, port: port, setting)
            }
        }
        main = try listen(configuration.address.port, .port, isTLSOnly: configuration.tls.isRequired)
        tls = try configuration.tls.port.map { port throws(ServerError) in
            try listen(port, .tlsPort, isTLSOnly: true)
        }
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
            self.init(
                .address,
                "Cannot listen on \(host):\(port): the port is taken\(holder). Choose another with "
                    + "\(setting.flag); \(setting.flag) 0 takes a free one.")
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
