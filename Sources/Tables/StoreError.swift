/// What went wrong in the store: what, in `message`; what to do about it, in `hint`. SQL text never leaves the target.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of error, by what a caller does about them.
    public enum Code: Sendable, Hashable {
        /// The read used up its budget on the event loop, or became long on a worker while no slot for long reads was
        /// free: repeat it on a worker.
        case repeatOnWorker
        /// The read passed its deadline.
        case timedOut
        /// The read's cancellation was called.
        case cancelled
        /// The queue of the writer is full, or another process holds the database's write lock.
        case busy
        /// The store is closed.
        case closed
        /// The disk or the quota is full.
        case diskFull
        /// The operating system failed to read or write.
        case ioError
        /// SQLite found the database malformed while at work.
        case corrupt
        /// Another process, or another store of this one, has the folder; its process id, if it could be read.
        case locked(pid: Int32?)
        /// The file is not a database, or is not one of ours.
        case damaged
        /// The database was made by a newer version.
        case newerVersion
        /// The folder or a file in it cannot be made or written.
        case notWritable
        /// The database, its log (`-wal`), the log's index (`-shm`) or the folder's lock was removed or replaced. Nothing
        /// is written any more.
        case lost
        /// The migration has steps that lose data, and that was not allowed. Nothing was changed.
        case refusedMigration([MigrationStep])
        /// The write was planned for a table as it was before a migration, and was not carried out. Plan it again.
        case superseded
        /// The request cannot be carried out as it is: an empty key, a value of the wrong type, a name that is none.
        case invalidRequest
        /// Anything else SQLite reports.
        case other
    }

    /// The kind.
    public var code: Code
    /// What happened, as a sentence.
    public var message: String
    /// What to do about it, as a sentence.
    public var hint: String?
    /// SQLite's extended result code, if the error came from there.
    public var sqliteCode: Int32?

    /// Makes an error of its parts.
    public init(_ code: Code, _ message: String, hint: String? = nil, sqliteCode: Int32? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.sqliteCode = sqliteCode
    }

    /// The message, followed by the hint.
    public var description: String {
        hint.map { "\(message) \($0)" } ?? message
    }
}
