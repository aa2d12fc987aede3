public import ArgumentParser
import Codegen
import JSON
public import Server

/// `syncline reach`
struct ReachVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reach",
        abstract: "Shows how to connect each client to this server.",
        discussion: """
            For each client: the settings and variables to set, and the URLs that it derives from them. If a client drops the \
            port of a setting, the setting is proposed only if the server answers without it. For clients without a setting: \
            hosts lines, a proxy and its PAC file, by which the AWS hostnames of the project are routed to the server. The \
            report is on the server that runs on the data folder; without a running server, on what 'syncline dev' would serve.

            --test makes one call for each service, as this machine resolves the names or, with URL, at that address. Exits \
            with 1 if a call fails, and prints a fix for each failure.
            """)

    @Argument(help: "With --test: the server to which all names are taken to resolve, such as https://127.0.0.1:20002.")
    var url: String?

    @Flag(name: .long, help: "Test whether the names resolve to the server and whether it answers.")
    var test = false

    @Flag(name: .long, help: "Print only the PAC file.")
    var pac = false

    @Flag(name: .long, help: "Print only the lines for a hosts file.")
    var hosts = false

    @Option(name: .long, help: "The one client to report on.")
    var client: ReachClient?

    @Option(
        name: .long,
        help: """
            Where the app runs: simulator, emulator (Android's), device; or the server's host, or host and port, as the app \
            has it.
            """)
    var host: String?

    @OptionGroup var form: ReportOptions

    @OptionGroup var project: ProjectOptions

    func validate() throws {
        guard [test, pac, hosts].count(where: \.self) <= 1 else {
            throw ValidationError("Give one of --test, --pac and --hosts.")
        }
        if test && client != nil { throw ValidationError("--test tests all services: give it without --client.") }
        if pac || hosts, form.isJSON || client != nil {
            throw ValidationError(
                "\(pac ? "--pac" : "--hosts") prints only a file: give it without --client and --json.")
        }
        if url != nil && host != nil { throw ValidationError("Give a URL or --host.") }
        if url != nil && !test {
            throw ValidationError("A URL is for --test; --host names the server's host otherwise.")
        }
    }

    func run() async throws {
        let configuration = try Configuration.load(project.texts)
        let host = try self.host.map { text throws(ServerError) in
            guard let host = ClientHost(text) else {
                throw ServerError(
                    .usage, "--host is simulator, emulator, device, HOST or HOST:PORT, and not \"\(text)\".")
            }
            return host
        }
        let description = try await OperatorClient(configuration).serverDescription()
        var report = try ReachReport(description, host: host, options: project.words)
        if pac { return Terminal.show(report.autoConfiguration) }
        if test { return try await test(report) }
        report.resolveHost()
        if hosts { return Terminal.show(try report.hostsText()) }
        Terminal.show(form.isJSON ? report.json(client).description : report.text(client))
    }

    private func test(_ report: ReachReport) async throws {
        var outcomes: [ReachTest.Outcome] = []
        let allPassed = try await report.makeTest(at: url).run { outcome in
            outcomes.append(outcome)
            if !form.isJSON { Terminal.show(outcome.text) }
        }
        if form.isJSON { Terminal.show(JSONValue.array(outcomes.map(\.json)).description) }
        guard !allPassed else { return }
        let count = outcomes.count { $0.failure != nil }
        throw ServerError(.failed, "\(count) of \(outcomes.count) calls failed.")
    }
}

extension ReachClient: ExpressibleByArgument {}

extension ReachTest.Outcome {
    fileprivate var json: JSONValue {
        [
            "service": .string(service), "host": .string(host), "ok": .bool(failure == nil),
            "failure": failure.map(JSONValue.string) ?? .null, "remedy": remedy.map(JSONValue.string) ?? .null,
        ]
    }
}

extension ProjectOptions {
    /// The options that name the project, as words for a command that is proposed.
    fileprivate var words: String {
        var words: [String] = []
        for (name, value) in [
            ("--amplify", schema.amplify.amplify), ("--env", schema.amplify.environment), ("--config", schema.config),
            ("--data", data),
        ] {
            if let value { words += [name, ShellWord.quoted(value)] }
        }
        if schema.amplify.noAmplify { words.append("--no-amplify") }
        return words.map { " \($0)" }.joined()
    }
}
