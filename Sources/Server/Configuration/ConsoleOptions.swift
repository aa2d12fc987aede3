import HTTP

/// `console`: whether the operators' API and the console are served by TCP, and under which names.
public struct ConsoleOptions: Sendable, Hashable {
    /// Whether they are served; nil leaves it to the verb: `dev` serves programs and browsers of its own machine, `serve` nobody.
    public var isEnabled: Bool?
    /// The names that requests may have in `Host`, beside those of the loopback interface.
    public var hosts: [String] = []
    /// The address on which they are served, and nothing else; nil to serve them on all addresses of the server.
    public var listen: Listener?

    /// Whether owners may deploy a schema to a server of `serve`; in `dev` they always may.
    public var isDeploymentAllowed = false

    /// The default.
    public init() {}

    mutating func read(_ section: ConfigurationSection) {
        isEnabled = section.bool("enabled")
        hosts = section.hostNames("hosts") ?? hosts
        if let text = section.string("listen") {
            listen = Listener(text)
            if listen == nil || listen?.listenerProtocol == .redirect {
                section.report("listen", "'listen' is HOST:PORT or HOST:PORT,tls, and not \(text).")
            }
        }
        isDeploymentAllowed = section.bool("deploy") ?? isDeploymentAllowed
        section.finish()
    }

    mutating func read(_ settings: SettingReader) { isEnabled = settings.bool(.console) ?? isEnabled }

    /// What a reload serves where these options are configured: the address of the start.
    ///
    /// - Parameter started: The options at the start. If these have another address, only a switch-off counts of them: what is meant
    ///   for that address must not be served on all others.
    func afterReload(of started: ConsoleOptions) -> ConsoleOptions {
        guard listen == started.listen || isEnabled == false else { return started }
        var options = self
        options.listen = started.listen
        return options
    }

    /// From where requests are accepted.
    func reach(in mode: Service.Mode) -> ConsoleReach {
        switch (isEnabled, mode) {
        case (false?, _): .nowhere
        case (true?, _): .everywhere
        case (nil, _) where listen != nil: .everywhere
        case (nil, .serve): .nowhere
        case (nil, .dev): hosts.isEmpty ? .thisMachine : .everywhere
        }
    }

    /// Refuses to send sessions in clear text beyond this machine, and a console without a name.
    func check(
        for mode: Service.Mode, _ address: ListenAddress, _ tls: TLSOptions
    ) throws(ServerError) {
        guard reach(in: mode) == .everywhere else { return }
        let addresses =
            listen.map { [($0.host, $0.listenerProtocol)] }
            ?? [(address.host, ListenerProtocol.any)] + address.listeners.map { ($0.host, $0.listenerProtocol) }
        guard let exposedHost = addresses.map(\.0).first(where: { !HostPort.isLoopback($0) }) else { return }
        if let clear = addresses.first(where: { !HostPort.isLoopback($0.0) && tls.spoken($0.1) == .any }) {
            throw ServerError(
                .address,
                "The console is on, and \(clear.0) can be reached from other machines in clear text, where everybody on "
                    + "the way could read the sessions of operators.",
                hint:
                    "Refuse clear text with \(Setting.tlsOnly.flag), listen on 127.0.0.1 behind a proxy that speaks TLS, or "
                    + "leave out \(Setting.console.flag) and 'console'.")
        }
        guard !(hosts + tls.hosts + address.names).isEmpty else {
            throw ServerError(
                .usage,
                "The console is on, \(exposedHost) can be reached from other machines, and no name of the server "
                    + "is known.",
                hint: "List the names by which browsers reach it in 'console.hosts'.")
        }
    }
}
