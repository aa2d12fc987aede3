internal import Tables

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Keeps what is in a data folder to the server's user, and out of repositories.
///
/// The store sees to its own files; these are the others: certificates, keys, operators.
enum PrivateFiles {
    private static let files =
        CertificateFolder.fileNames.map { "tls/\($0)" } + [
            OperatorFile.name, OperatorFile.lockName, DeveloperKey.fileName, APIKeyFile.name, APIKeyFile.lockName,
            DeveloperApp.fileName, SchemaDeployments.servedName,
        ]
    /// The beginnings of the names of all that a data folder holds by itself, the store's files included.
    private static let beginnings = [
        "tables.sqlite", "lock", "secret", "write-probe", "tls", ".tls-", "operators.", "keys",
        "access-key.json", "api-keys.", DeveloperApp.fileName, BucketService.folderName,
        SchemaDrafts.folderName, SchemaDeployments.servedName,
    ]

    /// Takes the rights on the files from everybody but their owner, and has Git leave the folder alone: a `.gitignore`
    /// is written where there is none and the folder holds nothing but ours. File systems without rights keep the files
    /// as they are.
    static func secure(_ folder: String) {
        let keys = (try? Files.names(inFolder: "\(folder)/keys")) ?? []
        for name in files + keys.map({ "keys/\($0)" }) { PrivateFile.restrict("\(folder)/\(name)") }
        guard let names = try? Files.names(inFolder: folder), !names.contains(".gitignore"),
            names.allSatisfy({ name in beginnings.contains { name.hasPrefix($0) } })
        else { return }
        try? Files.create("\(folder)/.gitignore", holding: "# Data and keys of Syncline.\n*\n")
    }
}

extension Files {
    /// Makes a folder for the owner alone, unless it is there.
    static func makePrivateFolder(_ path: String) throws(Failure) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw .last
    }

    /// Puts a file of these bytes in the place of the one at the path, for the owner alone. Whatever happens meanwhile, there
    /// is the old file or the new one, whole.
    ///
    /// - Parameter partial: Where the file is written before it takes its name, in the same folder; what is there is removed. Nil for
    ///   a name that begins with the path, in a folder of ours.
    static func replacePrivately(_ path: String, with bytes: [UInt8], partial: String? = nil) throws(Failure) {
        let partial = partial ?? "\(path).partial"
        unsafe unlink(partial)
        let descriptor = unsafe open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last }
        let isWritten = writeAll(bytes, to: descriptor) && fsync(descriptor) == 0
        let failure = Failure.last
        close(descriptor)
        guard isWritten else {
            unsafe unlink(partial)
            throw failure
        }
        try move(partial, to: path)
        let folder = unsafe open(folder(of: path), O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// Makes a file that is not there yet, for the owner alone.
    static func create(_ path: String, holding text: String) throws(Failure) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last }
        writeAll(Array(text.utf8), to: descriptor)
        close(descriptor)
    }
}
