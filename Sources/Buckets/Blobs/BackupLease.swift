#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Keeps the files of objects that are removed while a backup is made.
///
/// A backup copies the tables, and then the blobs that they refer to. Beside a running server, which may remove any of these blobs
/// meanwhile, it holds a shared lock of a file in their folder. A server that removes a blob looks for the lock after the removal is
/// committed: without a lock, the backup has not copied the tables yet, and they will not refer to the blob. The system releases the
/// lock when the process ends, so that a killed backup keeps nothing.
public final class BackupLease: Sendable {
    private let descriptor: CInt

    /// The file of the lock.
    static let fileName = "backup.lock"
    /// Seconds after which a lease keeps nothing any more: a backup that hangs must not fill the disk.
    static let secondsMax = 6 * 3_600

    /// Waits for a moment if a server looks for the lock.
    ///
    /// - Returns: Nil if there is no such folder, or this user may not write to it.
    public init?(_ folder: BlobFolder) {
        descriptor = unsafe open(
            "\(folder.path)/\(Self.fileName)", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        while flock(descriptor, LOCK_SH) != 0 {
            guard errno == EINTR else {
                close(descriptor)
                return nil
            }
        }
        // The time from which on `secondsMax` counts.
        _ = futimens(descriptor, nil)
    }

    deinit { close(descriptor) }

    /// Whether a backup holds a lease of a folder.
    static func isHeld(in folder: String) -> Bool {
        let descriptor = unsafe open("\(folder)/\(fileName)", O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        // Releases the lock too.
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return false }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return true }
        #if canImport(Darwin)
        let begun = status.st_mtimespec.tv_sec
        #else
        let begun = status.st_mtim.tv_sec
        #endif
        return time(nil) - begun < secondsMax
    }
}
