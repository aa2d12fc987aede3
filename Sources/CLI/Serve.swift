import ArgumentParser
import Server

/// `syncline serve`
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serves the schema; logs in JSON; does not watch files.")

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let signals = Signals()
        let configuration = try Configuration.load(options.texts)
        let log = Log(format: configuration.logFormat ?? .json, level: configuration.logLevel)
        let service = try await Service.start(configuration, mode: .serve, log: log)
        Terminal.say(service.url)
        await signals.waitForEnd(of: service)
    }
}
