import ArgumentParser
import Server

/// `syncline restore`
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup in the place of the data; no server may run meanwhile.",
        discussion: """
            The backup is copied and checked first; then it takes the place of the data, all or nothing. Page tokens from \
            before are no longer valid. Devices with Amplify DataStore take the restored items for the latest, and delete \
            those that the backup lacks.
            """)

    @Argument(help: "The file or the archive that 'syncline backup' wrote.")
    var file: String

    @OptionGroup var folder: DataOptions

    @Flag(name: .long, help: "Replace the data that is there without asking.")
    var yes = false

    @Option(name: .long, help: "A file whose first line is the passphrase of the keys of user pools.")
    var passphraseFile: String?

    @Option(name: .long, help: "The file of the keys; FILE.keys if not given.")
    var keys: String?

    func validate() throws {
        guard keys == nil || passphraseFile != nil else { throw ValidationError("--keys needs --passphrase-file.") }
    }

    func run() throws {
        let configuration = try Configuration.load(folder.texts)
        let keyFile = self.keys ?? file + KeyBackup.suffix
        let keys = try passphraseFile.map { try KeyBackup.read(keyFile, passphrase: KeyBackup.passphrase($0)) }
        let notes = try BackupArchive.with(file, for: configuration) {
            try restore($0, to: configuration, keys, keyFile)
        }
        Terminal.say("Restored \(configuration.data.folder) from \(file).")
        for note in notes { Terminal.say(note) }
    }

    /// - Parameter unpacked: The backup's file, which is another one than `file` if that is an archive.
    private func restore(
        _ unpacked: String, to configuration: Configuration, _ keys: [String: [UInt8]]?, _ keyFile: String
    ) throws -> [String] {
        try Backups.restore(unpacked, to: configuration, keys: keys) {
            if yes { return true }
            let question = "\(configuration.data.folder) holds data. Replace it by \(file)?"
            if let answer = Terminal.confirms(question) { return answer }
            throw ServerError(
                .refused,
                "\(configuration.data.folder) holds data, and there is no terminal to ask. Nothing was changed.",
                hint: "Replace it with --yes.")
        } mayLose: { list in
            let lost =
                (keys == nil
                    ? "The keys of the backup's users are not in \(configuration.data.folder)."
                    : "The keys in \(keyFile) are not all those of the backup's users.")
                + " A restore loses \(list)."
            if yes {
                Terminal.complain(lost)
                return true
            }
            if let answer = Terminal.confirms("\(lost) Restore it all the same?") { return answer }
            throw ServerError(
                .refused, "\(lost) There is no terminal to ask, and nothing was changed.",
                hint: "Give the keys with --passphrase-file FILE, or accept the loss with --yes.")
        } mayLoseObjects: { count in
            let lost = "The files of \(count) objects are not in the backup: these objects could not be read."
            if yes {
                Terminal.complain(lost)
                return true
            }
            if let answer = Terminal.confirms("\(lost) Restore it all the same?") { return answer }
            throw ServerError(
                .refused, "\(lost) There is no terminal to ask, and nothing was changed.",
                hint: "Put the folder \(file).objects beside the backup, or accept the loss with --yes.")
        }
    }
}
