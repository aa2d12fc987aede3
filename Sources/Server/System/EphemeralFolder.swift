/// A folder for throw-away data: fresh, readable by this user alone, and removed when the server ends, or by the next server
/// that makes one if the process was killed.
public struct EphemeralFolder: Sendable {
    /// Where it is.
    public let path: String
    /// Held for as long as the folder is used; the system releases it when the process ends, however that happens.
    private let lock: Files.FolderLock

    /// Makes the folder where the system keeps such things, in memory if there is such a place.
    public init() throws(ServerError) { try self.init(in: Self.parentFolder) }

    /// - Parameter parent: The folder to make it in.
    init(in parent: String) throws(ServerError) {
        Self.removeAbandoned(in: parent)
        do throws(Files.Failure) {
            // The folder gets its name when it is locked, so that no other server takes it for an abandoned one.
            let made = try Files.makeFreshFolder(in: parent, prefix: Self.newPrefix)
            guard let lock = Files.FolderLock(made) else { throw Files.Failure.last }
            path = "\(parent)/\(Self.prefix)-\(made.suffix(Self.randomCount))"
            try Files.move(made, to: path)
            self.lock = lock
        } catch {
            throw ServerError(
                .data,
                "Cannot make a folder for throw-away data in \(parent): \(error.reason). Name another with TMPDIR."
            )
        }
    }

    /// Removes the folder and all that is in it.
    public func remove() { Files.removeFolder(path) }

    /// Removes the folders of servers of this user that were killed. Files of a schema that one of them was deploying are settled
    /// before.
    static func removeAbandoned(in parent: String) {
        for name in (try? Files.names(inFolder: parent)) ?? [] where name.hasPrefix("\(prefix)-") {
            guard let lock = Files.FolderLock("\(parent)/\(name)") else { continue }
            withExtendedLifetime(lock) {
                SchemaJournal.settleFiles(ofAbandoned: "\(parent)/\(name)")
                Files.removeFolder("\(parent)/\(name)")
            }
        }
    }

    private static let prefix = "syncline-ephemeral"
    private static let newPrefix = "syncline-new"
    /// Characters that `Files.makeFreshFolder` adds.
    private static let randomCount = 6
}
