#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Files that only their owner may read and write, of the store and of the layers above it.
package enum PrivateFile {
    /// Restricts the file at a path to its owner, if there is one. A symbolic link is left as it is; a file system without
    /// permissions keeps the file as it is.
    package static func restrict(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o777 != 0o600
        else {
            return
        }
        unsafe chmod(path, 0o600)
    }
}
