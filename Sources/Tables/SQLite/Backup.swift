internal import CSQLite

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

extension SQLiteStore {
    /// Copies a folder's database into one file, beside whoever serves it and without the folder's lock: its state at
    /// the moment this begins. The file needs no log, holds no secret, and replaces one of the same name when it is
    /// whole and was found well-formed.
    ///
    /// The copy holds one snapshot while it is made, during which the log of the database cannot be begun anew.
    public static func backUp(folder: String, to path: String) throws(StoreError) {
        guard DataFolder.hasDatabase(in: folder) else {
            throw StoreError(.damaged, "There is no database in the folder.", hint: "Name the folder that is served.")
        }
        let source = try Connection(
            path: DataFolder.database(in: folder), mode: .reading, limits: StoreLimits())
        let file = try PartialFile(path + ".partial")
        try file.fill(from: source, check: "quick_check")
        try file.publish(as: path)
    }
}

/// A backup that was copied into a locked data folder and found whole, and waits to take the place of what is there.
///
/// Until `complete` nothing of the old data is touched; let go of without it, this leaves the folder as it was.
public struct Restoration: ~Copyable {
    /// Whether the folder holds items, or what cannot be read, that would be replaced.
    public let replacesData: Bool
    private let folder: DataFolder
    private let file: PartialFile

    /// Locks the folder, which is made if need be, and copies and checks the backup: that it is ours, of a known version,
    /// and that its pages, rows and indexes agree.
    public init(of backup: String, toFolder path: String) throws(StoreError) {
        guard access(backup, R_OK) == 0 else {
            throw StoreError(.damaged, "The backup cannot be read: \(String(cString: strerror(errno))).")
        }
        let folder = try DataFolder(path)
        let file = try PartialFile(folder.restoredPath)
        let source = try Connection(path: backup, mode: .reading, limits: StoreLimits())
        try file.fill(from: source, check: "integrity_check")
        (self.folder, self.file) = (folder, file)
        // What cannot be read may still be worth something to somebody.
        do {
            replacesData = try SQLiteStore.inspect(folder: path)?.hasItems ?? false
        } catch {
            replacesData = true
        }
    }

    /// Puts the backup in the place of the folder's database, all or nothing, and forgets the folder's secret: page
    /// tokens of the old data lead nowhere in the new. Then the folder is unlocked.
    public consuming func complete() throws(StoreError) {
        try folder.install(file)
    }
}

extension PartialFile {
    /// Copies the database into the file, and checks the copy. A file without a database of ours is refused.
    fileprivate func fill(from source: Connection, check: String) throws(StoreError) {
        // One snapshot for the whole copy: what is written meanwhile would make the copying begin again (SQLite, "Online
        // Backup API", "File and Database Connection Locking"). The first look at the file begins it.
        try source.execute("BEGIN")
        guard try Catalog.isPresent(on: source) else {
            throw StoreError(.damaged, "The database is empty: no server has used it yet.")
        }
        try copy(source)
        // Only a connection that reads the copy afresh finds its form, which is the source's, and can change it: without
        // a log it is one file, and can be read where nothing may be written.
        let copy = try Connection(path: path, mode: .writing, limits: StoreLimits())
        try copy.execute("PRAGMA journal_mode = DELETE")
        let findings = try copy.rows("PRAGMA \(check)(1)", columns: 1).first?.values.first
        guard findings == .text("ok") else {
            throw StoreError(
                .damaged, "The database is malformed, and was not copied.", hint: "Use an older backup.")
        }
    }

    private func copy(_ source: Connection) throws(StoreError) {
        let target = try Connection(path: path, mode: .writing, limits: StoreLimits())
        // Nothing is to be rolled back to, and `publish` synchronises the file once.
        try target.execute("PRAGMA journal_mode = MEMORY")
        try target.execute("PRAGMA synchronous = OFF")
        // SQLite, "sqlite3_backup_init": the target may not be closed before the copying has ended, which SQLite does not
        // see to as it does for the source.
        try withExtendedLifetime(target) { () throws(StoreError) in
            guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
                throw StoreError(
                    sqlite: sqlite3_extended_errcode(target.handle), on: target.handle, while: "copying it")
            }
            var code = SQLITE_OK
            while code == SQLITE_OK { code = sqlite3_backup_step(backup, 1_024) }
            let end = sqlite3_backup_finish(backup)
            guard code == SQLITE_DONE, end == SQLITE_OK else {
                throw StoreError(sqlite: code == SQLITE_DONE ? end : code, on: target.handle, while: "copying it")
            }
        }
    }
}
