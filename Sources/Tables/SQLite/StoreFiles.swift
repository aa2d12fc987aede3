#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The files that an open store works with: its database, the log, the log's index, and the lock of the folder.
///
/// The store has all of them open until it is closed. What is written to a file whose path was removed, or leads to
/// another file, cannot be found by the next start.
struct StoreFiles: Sendable {
    private let folder: String
    private let database: FileIdentity?
    private let log: FileIdentity?
    private let logIndex: FileIdentity?
    private let lock: FileIdentity?

    /// The files that a store has just opened in the folder. SQLite makes the log and its index when a connection first
    /// reads, and removes them with the last connection (SQLite, "WAL-mode File Format", §1).
    init(in folder: String) {
        self.folder = folder
        let path = DataFolder.database(in: folder)
        database = FileIdentity(of: path)
        log = FileIdentity(of: path + "-wal")
        logIndex = FileIdentity(of: path + "-shm")
        lock = FileIdentity(of: folder + "/lock")
    }

    /// Checks that each path still refers to the file that the store opened. Makes four system calls.
    ///
    /// - Throws: `lost`, with the first path that does not.
    func verify() throws(StoreError) {
        guard isDatabaseInPlace else {
            throw Self.loss(
                of: "The database", at: path,
                hint: "If the data folder was moved, move it back and start again; otherwise restore a backup.")
        }
        let hint = "Check what is in the data folder before you start again, or restore a backup."
        guard isInPlace(log, "-wal") else { throw Self.loss(of: "The database's log", at: path + "-wal", hint: hint) }
        guard isInPlace(logIndex, "-shm") else {
            throw Self.loss(of: "The index of the database's log", at: path + "-shm", hint: hint)
        }
        guard isLockInPlace else {
            throw Self.loss(of: "The lock of the data folder", at: folder + "/lock", hint: hint)
        }
    }

    /// Renames a `-wal` file that replaced the store's own: the next start would apply it over newer pages. To be called
    /// only when all of the store's own log has been copied into the database.
    func setForeignLogAside() {
        guard isDatabaseInPlace, isLockInPlace, !isInPlace(log, "-wal") else { return }
        unsafe rename(path + "-wal", path + "-wal.foreign")
    }

    private var path: String { DataFolder.database(in: folder) }

    private var isDatabaseInPlace: Bool { FileIdentity(of: path) == database }

    private var isLockInPlace: Bool { FileIdentity(of: folder + "/lock") == lock }

    private func isInPlace(_ file: FileIdentity?, _ suffix: String) -> Bool {
        // A file system without shared memory has no log.
        file == nil || FileIdentity(of: path + suffix) == file
    }

    private static func loss(of file: String, at path: String, hint: String) -> StoreError {
        StoreError(
            .lost, "\(file) is no longer at \(path): it was removed or replaced. Nothing is written any more.",
            hint: hint)
    }
}
