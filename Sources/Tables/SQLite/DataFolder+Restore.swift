#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Another database in the place of the present one, so that an end of the process or the power at any moment leaves
/// either of them, whole, with its own log.
///
/// The steps: the old database is renamed, then its log and its journal; the new one is renamed into the place; the old
/// ones are removed. So an old database without a present one says that the restore did not happen, and with one that it
/// did. Where there was no database, an empty folder has the name of the old one.
///
/// A folder of keys may be restored with the database. It was written whole before the first step, and takes the place of
/// the present one after the new database has taken its own, before the old one is removed.
extension DataFolder {
    /// What SQLite adds to the path of a database for what belongs to it: the log, the journal, and the log's index,
    /// which is made anew from the log.
    static let companions = ["-wal", "-journal", "-shm"]
    /// Those without which a database is not whole.
    private static let logs = ["-wal", "-journal"]

    /// Where a database is prepared.
    var restoredPath: String { Self.restored(in: path) }

    private static func restored(in folder: String) -> String { database(in: folder) + ".restored" }
    private static func replaced(in folder: String) -> String { database(in: folder) + ".replaced" }

    private var keys: String { path + "/keys" }
    /// Where keys are prepared that are to be restored with the database.
    var restoredKeys: String { keys + ".restored" }
    private var replacedKeys: String { keys + ".replaced" }

    private var database: String { Self.database(in: path) }
    private var replaced: String { Self.replaced(in: path) }

    /// Whether there is a database, for those who read it without the folder's lock.
    ///
    /// - Throws: `damaged`, if a restore has begun to put its database into the place of the folder's, and was
    ///   interrupted: the data are there, under another name.
    static func findsDatabase(in folder: String) throws(StoreError) -> Bool {
        if hasDatabase(in: folder) { return true }
        guard unsafe access(replaced(in: folder), F_OK) == 0 else { return false }
        throw StoreError(
            .damaged, "A restore was interrupted.",
            hint: "Start the server or restore again: either ends or undoes it first.")
    }

    /// Whether a path leads to a file by which the folder works, such as its database or its lock, by whichever link.
    static func isOwnFile(_ path: String, of folder: String) -> Bool {
        guard let identity = FileIdentity(of: path) else { return false }
        let databases = [database(in: folder), restored(in: folder), replaced(in: folder)]
        let files = databases.flatMap { database in ([""] + companions).map { database + $0 } }
        return (files + ["lock", "secret", "secret.new"].map { "\(folder)/\($0)" })
            .contains { FileIdentity(of: $0) == identity }
    }

    /// Replaces the database, and removes the secret.
    func install(_ file: PartialFile) throws(StoreError) {
        do throws(StoreError) {
            unsafe unlink(path + "/secret")
            if isPresent(restoredKeys), !exists(database) {
                guard unsafe mkdir(replaced, 0o700) == 0 else {
                    throw StoreError(system: errno, "A folder in the data folder cannot be made")
                }
            }
            try move(database, to: replaced)
            for suffix in Self.logs { try move(database + suffix, to: replaced + suffix) }
            unsafe unlink(database + "-shm")
            try file.publish(as: database)
        } catch {
            try settleRestore()
            throw error
        }
        try settleRestore()
    }

    /// Ends what an interrupted restore has begun: back to the old database if the new one was not yet in its place.
    func settleRestore() throws(StoreError) {
        for suffix in Self.companions + [""] { unsafe unlink(restoredPath + suffix) }
        guard exists(replaced) else { return Self.removeTree(restoredKeys) }
        if exists(database) {
            try settleKeys()
            try PartialFile.synchronizeFolder(of: database)
            // The database goes last, for its presence alone shows that a restore was interrupted.
            for suffix in Self.companions + [""] { unsafe unlink(replaced + suffix) }
            unsafe rmdir(replaced)
        } else {
            Self.removeTree(restoredKeys)
            // There was no database.
            if unsafe rmdir(replaced) == 0 { return }
            // The logs first: a database is never in its place without them.
            for suffix in Self.logs { try move(replaced + suffix, to: database + suffix) }
            try move(replaced, to: database)
        }
    }

    /// Puts restored keys in their place, from whichever step on.
    private func settleKeys() throws(StoreError) {
        if isPresent(restoredKeys) {
            if isPresent(keys) {
                Self.removeTree(replacedKeys)
                try move(keys, to: replacedKeys)
            }
            try move(restoredKeys, to: keys)
        }
        Self.removeTree(replacedKeys)
    }

    private func move(_ name: String, to other: String) throws(StoreError) {
        guard unsafe rename(name, other) == 0 || errno == ENOENT else {
            throw StoreError(system: errno, "A file of the data folder cannot be renamed")
        }
    }

    private func exists(_ name: String) -> Bool { unsafe access(name, F_OK) == 0 }

    /// Whether there is anything of that name, a symbolic link that leads nowhere as well.
    private func isPresent(_ name: String) -> Bool {
        var status = stat()
        return unsafe lstat(name, &status) == 0
    }

    /// Removes what is at a path, a folder with what is in it. Symbolic links are removed and never followed.
    private static func removeTree(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR, let names = try? FolderNames.read(path) else {
            unsafe unlink(path)
            return
        }
        for name in names { removeTree("\(path)/\(name)") }
        unsafe rmdir(path)
    }
}
