public import ArgumentParser
import Codegen
import JSON
public import Server

/// `syncline reach`
struct ReachVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reach",
        abstract: "Says how clients of the project reach this server.",
        discussion: """
            For each client: the settings and variables that lead it here, and the URLs that it makes of them. Where a client \
            drops the port of a setting, the setting is proposed only if the server answers without it. For clients without a \
            setting: hosts lines, a proxy and its auto-configuration, by which the AWS names of the project lead here.

            --test makes one call for each service, as this machine resolves the names or, with URL, at that address. It ends \
            with 1 if one fails, with a line on what to do about each.
            """)

    @Argument(help: "With --test: the server to which all names are taken to lead, such as https://127.0.0.1:20002.")
    var url: String?

    @Flag(name: .long, help: "Test whether the names lead to the server and whether it answers.")
    var test = false

    @Flag(name: .long, help: "Print the proxy auto-configuration file alone.")
    var pac = false

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
        if test && pac { throw ValidationError("Give --test or --pac.") }
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
        let report = try ReachReport(configuration, host: host, options: project.words)
        if pac { return Terminal.show(report.autoConfiguration) }
        guard test else {
            return Terminal.show(form.isJSON ? report.json(client).description : report.text(client))
        }
        try await test(report)
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
