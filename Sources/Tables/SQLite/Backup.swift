internal import CSQLite

extension SQLiteStore {
    /// Copies a folder's database into one file, while a server may be using it, and without the folder's lock: its
    /// state at the moment this begins. The file needs no log, holds no secret, and replaces one of the same name when
    /// it is whole and was found well-formed.
    ///
    /// The copy holds one snapshot while it is made, during which the log of the database cannot be begun anew.
    ///
    /// - Parameter isOwn: Whether the path is one that the server itself has made in the folder for copies.
    public static func backUp(folder: String, to path: String, isOwn: Bool = false) throws(StoreError) {
        if !isOwn { try checkBackUp(folder: folder, to: path) }
        guard try DataFolder.findsDatabase(in: folder) else {
            throw StoreError(.damaged, "There is no database in the folder.", hint: "Name the folder that is served.")
        }
        let source = try Connection(
            path: DataFolder.database(in: folder), mode: .reading, limits: StoreLimits())
        let file = try PartialFile(path + ".partial")
        try file.fill(from: source)
        guard try file.isSound(by: "quick_check") else {
            throw StoreError(
                .damaged, "The database is malformed, and was not copied.",
                hint: "Keep the folder as it is, and restore an older backup into another one.")
        }
        try file.publish(as: path)
    }

    /// Refuses, with `invalidRequest`, a path that leads into the data folder or to any file in it, by whichever link:
    /// a backup must not replace what belongs to the data. A target that exists and is no regular file is refused too.
    public static func checkBackUp(folder: String, to path: String) throws(StoreError) {
        guard !FileIdentity.isFile(path, in: folder), !FileIdentity.isPath(path, inside: folder) else {
            throw StoreError(
                .invalidRequest, "\(path) is in the data folder \(folder), which is what is backed up.",
                hint: "Name a file in another folder.")
        }
        guard FileIdentity(of: path)?.isRegular ?? true else {
            throw StoreError(.invalidRequest, "\(path) is there, and is no file.", hint: "Name a file.")
        }
    }
}
