import ArgumentParser
import Server

/// `syncline console`
struct ConsoleVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Makes a link that signs a browser in to the console of the running server, once, and opens it.")

    @Flag(name: .long, help: "Print the link, and open no browser.")
    var print = false

    @Option(
        name: .customLong("operator"),
        help: "Sign in as this operator, with its role; by default as the server's user, an owner.")
    var name: String?

    @OptionGroup var folder: DataOptions

    func run() async throws {
        let link = try await OperatorClient(try Configuration.load(folder.texts)).consoleLink(for: name)
        if !print, WebBrowser.open(link) { return }
        Terminal.say(link)
    }
}
