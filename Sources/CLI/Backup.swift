import ArgumentParser
import Server

/// `syncline backup`
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies the data to one file; a server may run meanwhile.",
        discussion: """
            The file holds the tables as they are when the copy begins, and no secret but sealed ones. It is written as FILE.partial and \
            takes its name when it is whole. It cannot be in the data folder. The objects of buckets are copied to the folder \
            FILE.objects, as far as they are not in it already.
            """)

    @Argument(help: "The file to write.")
    var file: String

    @OptionGroup var folder: DataOptions

    @Flag(name: .long, help: "Replace the file if there is one.")
    var force = false

    @Option(
        name: .long,
        help:
            "A file whose first line is a passphrase: the keys of user pools are written to FILE.keys, encrypted under it."
    )
    var passphraseFile: String?

    func run() async throws {
        let configuration = try Configuration.load(folder.texts)
        let passphrase = try passphraseFile.map(KeyBackup.passphrase)
        let hasKeys = KeyBackup.isNeeded(configuration)
        if passphrase != nil, hasKeys { try KeyBackup.check(configuration, besideBackup: file, replaces: force) }
        try await OperatorClient(configuration).backUp(to: file, replaces: force)
        Terminal.say("Backed up \(configuration.data.folder) to \(file).")
        if let objects = Backups.objectsFolder(of: file) { Terminal.say("The objects of buckets are in \(objects).") }
        if let passphrase, hasKeys {
            try KeyBackup.write(configuration, besideBackup: file, passphrase: passphrase)
            Terminal.say("The keys of user pools are in \(file)\(KeyBackup.suffix).")
        } else if hasKeys {
            Terminal.complain(
                "The keys of user pools are not in the backup: without them nobody can use an old password. "
                    + "Write them with --passphrase-file FILE.")
        }
    }
}
