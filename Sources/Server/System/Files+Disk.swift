#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension Files {
    /// The bytes that this user may still write where a path is; nil if it is not known.
    static func freeBytes(at path: String) -> Int64? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        return Int64(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }

    /// Makes new names in a folder durable (fsync(2): "an explicit fsync() on a file descriptor for the directory is also
    /// needed").
    static func synchronizeFolder(_ path: String) {
        let folder = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }
}
