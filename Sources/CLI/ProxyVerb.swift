import ArgumentParser
import Server

/// `syncline proxy`
struct ProxyVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract: "Runs a forward proxy that routes the project's AWS hostnames to this server.",
        discussion: """
            Connections (CONNECT) to the AWS hostnames of the project go to the server, which must serve them ('--aws-names'); \
            TLS is not terminated. Connections to other hosts are forwarded only to port 443 of public addresses. \
            GET /proxy.pac returns a PAC file for browsers and systems. The names and the address are those of the server that \
            runs on the data folder, and follow its changes within seconds; without a running server, those of the configuration.
            """)

    @Option(name: .long, help: ArgumentHelp("Where to listen; port 0 takes a free one.", valueName: "host:port"))
    var listen = "127.0.0.1:\(ReachReport.proxyPort)"

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Where the server listens for TLS, instead of where it is found.",
            valueName: "host:port"))
    var to: String?

    @Flag(
        name: .customLong("only-aws"), help: "Refuse connections to hosts other than the AWS hostnames of the project.")
    var onlyAWS = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Username and password file. Required unless --listen is a loopback address.", valueName: "user:file"))
    var credentials: String?

    @OptionGroup var project: ProjectOptions

    func run() async throws {
        let signals = Signals(reloadsOnHangUp: false)
        let server = try to.map { try Self.endpoint($0, "--to") }
        let configuration = try Configuration.load(project.texts)
        let description = try await OperatorClient(configuration).serverDescription()
        guard description.servesAWSNames || !description.isRunning else {
            throw ServerError(
                .usage, "The running server does not serve the AWS hostnames.",
                hint: "Restart it with \(Setting.awsNames.flag), or set 'awsNames' in the configuration.")
        }
        var options = try ForwardProxy.Options(description, server: server)
        (options.host, options.port) = try Self.endpoint(listen, "--listen", portMin: 0)
        options.refusesOthers = onlyAWS
        options.credentials = try credentials.map(Self.credentials)
        let log = Log(format: configuration.log.format ?? .text, level: configuration.log.level)
        let proxy = try await ForwardProxy.start(options, log: log)
        Terminal.say(
            """
            http://\(proxy.address)
            \(options.summary) The PAC file is http://\(proxy.address)/proxy.pac.
            """)
        if !description.servesAWSNames {
            Terminal.complain(
                "warning: No server runs. Start it with \(Setting.awsNames.flag): the proxy requires one that serves the AWS hostnames."
            )
        }
        let (first, texts) = (description, project.texts)
        await withTaskGroup { group in
            group.addTask { await Self.follow(first, texts, server, proxy, log) }
            await signals.waitForEnd()
            group.cancelAll()
        }
        await proxy.stop()
    }

    /// Seconds between two looks at the names and the address of the server.
    private static let intervalSeconds = 5

    /// Updates the proxy when the names or the address of the server have changed, until cancelled. Once a server has been seen
    /// running, only a running one changes them: while it restarts, the configuration may have another address.
    private static func follow(
        _ first: ServerDescription, _ texts: SettingTexts, _ server: (host: String, port: Int)?, _ proxy: ForwardProxy,
        _ log: Log
    ) async {
        var current = first
        while (try? await Task.sleep(for: .seconds(intervalSeconds))) != nil {
            // A configuration that is being edited may be invalid, and a server that starts does not answer yet.
            guard let configuration = try? Configuration.load(texts),
                let next = try? await OperatorClient(configuration).serverDescription(), next != current,
                next.isRunning || !current.isRunning,
                let options = try? ForwardProxy.Options(next, server: server)
            else { continue }
            current = next
            await proxy.update(names: options.names, serverHost: options.serverHost, serverPort: options.serverPort)
            log(.info, options.summary)
        }
    }

    /// `HOST:PORT`.
    private static func endpoint(
        _ text: String, _ option: String, portMin: Int = 1
    ) throws(ServerError) -> (host: String, port: Int) {
        guard let endpoint = ForwardProxy.Options.endpoint(text, portMin: portMin) else {
            throw ServerError(
                .usage, "\(option) is HOST:PORT, such as 127.0.0.1:\(ReachReport.proxyPort), and not \"\(text)\".")
        }
        return endpoint
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
