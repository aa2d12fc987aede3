/// Stores that are kept in a folder of this machine. What opens one knows its folder, and not the database in it.
public enum LocalStore {
    /// Opens the store in a folder, which is made if need be, and locks the folder until the store is closed.
    ///
    /// - Parameter clock: The wall clock that stamps changes of versioned tables.
    public static func open(
        folder: String, options: StoreOptions = StoreOptions(), clock: WallClock = .system
    ) throws(StoreError) -> any Store {
        try SQLiteStore(folder: folder, options: options, clock: clock)
    }

    /// Copies a folder's data into one file, while a server may be using it, and without the folder's lock: its state at
    /// the moment this begins. A file of the same name is replaced when the copy is whole.
    ///
    /// - Parameter isOwn: Whether the path is one that the server itself has made in the folder for copies.
    public static func backUp(folder: String, to path: String, isOwn: Bool = false) throws(StoreError) {
        try SQLiteStore.backUp(folder: folder, to: path, isOwn: isOwn)
    }

    /// Refuses, with `invalidRequest`, a path to which the folder's data must not be copied: one that leads into the folder
    /// or to any file in it, by whichever link, or to what is no regular file.
    public static func checkBackUp(folder: String, to path: String) throws(StoreError) {
        try SQLiteStore.checkBackUp(folder: folder, to: path)
    }

    /// Whether a file that begins with these bytes, 100 of them at least, is a database of this product, such as a copy that
    /// `backUp` made (SQLite, "Database File Format", §1.3).
    public static func isDatabase(beginningWith head: [UInt8]) -> Bool {
        guard head.count >= 100, head.starts(with: "SQLite format 3\0".utf8) else { return false }
        // "Application ID": four bytes, the most significant first.
        return head[68..<72].reduce(Int64(0)) { $0 << 8 | Int64($1) } == Catalog.applicationID
    }

    /// Reads which tables a folder holds, without its lock; nil when it holds no store yet.
    public static func inspect(folder: String) throws(StoreError) -> Catalog? {
        try SQLiteStore.inspect(folder: folder)
    }

    /// Runs a body while no server and no verb has the folder.
    /// - Returns: False, without running it, if one has.
    public static func withLock(of folder: String, _ body: () -> Void) -> Bool {
        guard let lock = try? DataFolder(folder) else { return false }
        withExtendedLifetime(lock, body)
        return true
    }

    /// Entries of a folder's audit log in their order, without the folder's lock, beside a server that runs.
    ///
    /// - Parameters:
    ///   - number: The entry after which to begin; 0 for the first one.
    ///   - countMax: The most entries to return.
    public static func auditEntries(
        folder: String, after number: Int64, countMax: Int
    ) throws(StoreError) -> [AuditEntry] {
        try SQLiteStore.auditEntries(folder: folder, after: number, countMax: countMax)
    }
}
