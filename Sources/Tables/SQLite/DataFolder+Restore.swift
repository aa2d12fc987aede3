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
/// The steps: the old database is renamed, then its log; the new one is renamed into the place; the old ones are
/// removed. So an old database without a present one says that the restore did not happen, and with one that it did.
extension DataFolder {
    /// Where a database is prepared.
    var restoredPath: String { database + ".restored" }

    private var database: String { Self.database(in: path) }
    private var replaced: String { database + ".replaced" }

    /// Replaces the database, and removes the secret.
    func install(_ file: PartialFile) throws(StoreError) {
        do {
            unlink(path + "/secret")
            try move(database, to: replaced)
            try move(database + "-wal", to: replaced + "-wal")
            // An index of the log, which is made anew from the log.
            unlink(database + "-shm")
            try file.publish(as: database)
        } catch {
            try settleRestore()
            throw error
        }
        try settleRestore()
    }

    /// Ends what an interrupted restore has begun: back to the old database if the new one was not yet in its place.
    func settleRestore() throws(StoreError) {
        unlink(restoredPath)
        guard exists(replaced) else { return }
        if exists(database) {
            try PartialFile.synchronizeFolder(of: database)
            // The database goes last, for it alone tells that there is something to end.
            for name in [replaced + "-wal", replaced + "-shm", replaced] { unlink(name) }
        } else {
            // The log first: a database is never in its place without it.
            try move(replaced + "-wal", to: database + "-wal")
            try move(replaced, to: database)
        }
    }

    private func move(_ name: String, to other: String) throws(StoreError) {
        guard rename(name, other) == 0 || errno == ENOENT else {
            throw StoreError(system: errno, "A file of the data folder cannot be renamed")
        }
    }

    private func exists(_ name: String) -> Bool { access(name, F_OK) == 0 }
}
