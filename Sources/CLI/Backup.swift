import ArgumentParser
import Server

/// `syncline backup`
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies the data to one file; a server may run meanwhile.",
        discussion: """
            The file holds the tables as they are when the copy begins, and no secret. It is written as FILE.partial and \
            takes its name when it is whole. It cannot be in the data folder.
            """)

    @Argument(help: "The file to write.")
    var file: String

    @OptionGroup var folder: DataOptions

    @Flag(name: .long, help: "Replace the file if there is one.")
    var force = false

    func run() async throws {
        let configuration = try Configuration.load(folder.texts)
        try await OperatorClient(configuration).backUp(to: file, replaces: force)
        Terminal.say("Backed up \(configuration.data.folder) to \(file).")
    }
}
