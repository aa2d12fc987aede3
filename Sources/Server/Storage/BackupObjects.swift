import Buckets
import Tables

/// The objects of a backup: a folder beside its file, `FILE.objects`, with each blob that the metadata in the file refer to. Blobs
/// never change, so a blob that is already in the folder is not copied again.
struct BackupObjects {
    /// The suffix that is appended to the name of the backup's file.
    static let suffix = ".objects"
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

    /// Whether the data folder has any blob.
    var isNeeded: Bool {
        ((try? Files.names(inFolder: data)) ?? []).contains { shard in
            !((try? Files.names(inFolder: "\(data)/\(shard)")) ?? []).isEmpty
        }
    }

    /// Backs up the tables and the objects that they refer to, also while a server runs. If an object is removed after the tables
    /// were copied, but before the object is, the tables are copied again. An earlier backup of the same name stays complete until
    /// this one is.
    ///
    /// - Parameter copyTables: Copies the tables to a file.
    func make(
        _ file: String, copyTables: (_ file: String) throws(ServerError) -> Void
    ) throws(ServerError) {
        let tables = "\(file).tables"
        defer { Files.remove(tables) }
        var gone: Set<String> = []
        for _ in 0..<Self.attemptsMax {
            try copyTables(tables)
            let names = try Self.names(in: tables)
            let missing = try copy(names, from: data, to: backup)
            guard missing.isDisjoint(with: gone) else {
                throw ServerError(
                    .data, "\(missing.intersection(gone).count) objects have lost their files in \(data).",
                    hint: "Remove or replace these objects, and back up again.")
            }
            guard missing.isEmpty else {
                gone = missing
                continue
            }
            do throws(Files.Failure) { try Files.move(tables, to: file) } catch {
                throw ServerError(.failed, "Cannot write \(file): \(error.reason).")
            }
            removeOthers(than: names)
            return
        }
        throw ServerError(
            .failed, "Objects are replaced faster than they can be backed up.", hint: "Back up again later.")
    }

    /// Copies the objects of a backup to the data folder, before its tables are restored.
    ///
    /// - Returns: The number of blobs that are in neither folder.
    func restore(_ names: Set<String>) throws(ServerError) -> Int {
        guard !names.isEmpty else { return 0 }
        return try copy(names, from: backup, to: data).count
    }

    /// The names of the blobs that the metadata in a backup's file refer to.
    private static func names(in file: String) throws(ServerError) -> Set<String> {
        var names: Set<String> = []
        do throws(StoreError) {
            for (table, column) in BucketTables.blobColumns {
                try Restoration.forEachText(ofBackup: file, inTable: table, column: column) { names.insert($0) }
            }
        } catch {
            throw ServerError(opening: file, error)
        }
        return names.filter(BlobStore.isName)
    }

    /// Copies missing blobs.
    ///
    /// - Returns: The blobs that are in neither folder.
    private func copy(
        _ names: Set<String>, from source: String, to target: String
    ) throws(ServerError) -> Set<String> {
        var missing: Set<String> = []
        do throws(Files.Failure) {
            for name in names {
                let path = BlobStore.relativePath(of: name)
                guard !Files.exists("\(target)/\(path)") else { continue }
                guard let file = try? LocalFile.reading("\(source)/\(path)") else {
                    missing.insert(name)
                    continue
                }
                try Files.makeFolder("\(target)/\(path.prefix(2))")
                let partial = "\(target)/\(path).partial"
                do throws(Files.Failure) {
                    let copy = try LocalFile.writing(partial)
                    while true {
                        let bytes = try file.read(FilesClient.pieceBytes)
                        if bytes.isEmpty { break }
                        try copy.write(bytes)
                    }
                    try copy.synchronize()
                    try Files.move(partial, to: "\(target)/\(path)")
                } catch {
                    Files.remove(partial)
                    throw error
                }
            }
        } catch {
            throw ServerError(.failed, "Cannot copy objects to \(target): \(error.reason).")
        }
        return missing
    }

    /// Removes blobs from the backup's folder that the tables do not refer to.
    private func removeOthers(than names: Set<String>) {
        for shard in (try? Files.names(inFolder: backup)) ?? [] {
            for name in (try? Files.names(inFolder: "\(backup)/\(shard)")) ?? [] where !names.contains(name) {
                Files.remove("\(backup)/\(shard)/\(name)")
            }
        }
    }
}
