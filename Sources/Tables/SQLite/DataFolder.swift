#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The folder that holds a store, locked for as long as this value lives: the database, the lock file, the secret.
final class DataFolder: Sendable {
    let path: String
    private let lockFile: Int32

    /// Makes the folder, readable by its owner alone, if it is not there, and locks it.
    init(_ path: String) throws(StoreError) {
        self.path = path
        try Self.makeFolder(path)
        let lockPath = path + "/lock"
        lockFile = unsafe open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lockFile >= 0 else { throw Self.error(errno, "The lock file of the data folder cannot be opened") }
        // A lock of the open file, not of the process: it also keeps out a second store of this process, and it goes
        // with the process, however that ends.
        guard flock(lockFile, LOCK_EX | LOCK_NB) == 0 else {
            let pid = Self.read(lockFile, countMax: 32).flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
            // `deinit` closes the file: it runs for an object whose properties are all set. Closing it here as well would
            // close whatever another thread has opened in between.
            throw StoreError(
                .locked(pid: pid),
                "The data folder is in use by another process\(pid.map { " (process id \($0))" } ?? "").",
                hint: "Stop it, or name another folder.")
        }
        ftruncate(lockFile, 0)
        _ = Self.write(Array(String(getpid()).utf8), to: lockFile)
        makePrivate()
        try settleRestore()
    }

    deinit {
        // A child that this process is starting has a copy of the descriptor until it runs its program: closing ours alone
        // would leave the lock to it until then.
        flock(lockFile, LOCK_UN)
        close(lockFile)
    }

    /// The path of the database in a folder.
    static func database(in folder: String) -> String { folder + "/tables.sqlite" }

    /// Whether there is a database.
    static func hasDatabase(in folder: String) -> Bool { unsafe access(database(in: folder), F_OK) == 0 }

    /// Makes the file of the database, which SQLite would let everybody read. Its log and the index of the log get the
    /// same rights (SQLite, `findCreateFileMode`).
    ///
    /// To be called before a connection is open: to close any descriptor of a file releases all of the process's locks on
    /// it (fcntl(2)).
    func createDatabase() {
        let file = unsafe open(Self.database(in: path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 { close(file) }
    }

    /// Restricts the store's files to their owner: an older version, or a copy, may have left them readable.
    private func makePrivate() {
        let database = Self.database(in: path)
        let databases = ["", ".restored", ".replaced"].flatMap { suffix in
            ["", "-wal", "-shm", "-journal"].map { database + suffix + $0 }
        }
        for name in databases + ["/lock", "/secret", "/secret.new"].map({ path + $0 }) {
            PrivateFile.restrict(name)
        }
    }

    /// 32 random bytes, made once and kept beside the database.
    func secret() throws(StoreError) -> [UInt8] {
        let name = path + "/secret"
        let existing = unsafe open(name, O_RDONLY | O_CLOEXEC)
        if existing >= 0 {
            defer { close(existing) }
            guard let bytes = Self.read(existing, countMax: 33), bytes.count == 32 else {
                throw StoreError(
                    .damaged, "The secret of the data folder does not have 32 bytes.",
                    hint: "Restore the file from a backup; or remove it, which makes old page tokens invalid.")
            }
            return bytes
        }
        guard errno == ENOENT else { throw Self.error(errno, "The secret of the data folder cannot be read") }
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        // Written aside and renamed, so that a crash leaves the whole secret or none.
        let aside = name + ".new"
        let file = unsafe open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.error(errno, "The secret of the data folder cannot be made") }
        let isWritten = Self.write(bytes, to: file) && fsync(file) == 0
        close(file)
        guard isWritten, unsafe rename(aside, name) == 0 else {
            throw Self.error(errno, "The secret of the data folder cannot be written")
        }
        return bytes
    }

    /// Makes the folder and those above it.
    private static func makeFolder(_ path: String) throws(StoreError) {
        if unsafe access(path, F_OK) != 0, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeFolder(String(path[..<slash]))
        }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST || access(path, F_OK) == 0 else {
            throw error(errno, "The data folder cannot be made")
        }
    }

    private static func read(_ file: Int32, countMax: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: countMax)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) }
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) == $0.count }
    }

    private static func error(_ number: Int32, _ what: String) -> StoreError {
        StoreError(system: number, what, hint: "Let the server's user write to the data folder.")
    }
}
