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
    /// The lock of a folder, held while this value lives and released by the system when the process ends (flock(2)).
    final class FolderLock: Sendable {
        private let descriptor: Int32

        /// Takes the lock; nil if another process or value has it, or if there is no folder. Symbolic links are not followed.
        init?(_ path: String) {
            descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        /// Whether the folder belongs to this process's user.
        var isOwnedByThisUser: Bool {
            var status = stat()
            return unsafe fstat(descriptor, &status) == 0 && status.st_uid == geteuid()
        }
    }
}
