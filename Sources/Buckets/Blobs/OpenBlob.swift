import Synchronization

/// A blob that is open for reading. It stays readable if it is removed. Safe to use from any thread.
public final class OpenBlob: Sendable {
    /// A descriptor that the caller owns, for sendfile.
    public struct TakenDescriptor: Sendable {
        /// The descriptor, which the caller closes.
        public let descriptor: CInt
        /// Whether the caller has to end before it has sent everything (`BucketLimits.removedBytesMax`).
        public let isRevoked: @Sendable () -> Bool
        /// To be called when the descriptor was closed.
        public let onClose: @Sendable () -> Void
    }

    private let descriptor: Mutex<CInt?>
    private let calls: FileCalls
    private let access: BlobAccess
    private let onClose: @Sendable () -> Void

    /// - Parameter onClose: Called when the descriptor was closed.
    init(descriptor: CInt, calls: FileCalls, access: BlobAccess, onClose: @escaping @Sendable () -> Void) {
        self.descriptor = Mutex(descriptor)
        (self.calls, self.access, self.onClose) = (calls, access, onClose)
    }

    deinit {
        guard let descriptor = descriptor.withLock({ $0 }) else { return }
        calls.close(descriptor)
        onClose()
    }

    /// Whether the readers of the blob have to end.
    var isRevoked: Bool { access.isRevoked }

    /// Transfers ownership of the descriptor to the caller, for sendfile. The blob must not be read afterwards.
    public func takeDescriptor() -> TakenDescriptor {
        let taken = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let taken else { preconditionFailure("a descriptor is taken once") }
        return TakenDescriptor(descriptor: taken, isRevoked: { [access] in access.isRevoked }, onClose: onClose)
    }

    /// Reads up to a number of bytes at an offset; none after the end.
    public func read(at offset: Int, count: Int) throws(BlobError) -> [UInt8] {
        guard let descriptor = descriptor.withLock({ $0 }) else { preconditionFailure("the descriptor was taken") }
        do throws(FileError) {
            return try calls.read(descriptor, offset, count)
        } catch {
            throw BlobError(error)
        }
    }
}
