import Buckets
import Tables

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The objects of a backup: a folder beside its file, `FILE.objects`, with each blob that the metadata in the file refer to. Blobs
/// never change, so a blob that is already in the folder is not copied again.
struct BackupObjects {
    /// The suffix that is appended to the name of the backup's file.
    static let suffix = ".objects"
    /// The suffix of the folder in which a backup is written before it takes its name; of an archive, too, so that one of them
    /// at a time is written.
    static let workSuffix = "parts"
    /// Maximum number of attempts to copy the tables together with all of their objects.
    private static let attemptsMax = 20

    /// The folder of the backup.
    let backup: String
    /// The folder of the data.
    let data: String

    init(file: String, _ configuration: Configuration) {
        backup = file + Self.suffix
        data = Files.path(BucketService.folderName, in: configuration.data.folder)
    }

    /// Backs up the tables and the objects that they refer to, also while a server runs. A `BackupLease` makes the server keep the
    /// files of removed objects. It may remove one all the same: without a lease or after its time, with too many files, or
    /// without room on the disk. The tables are then copied again. An earlier backup of the same name stays complete until
    /// this one is. Which objects there are is what the tables say, not what is found in the folder.
    ///
    /// - Parameter copyTables: Copies the tables to a file.
    func make(
        _ file: String, copyTables: (_ file: String) throws(ServerError) -> Void
    ) throws(ServerError) {
        let lease = BackupLease(BlobFolder(data))
        defer { withExtendedLifetime(lease) {} }
        let work = try WorkFolder.make(beside: file, suffix: Self.workSuffix, for: "backup to \(file)")
        defer { work.remove() }
        let tables = Files.path("tables", in: work.path)
        try checkFolder()
        var gone: Set<String> = []
        for _ in 0..<Self.attemptsMax {
            try copyTables(tables)
            let names = try Self.names(in: tables)
            let missing = try Self.copy(names, from: BlobFolder(data), to: BlobFolder(backup), backup)
            guard missing.isDisjoint(with: gone) else {
                throw ServerError(
                    .data, "\(missing.intersection(gone).count) objects have lost their files in \(data).",
                    hint: "Remove or replace these objects, and back up again.")
            }
            guard missing.isEmpty else {
                gone = missing
                continue
            }
            // The folder may have been made by this backup.
            try checkFolder()
            do throws(Files.Failure) { try Files.move(tables, to: file) } catch {
                throw ServerError(.failed, "Cannot write \(file): \(error.reason).")
            }
            Files.synchronizeFolder(Files.folder(of: file))
            BlobFolder(backup).removeBlobs(otherThan: names)
            return
        }
        throw ServerError(
            .failed, "Objects are replaced faster than they can be backed up.", hint: "Back up again later.")
    }

    /// Refuses a link in the place of the backup's folder: blobs of the folder that it leads to would be removed.
    func checkFolder() throws(ServerError) {
        guard Files.target(ofLink: backup) == nil else {
            throw ServerError(
                .usage,
                "\(backup) is a symbolic link, and objects would be written to and removed from another folder.",
                hint: "Remove the link, or name another file.")
        }
    }

    /// The number of blobs that are neither beside the backup nor in the data folder.
    func lostCount(of names: Set<String>) throws(ServerError) -> Int {
        do throws(BlobError) { return try BlobFolder(data).missing(names, from: BlobFolder(backup)).count } catch {
            throw ServerError(.failed, "Cannot read objects in \(backup): \(Files.Failure(error).reason).")
        }
    }

    /// Copies the objects of a backup to the data folder, before its tables are restored. Those that are lost are left out.
    func restore(_ names: Set<String>) throws(ServerError) {
        guard !names.isEmpty else { return }
        do throws(Files.Failure) { try Files.makeFolder(Files.folder(of: data)) } catch {
            throw ServerError(.failed, "Cannot copy objects to \(data): \(error.reason).")
        }
        _ = try Self.copy(names, from: BlobFolder(backup), to: BlobFolder(data), data)
    }

    /// The names of the blobs that the metadata in a backup's file refer to.
    private static func names(in file: String) throws(ServerError) -> Set<String> {
        do throws(StoreError) {
            return try names { table, column, body throws(StoreError) in
                try Restoration.forEachText(ofBackup: file, inTable: table, column: column, body)
            }
        } catch {
            throw ServerError(opening: file, error)
        }
    }

    /// The names of the blobs that metadata refer to.
    ///
    /// - Parameter forEachText: Calls its last argument with each text in a column of a table.
    static func names(
        _ forEachText: (_ table: String, _ column: String, _ body: (String) -> Void) throws(StoreError) -> Void
    ) throws(StoreError) -> Set<String> {
        var names: Set<String> = []
        for (table, column) in BucketTables.blobColumns { try forEachText(table, column) { names.insert($0) } }
        return names.filter(BlobStore.isName)
    }

    /// Copies missing blobs.
    ///
    /// - Returns: The blobs that are in neither folder.
    private static func copy(
        _ names: Set<String>, from source: BlobFolder, to target: BlobFolder, _ path: String
    ) throws(ServerError) -> Set<String> {
        do throws(BlobError) { return try target.copy(names, from: source) } catch {
            throw ServerError(.failed, "Cannot copy objects to \(path): \(Files.Failure(error).reason).")
        }
    }
}

extension Files.Failure {
    fileprivate init(_ error: BlobError) {
        switch error {
        case .missing: self.init(code: ENOENT)
        case .diskFull: self.init(code: ENOSPC)
        case .busy: self.init(code: EMFILE)
        case .system(let code): self.init(code: code)
        }
    }
}
