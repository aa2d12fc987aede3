#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
#if canImport(CoreFoundation)
// On Linux CoreFoundation has the members of `stat` for its own when another file of the target has brought it in first.
import CoreFoundation
#endif

/// A file of the user that is read or written in pieces, in order. Belongs to one task at a time; calls block.
final class LocalFile: Sendable {
    private let descriptor: CInt
    /// The bytes that the file had when it was opened.
    let byteCount: Int

    private init(_ descriptor: CInt, byteCount: Int) { (self.descriptor, self.byteCount) = (descriptor, byteCount) }

    deinit { close(descriptor) }

    /// Opens a regular file to be read from its beginning. Anything else is refused at once: a named pipe would block until
    /// somebody writes to it.
    static func reading(_ path: String) throws(Files.Failure) -> LocalFile {
        // Memory safety: the path is a text that lives for the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .last }
        var status = stat()
        // Memory safety: `status` is a whole structure, which the call fills.
        guard unsafe fstat(descriptor, &status) == 0 else {
            close(descriptor)
            throw .last
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Files.Failure(code: EINVAL, reason: "Not a regular file")
        }
        return LocalFile(descriptor, byteCount: Int(status.st_size))
    }

    /// Makes a file to be written. Fails if there is anything at the path, also a link.
    static func creating(_ path: String) throws(Files.Failure) -> LocalFile {
        // Memory safety: the path is a text that lives for the call.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .last }
        return LocalFile(descriptor, byteCount: 0)
    }

    /// Up to so many bytes; none at the end.
    func read(_ count: Int) throws(Files.Failure) -> [UInt8] {
        var failure: Files.Failure?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            // Memory safety: the buffer has room for `count` bytes, of which as many are filled as were read.
            var result = unsafe systemRead(descriptor, buffer.baseAddress, count)
            while result < 0, errno == EINTR { result = unsafe systemRead(descriptor, buffer.baseAddress, count) }
            if result < 0 { failure = .last }
            filled = max(0, result)
        }
        if let failure { throw failure }
        return bytes
    }

    /// Waits until what was written is on the disk.
    func synchronize() throws(Files.Failure) {
        guard fsync(descriptor) == 0 else { throw .last }
    }

    /// Appends bytes.
    func write(_ bytes: [UInt8]) throws(Files.Failure) {
        guard Files.writeAll(bytes, to: descriptor) else { throw .last }
    }
}

// Inside `LocalFile` the name `read` is its own.
private func systemRead(_ descriptor: CInt, _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}
