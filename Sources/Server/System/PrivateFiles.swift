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
        CertificateFolder.fileNames.map { "tls/\($0)" } + [OperatorFile.name, OperatorFile.lockName]
    /// The beginnings of the names of all that a data folder holds by itself, the store's files included.
    private static let beginnings = ["tables.sqlite", "lock", "secret", "write-probe", "tls", ".tls-", "operators."]

    /// Takes the rights on the files from everybody but their owner, and has Git leave the folder alone: a `.gitignore`
    /// is written where there is none and the folder holds nothing but ours. File systems without rights keep the files
    /// as they are.
    static func secure(_ folder: String) {
        for name in files { PrivateFile.restrict("\(folder)/\(name)") }
        guard let names = try? Files.names(inFolder: folder), !names.contains(".gitignore"),
            names.allSatisfy({ name in beginnings.contains { name.hasPrefix($0) } })
        else { return }
        try? Files.create("\(folder)/.gitignore", holding: "# Data and keys of Syncline.\n*\n")
    }
}

extension Files {
    /// Makes a file that is not there yet, for the owner alone.
    static func create(_ path: String, holding text: String) throws(Failure) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last }
        writeAll(Array(text.utf8), to: descriptor)
        close(descriptor)
    }
}
