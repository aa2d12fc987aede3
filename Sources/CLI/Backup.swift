import ArgumentParser
import Server

/// `syncline backup`
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies the data to a file; a server may run meanwhile.",
        discussion: """
            The file holds the tables as they are when the copy begins, and no secret but sealed ones. It is written in a folder beside \
            FILE and takes its name when it is whole. It cannot be in the data folder. The objects of buckets are copied to the folder \
            FILE.objects, as far as they are not in it already. With --archive the file is a tar archive of both.
            """)

    @Argument(help: "The file to write.")
    var file: String

    @OptionGroup var folder: DataOptions

    @Flag(name: .long, help: "Replace the file if there is one; it has to be a backup.")
    var force = false

    @Flag(name: .long, help: "Write one archive, with the objects of buckets in it; it needs the program tar.")
    var archive = false

    @Option(
        name: .long,
        help:
            "A file whose first line is a passphrase: the keys of user pools are written to a file of their own, encrypted."
    )
    var passphraseFile: String?

    @Option(name: .long, help: "The file of the keys; FILE.keys if not given.")
    var keys: String?

    func validate() throws {
        guard keys == nil || passphraseFile != nil else {
            throw ValidationError("--keys needs --passphrase-file: keys are not written unencrypted.")
        }
    }

    func run() async throws {
        let configuration = try Configuration.load(folder.texts)
        let passphrase = try passphraseFile.map(KeyBackup.passphrase)
        let hasKeys = KeyBackup.isNeeded(configuration)
        let keys = self.keys ?? file + KeyBackup.suffix
        if passphrase != nil, hasKeys { try KeyBackup.check(configuration, file: keys, replaces: force) }
        let client = OperatorClient(configuration)
        if archive {
            try await BackupArchive.make(file, of: configuration, replaces: force) { file in
                try await client.backUp(to: file, replaces: false)
            }
        } else {
            try await client.backUp(to: file, replaces: force)
        }
        Terminal.say("Backed up \(configuration.data.folder) to \(file).")
        if !archive, let objects = Backups.objectsFolder(of: file) {
            Terminal.say("The objects of buckets are in \(objects).")
        }
        if let passphrase, hasKeys {
            try KeyBackup.write(configuration, to: keys, passphrase: passphrase)
            Terminal.say("The keys of user pools are in \(keys).")
        } else if hasKeys {
            Terminal.complain(
                "The keys of user pools are not in the backup: without them nobody can use an old password. "
                    + "Write them with --passphrase-file FILE.")
        }
    }
}
