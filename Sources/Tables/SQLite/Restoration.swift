#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A backup that was copied into a locked data folder and found whole, and waits to take the place of what is there.
///
/// Until `complete` nothing of the old data is touched; released without it, this leaves the folder as it was.
public struct Restoration: ~Copyable {
    /// Whether the folder holds items, or what cannot be read, that would be replaced.
    public let replacesData: Bool
    private let catalog: Catalog
    private let folder: DataFolder
    private let file: PartialFile
    private let clock: WallClock
    private let tombstoneSeconds: Int64

    /// Locks the folder, which is made if need be, and copies and checks the backup: that it is ours, of a known version,
    /// and that its pages, rows and indexes agree. What is wrong with the backup is `damaged` or `newerVersion`; every
    /// other error is about the folder.
    ///
    /// - Parameters:
    ///   - clock: The wall clock that stamps the items of versioned tables.
    ///   - tombstoneSeconds: How long their tombstones are kept from now on.
    public init(
        of backup: String, toFolder path: String, clock: WallClock = .system, tombstoneSeconds: Int64 = 30 * 86_400
    ) throws(StoreError) {
        guard unsafe access(backup, R_OK) == 0 else {
            throw StoreError(
                .damaged, unsafe "The backup cannot be read: \(String(cString: strerror(errno))).",
                hint: "Name a file that 'syncline backup' wrote, and that this user may read.")
        }
        guard !DataFolder.isOwnFile(backup, of: path) else {
            throw StoreError(
                .invalidRequest, "\(backup) belongs to the data itself.",
                hint: "Name a file that 'syncline backup' wrote.")
        }
        let source = try Self.open(backup)
        let catalog: Catalog
        do throws(StoreError) { catalog = try Catalog(from: source) } catch { throw error.ofBackup }
        let folder = try DataFolder(path)
        let file = try PartialFile(folder.restoredPath)
        do throws(StoreError) {
            try file.fill(from: source)
        } catch  where [.corrupt, .damaged, .newerVersion].contains(error.code) {
            throw error.ofBackup
        }
        guard try file.isSound(by: "integrity_check") else { throw .malformedBackup }
        // Data that cannot be read may still be recoverable, so it counts as data.
        let hasItems = try? SQLiteStore.inspect(folder: path)?.hasItems ?? false
        replacesData = hasItems ?? true
        self.catalog = catalog
        (self.folder, self.file, self.clock, self.tombstoneSeconds) = (folder, file, clock, tombstoneSeconds)
    }

    /// The folder, not made yet, for files of keys that are to take the place of those in `keys`, together with the data.
    public var keyFolder: String { folder.restoredKeys }

    /// Calls `body` with each text in a column of a table of the backup; never, where there is no such table or column.
    public func forEachText(
        inTable table: String, column: String, _ body: (String) -> Void
    ) throws(StoreError) {
        guard let query = catalog[table]?.selectColumn(column) else { return }
        let copy = try Connection(path: file.path, mode: .reading, limits: StoreLimits())
        try copy.forEachRow(query, columns: 1) { row in
            if case .text(let text) = row.value(0) { body(text) }
        }
    }

    /// The same of a backup that is not to be restored.
    public static func forEachText(
        ofBackup backup: String, inTable table: String, column: String, _ body: (String) -> Void
    ) throws(StoreError) {
        let source = try open(backup)
        guard let query = try Catalog(from: source)[table]?.selectColumn(column) else { return }
        try source.forEachRow(query, columns: 1) { row in
            if case .text(let text) = row.value(0) { body(text) }
        }
    }

    /// Puts the backup in the place of the folder's database, and what is in `keyFolder` in the place of the keys, all or
    /// nothing, and forgets the folder's secret: page tokens of the old data lead nowhere in the new. Then the folder is
    /// unlocked.
    ///
    /// - Returns: What was done for devices, if a table of the backup or of the old data is versioned.
    @discardableResult
    public consuming func complete() throws(StoreError) -> RestoredVersions? {
        let versions: RestoredVersions?
        do throws(StoreError) {
            versions = try VersionRise(of: file, in: folder, clock: clock, tombstoneSeconds: tombstoneSeconds).run()
        } catch {
            // Keys that were prepared must not stay behind.
            try? folder.settleRestore()
            throw error.onDisk(of: folder.path)
        }
        try folder.install(file)
        return versions
    }

    /// The backup, if its first page says that it is one.
    private static func open(_ backup: String) throws(StoreError) -> Connection {
        let source: Connection
        let isPresent: Bool
        do throws(StoreError) {
            source = try Connection(path: backup, mode: .reading, limits: StoreLimits())
            isPresent = try Catalog.isPresent(on: source)
        } catch {
            throw error.ofBackup
        }
        guard isPresent else {
            throw StoreError(.damaged, "The file is empty.", hint: "Name a file that 'syncline backup' wrote.")
        }
        return source
    }
}

extension StoreError {
    /// The error of a file that is to be restored. There is no other backup of it, and the hint does not name one.
    fileprivate var ofBackup: StoreError {
        switch code {
        case .newerVersion:
            StoreError(
                .newerVersion, "The backup was made by a newer version: \(message)",
                hint: "Restore it with that version, or with a later one.", sqliteCode: sqliteCode)
        case .corrupt: .malformedBackup
        case .damaged:
            // Without a code of SQLite's it is a database, by its first page.
            StoreError(
                .damaged, sqliteCode == nil ? "The file is no backup of ours." : "The file is no backup: \(message)",
                hint: "Name a file that 'syncline backup' wrote.", sqliteCode: sqliteCode)
        case .busy: self
        default:
            StoreError(
                .damaged, "The backup cannot be read: \(message)", hint: "Let this user read the file and its folder.",
                sqliteCode: sqliteCode)
        }
    }

    fileprivate static var malformedBackup: StoreError {
        StoreError(
            .damaged, "The backup is malformed: its pages, rows and indexes do not agree.",
            hint: "Copy it anew from where it was kept, or use another one.")
    }
}
