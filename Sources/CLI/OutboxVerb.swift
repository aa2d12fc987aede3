import ArgumentParser
import Server

/// `syncline outbox`
struct OutboxVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox",
        abstract: "Prints the messages to users with their codes, one of JSON a line, the oldest first.",
        discussion: "A message whose keys were lost in a restore has no text and no code, and \"lost\": true.")

    @Flag(name: .long, help: "Print JSON, which is the only form.")
    var json = false

    @OptionGroup var folder: DataOptions

    func run() async throws {
        try await OperatorClient(try Configuration.load(folder.texts)).outbox { Terminal.say($0) }
    }
}
