#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import NIOCore

/// A file that is open to be sent. It is closed when the last reference is released. Used from any thread.
public final class ReadableFile: Sendable {
    /// Why a file cannot be opened: the system's error, as `errno` has it.
    public struct OpenError: Error, Sendable, Hashable {
        /// `errno`.
        public let code: CInt
    }

    let handle: NIOFileHandle
    private let descriptor: CInt
    private let revocation: (@Sendable () -> Bool)?
    private let onClose: (@Sendable () -> Void)?

    /// Opens a regular file for reading.
    public convenience init(path: String) throws(OpenError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw OpenError(code: errno) }
        self.init(takingOwnershipOf: descriptor)
    }

    /// Takes over the descriptor of a file that is open for reading.
    ///
    /// - Parameters:
    ///   - isRevoked: Whether the file is not to be sent any further: it is asked before each part and once a second. A connection
    ///     that has sent only a part of it is closed then.
    ///   - onClose: Called when the file was closed.
    public init(
        takingOwnershipOf descriptor: CInt, isRevoked: (@Sendable () -> Bool)? = nil,
        onClose: (@Sendable () -> Void)? = nil
    ) {
        (self.descriptor, revocation, self.onClose) = (descriptor, isRevoked, onClose)
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
    }

    /// What is being sent keeps this object, so the handle is not in use now.
    deinit {
        try? handle.close()
        onClose?()
    }

    /// Whether the file is not to be sent any further.
    var isRevoked: Bool { revocation?() ?? false }

    /// The bytes that the file has now.
    public var byteCount: Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Reads up to `count` bytes; fewer at the end of the file, none after it or on an error.
    ///
    /// Memory safety: `pread` is given what remains of the buffer. The descriptor is open as long as this object.
    func read(at offset: Int, count: Int) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            var total = 0
            while total < count, let address = bytes.baseAddress {
                let result = unsafe pread(descriptor, address + total, count - total, off_t(offset + total))
                if result < 0, errno == EINTR { continue }
                guard result > 0 else { break }
                total += result
            }
            return total
        }
        return buffer
    }
}
