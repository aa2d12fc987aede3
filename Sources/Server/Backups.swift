import Tables

/// Backups of the data folder, and the way back.
public enum Backups {
    /// Copies the database to a file, beside a server that runs.
    ///
    /// - Parameter replaces: Whether a file of that name may be replaced.
    public static func make(_ file: String, of configuration: Configuration, replaces: Bool) throws(ServerError) {
        try checkFolder(of: configuration)
        guard replaces || !Files.exists(file) else {
            throw ServerError(
                .refused, "\(file) is there already.", hint: "Replace it with --force, or name another file.")
        }
        do {
            try SQLiteStore.backUp(folder: configuration.data, to: file)
        } catch {
            throw ServerError(opening: configuration.data, error)
        }
    }

    /// Puts a backup in the place of the data folder's database, under the folder's lock.
    ///
    /// - Parameter isAllowed: Decides, once and before anything is changed, whether data may be replaced; asked only if
    ///   there is some.
    public static func restore(
        _ file: String, to configuration: Configuration, isAllowed: () throws -> Bool
    ) throws {
        try checkFolder(of: configuration)
        do {
            let restoration = try Restoration(of: file, toFolder: configuration.data)
            guard try !restoration.replacesData || isAllowed() else {
                throw ServerError(.refused, "Nothing was changed.")
            }
            try restoration.complete()
            PrivateFiles.secure(configuration.data)
        } catch let error as StoreError {
            if case .locked = error.code { throw ServerError(opening: configuration.data, error) }
            throw ServerError(restoring: file, error)
        }
    }

    private static func checkFolder(of configuration: Configuration) throws(ServerError) {
        guard configuration.isEphemeral else { return }
        throw ServerError(
            .usage, "Data that is thrown away at exit has no backups.",
            hint: "Name a folder with \(Setting.data.flag).")
    }
}

extension ServerError {
    /// Why a backup cannot be restored. A store that finds a database damaged advises to restore a backup; of the backup
    /// itself that is no advice.
    init(restoring file: String, _ error: StoreError) {
        var error = error
        switch error.code {
        case .damaged, .corrupt: error.hint = "Use another backup: this file is damaged, or no backup of Syncline."
        default: break
        }
        self.init(opening: file, error)
    }
}
