import ArgumentParser
import Server

/// `syncline serve`
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serves the schema; logs in JSON; does not watch files.")

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let signals = Signals(reloadsOnHangUp: true)
        let configuration = try Configuration.load(options.texts(for: .serve))
        let log = Log(format: configuration.log.format ?? .json, level: configuration.log.level)
        let service = try await Service.start(configuration, mode: .serve, log: log)
        Terminal.say(service.urls.joined(separator: "\n"))
        try await CLI.run(service, until: signals)
    }
}
