#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
#if canImport(CoreFoundation)
// On Linux CoreFoundation has the members of `stat` for its own when another file of the target has brought it in first.
internal import CoreFoundation
#endif

extension Files {
    /// The lock of a folder, held while this value lives and released by the system when the process ends (flock(2)). It is that
    /// of the file `owner` in the folder: `FileLock` may lock the folder itself meanwhile.
    final class FolderLock: Sendable {
        private let folder, file: Int32

        /// Takes the lock; nil if another process or value has it, or if there is no folder of this user. Symbolic links are not
        /// followed.
        init?(_ path: String) {
            folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            var status = stat()
            guard folder >= 0, unsafe fstat(folder, &status) == 0, status.st_uid == geteuid() else {
                file = -1
                return nil
            }
            file = unsafe openat(folder, "owner", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard file >= 0, flock(file, LOCK_EX | LOCK_NB) == 0 else { return nil }
        }

        deinit {
            if file >= 0 { close(file) }
            if folder >= 0 { close(folder) }
        }
    }
}
