#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension Files {
    /// A lock that one process at a time holds, by a file of its own; the system releases it when the process ends.
    struct Lock {
        private let descriptor: Int32

        /// Makes the file, readable by this user alone, if it is not there, and waits for the lock.
        init(_ path: String) throws(Failure) {
            unsafe try self.init(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
        }

        /// Waits for the lock of a folder, which needs no file.
        init(folder: String) throws(Failure) {
            unsafe try self.init(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        }

        /// - Parameter descriptor: What `open` returned.
        private init(_ descriptor: Int32) throws(Failure) {
            self.descriptor = descriptor
            guard descriptor >= 0 else { throw .last }
            while flock(descriptor, LOCK_EX) != 0 {
                guard errno == EINTR else {
                    let failure = Failure.last
                    close(descriptor)
                    throw failure
                }
            }
        }

        /// Releases the lock; called once.
        func release() { close(descriptor) }
    }
}

extension Files.Failure {
    /// Whether there is no such file.
    var isMissing: Bool { code == ENOENT }
}
