import ArgumentParser
import Server

/// `syncline proxy`
struct ProxyVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Runs a proxy by which the AWS names of the project lead to this server.",
        discussion: """
            It is a forward proxy for https (CONNECT). Connections to the AWS names of the project go to the server, which has \
            to serve them ('--aws-names'); TLS passes untouched. Connections to other hosts pass to these hosts, at port 443 \
            and at public addresses alone. GET /proxy.pac is the auto-configuration for browsers and systems.
            """)

    @Option(name: .long, help: ArgumentHelp("Where to listen; port 0 takes a free one.", valueName: "host:port"))
    var listen = "127.0.0.1:\(ReachReport.proxyPort)"

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where the server listens for TLS; if not given, as it is configured, on this machine.",
            valueName: "host:port"))
    var to: String?

    @Flag(name: .customLong("only-aws"), help: "Refuse connections to hosts other than the AWS names of the project.")
    var onlyAWS = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            """
            The user, and the file whose first line is the password, that clients have to show. Required where others than \
            programs of this machine reach the proxy.
            """, valueName: "user:file"))
    var credentials: String?

    @OptionGroup var project: ProjectOptions

    func run() async throws {
        let signals = Signals(reloadsOnHangUp: false)
        let configuration = try Configuration.load(project.texts)
        var options = try ForwardProxy.Options(configuration, server: try to.map { try Self.place($0, "--to") })
        (options.host, options.port) = try Self.place(listen, "--listen", least: 0)
        options.refusesOthers = onlyAWS
        options.credentials = try credentials.map(Self.credentials)
        let log = Log(format: configuration.log.format ?? .text, level: configuration.log.level)
        let proxy = try await ForwardProxy.start(options, log: log)
        Terminal.say(
            """
            http://\(proxy.address)
            \(options.names.count) AWS names lead to \(options.serverHost):\(options.serverPort); the auto-configuration is \
            http://\(proxy.address)/proxy.pac
            """)
        await signals.waitForEnd()
        await proxy.stop()
    }

    /// `HOST:PORT`.
    private static func place(
        _ text: String, _ option: String, least: Int = 1
    ) throws(ServerError) -> (host: String, port: Int) {
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex,
            let port = Int(text[text.index(after: colon)...]), (least...65_535).contains(port)
        else {
            throw ServerError(
                .usage, "\(option) is HOST:PORT, such as 127.0.0.1:\(ReachReport.proxyPort), and not \"\(text)\".")
        }
        let host = text[..<colon]
        return (String(host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host), port)
    }

    private static func credentials(_ text: String) throws -> ProxyCredentials {
        guard let colon = text.firstIndex(of: ":") else {
            throw ServerError(.usage, "--credentials is USER:FILE, and the file has the password.")
        }
        let password = try PasswordInput.password(nil, file: String(text[text.index(after: colon)...]))
        guard let credentials = ProxyCredentials(user: String(text[..<colon]), password: password ?? "") else {
            throw ServerError(
                .usage, "The user or the password of --credentials is empty, too long, or has a control character.")
        }
        return credentials
    }
}
