import Buckets
import Tables
import UserPools

/// Backups of the data folder, and the way back.
public enum Backups {
    /// Copies the database to a file, and the objects of buckets to a folder beside it, while a server may run.
    ///
    /// - Parameter replaces: Whether a backup of that name may be replaced; never another file, or one of the data folder.
    public static func make(_ file: String, of configuration: Configuration, replaces: Bool) throws(ServerError) {
        try check(file, of: configuration, replaces: replaces)
        try BackupObjects(file: file, configuration).make(file) { copy throws(ServerError) in
            // Another backup may have ended since.
            try checkReplacing(file, replaces)
            try copyTables(to: copy, for: file, of: configuration)
        }
    }

    /// - Parameter file: The backup's file, for messages.
    private static func copyTables(
        to copy: String, for file: String, of configuration: Configuration
    ) throws(ServerError) {
        do throws(StoreError) {
            try LocalStore.backUp(folder: configuration.data.folder, to: copy)
        } catch {
            throw ServerError(opening: "Backing up \(configuration.data.folder) to \(file)", error)
        }
    }

    /// The folder of a backup's objects; nil of one that has none.
    public static func objectsFolder(of file: String) -> String? {
        let folder = file + BackupObjects.suffix
        return Files.isFolder(folder) ? folder : nil
    }

    /// The longest name of a backup's file: the folder that it is written in has a longer one (POSIX, `NAME_MAX`).
    private static let nameBytesMax = 200
    /// What is read of a file to see whether it is a backup.
    private static let headBytes = 4_096

    /// Refuses what cannot be backed up, and a file that must not be replaced; changes nothing.
    static func check(_ file: String, of configuration: Configuration, replaces: Bool) throws(ServerError) {
        try AmplifyFolder.refuseWriting(file: file, of: "FILE")
        try checkFolder(of: configuration)
        try checkPath(file)
        do throws(StoreError) {
            try LocalStore.checkBackUp(folder: configuration.data.folder, to: file)
        } catch {
            throw ServerError(.usage, error.message, hint: error.hint)
        }
        try BackupObjects(file: file, configuration).checkFolder()
        try checkReplacing(file, replaces)
        do throws(StoreError) {
            guard try LocalStore.inspect(folder: configuration.data.folder) == nil else { return }
        } catch {
            throw ServerError(opening: "Backing up \(configuration.data.folder) to \(file)", error)
        }
        throw ServerError(
            .data, "Backing up \(configuration.data.folder) to \(file): There is no database in the folder.",
            hint: "Name the folder that is served.")
    }

    private static func checkPath(_ file: String) throws(ServerError) {
        guard !file.utf8.contains(0), FilesPath.lastPart(of: file).utf8.count <= nameBytesMax else {
            throw ServerError(
                .usage, "\(LogText.excerpt(file)) is no path of a backup.",
                hint: "The name has at most \(nameBytesMax) bytes, and no byte of it is 0.")
        }
        let folder = Files.folder(of: file)
        guard Files.isFolder(folder) else {
            throw ServerError(
                .usage, "There is no folder \(LogText.excerpt(folder)).", hint: "Make it, or name another file.")
        }
    }

    /// Refuses a file that is there already, unless it may be replaced and is a backup.
    private static func checkReplacing(_ file: String, _ replaces: Bool) throws(ServerError) {
        // Also a link that leads nowhere would be replaced.
        guard Files.exists(file) || Files.target(ofLink: file) != nil else { return }
        guard replaces else {
            throw ServerError(
                .refused, "\(file) is there already.", hint: "Replace it with --force, or name another file.")
        }
        guard isReplaceable(file) else {
            throw ServerError(
                .refused, "\(file) is there already, and is no backup.", hint: "Remove it, or name another file.")
        }
    }

    /// Whether a file is a backup, an archive of one, or empty.
    private static func isReplaceable(_ file: String) -> Bool {
        guard let head = try? LocalFile.reading(file).read(headBytes) else { return false }
        return head.isEmpty || LocalStore.isDatabase(beginningWith: head) || BackupArchive.isOwn(beginningWith: head)
    }

    /// Puts a backup in the place of the data folder's database, under the folder's lock.
    ///
    /// - Parameters:
    ///   - isAllowed: Decides, once and before anything is changed, whether data may be replaced; asked only if
    ///   there is some.
    ///   - keys: The files of keys that were kept with the backup; nil where none are given.
    ///   - mayLose: Decides whether the backup is restored though some of it was sealed or signed by other keys than those
    ///   given, or else those of the folder; asked only if something is lost, with a list of it.
    ///   - mayLoseObjects: Decides whether the backup is restored though the files of so many of its objects are neither beside
    ///   it nor in the folder; asked only if there are any.
    /// - Returns: What it means for devices, as sentences; none if there are no versions.
    public static func restore(
        _ file: String, to configuration: Configuration, keys: [String: [UInt8]]? = nil, isAllowed: () throws -> Bool,
        mayLose: (_ sentence: String) throws -> Bool = { _ in true },
        mayLoseObjects: (_ count: Int) throws -> Bool = { _ in true }
    ) throws -> [String] {
        try checkFolder(of: configuration)
        if keys != nil { try KeyBackup.checkFolder(of: configuration) }
        do {
            let restoration = try Restoration(
                of: file, toFolder: configuration.data.folder,
                tombstoneSeconds: Int64(configuration.limits.tombstoneSeconds))
            guard try !restoration.replacesData || isAllowed() else {
                throw ServerError(.refused, "Nothing was changed.")
            }
            let lost = try lostSecrets(of: restoration, keys, configuration)
            guard try lost.isEmpty || mayLose(lost.sentence) else {
                throw ServerError(.refused, "Nothing was changed.")
            }
            let (objects, names) = (BackupObjects(file: file, configuration), try blobNames(of: restoration))
            let lostCount = try objects.lostCount(of: names)
            guard try lostCount == 0 || mayLoseObjects(lostCount) else {
                throw ServerError(.refused, "Nothing was changed.")
            }
            try objects.restore(names)
            if let keys { try KeyBackup.write(keys, to: restoration.keyFolder) }
            // A restore brings back data, and must not take back what operators did since.
            let entries = try audit(of: configuration.data.folder)
            let sentences = try restoration.complete().map(notes) ?? []
            PrivateFiles.secure(configuration.data.folder)
            try restoreAudit(entries, file, configuration)
            return sentences
        } catch let error as StoreError {
            switch error.code {
            case .invalidRequest: throw ServerError(.usage, error.message, hint: error.hint)
            case .damaged, .newerVersion: throw ServerError(opening: file, error)
            default: throw ServerError(opening: configuration.data.folder, error)
            }
        }
    }

    private static func blobNames(of restoration: borrowing Restoration) throws(StoreError) -> Set<String> {
        try BackupObjects.names { table, column, body throws(StoreError) in
            try restoration.forEachText(inTable: table, column: column, body)
        }
    }

    /// What of a backup the keys do not open: those given, or else those of the folder.
    private static func lostSecrets(
        of restoration: borrowing Restoration, _ keys: [String: [UInt8]]?, _ configuration: Configuration
    ) throws(StoreError) -> LostSecrets {
        let folder = KeyBackup.keys(of: configuration)
        let files = keys.map { Set($0.keys) } ?? folder.files
        let sealing = keys.map { $0[LostSecrets.sealingFileName] } ?? folder.sealing
        return try LostSecrets(files: files, sealing: sealing) { table, column, body throws(StoreError) in
            try restoration.forEachText(inTable: table, column: column, body)
        }
    }

    /// The audit log before a restore; none where the data cannot be read.
    private static func audit(of folder: String) throws(StoreError) -> [AuditEntry] {
        var entries: [AuditEntry] = []
        do throws(StoreError) {
            while true {
                let page = try LocalStore.auditEntries(
                    folder: folder, after: entries.last?.number ?? 0, countMax: OperatorCall.listCountMax)
                guard !page.isEmpty else { return entries }
                entries += page
            }
        } catch {
            // What is damaged is the reason to restore.
            return entries
        }
    }

    /// Adds the entries that the backup lacks, and one for the restore.
    private static func restoreAudit(
        _ entries: [AuditEntry], _ file: String, _ configuration: Configuration
    ) throws(StoreError) {
        let store = try LocalStore.open(
            folder: configuration.data.folder, options: .init(durability: .full, limits: configuration.limits.store))
        defer { store.close() }
        let kept = Set(try audit(of: configuration.data.folder).map { [$0.requestID, $0.action] })
        let caller = OperatorCallHandler.Caller.commandLine
        let restored = AuditEntry(
            milliseconds: Moment.now.milliseconds, operator: caller.name, role: caller.role.rawValue,
            action: "backups.restore", target: file, requestID: caller.requestID, address: caller.address)
        try store.addToAudit(entries.filter { !kept.contains([$0.requestID, $0.action]) } + [restored])
    }

    private static func notes(_ versions: RestoredVersions) -> [String] {
        var notes: [String] = []
        if versions.deletedCount > 0 {
            notes.append("Items that the backup lacks will be deleted on devices, too: \(versions.deletedCount).")
        }
        if !versions.isComplete {
            notes.append(
                "The data before it are absent, unreadable or no descendant of the backup, so all versions rose by "
                    + "\(RestoredVersions.unknownRise). Call DataStore.clear() on devices that may hold items which the "
                    + "backup lacks.")
        }
        return notes
    }

    private static func checkFolder(of configuration: Configuration) throws(ServerError) {
        guard configuration.data.isEphemeral else { return }
        throw ServerError(
            .usage, "Data that is thrown away at exit has no backups.",
            hint: "Name a folder with \(Setting.data.flag).")
    }
}
