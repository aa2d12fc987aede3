#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A database that is written beside its place and takes it when it is whole, so that a half-written file is never found
/// there.
///
/// Readable by its owner alone. What was not published is removed with this object; what a killed process left is
/// replaced by the next one of the same name.
final class PartialFile {
    let path: String
    private let file: Int32
    private var isPublished = false

    /// Makes an empty file.
    init(_ path: String) throws(StoreError) {
        self.path = path
        // A leftover journal would be rolled back into the new file (SQLite, "How To Corrupt An SQLite
        // Database File", "Mispairing database files and hot journals").
        for suffix in DataFolder.companions + [""] { unsafe unlink(path + suffix) }
        file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw StoreError(system: errno, "The file \(path) cannot be made") }
    }

    deinit {
        // Closing it drops SQLite's locks on the same file (POSIX, fcntl), so SQLite is done with it by now.
        close(file)
        guard !isPublished else { return }
        for suffix in DataFolder.companions + [""] { unsafe unlink(path + suffix) }
    }

    /// Brings what SQLite wrote to the disk, and gives the file another name in the same folder; what had that name goes.
    func publish(as name: String) throws(StoreError) {
        guard fsync(file) == 0 else { throw StoreError(system: errno, "The file \(path) cannot be written") }
        // Another process that began later has replaced our file by one of the same name.
        guard let identity = FileIdentity(of: file), identity == FileIdentity(of: path) else {
            isPublished = true
            throw StoreError(.busy, "Another process writes \(path), too.", hint: "Let one of them finish first.")
        }
        guard unsafe rename(path, name) == 0 else {
            throw StoreError(system: errno, "The file \(name) cannot be written")
        }
        isPublished = true
        try Self.synchronizeFolder(of: name)
    }

    /// Makes a rename in the file's folder survive the loss of power.
    static func synchronizeFolder(of path: String) throws(StoreError) {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let folder = unsafe open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw StoreError(system: errno, "The folder \(name) cannot be opened") }
        defer { close(folder) }
        // Some file systems know no such thing (fsync(2), EINVAL); nothing more can be done there.
        guard fsync(folder) == 0 || errno == EINVAL else {
            throw StoreError(system: errno, "The folder \(name) cannot be written")
        }
    }
}

extension StoreError {
    /// The error of a call of the system.
    init(system number: Int32, _ what: String, hint: String? = nil) {
        let kind: Code =
            switch number {
            case ENOSPC, EDQUOT: .diskFull
            case EIO: .ioError
            default: .notWritable
            }
        self.init(kind, unsafe "\(what): \(String(cString: strerror(number))).", hint: hint)
    }
}
