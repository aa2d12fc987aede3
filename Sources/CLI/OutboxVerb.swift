import ArgumentParser
import Server

/// `syncline outbox`
struct OutboxVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Prints the messages to users with their codes, one of JSON a line, the oldest first.")

    @OptionGroup var folder: DataOptions

    func run() async throws {
        try await OperatorClient(try Configuration.load(folder.texts)).outbox { Terminal.say($0) }
    }
}
