import Synchronization

/// A blob that is open for reading. It stays readable if it is removed. Safe to use from any thread.
public final class OpenBlob: Sendable {
    private let descriptor: Mutex<CInt?>
    private let calls: FileCalls
    private let onClose: @Sendable () -> Void

    /// - Parameter onClose: Called when the descriptor was closed.
    init(descriptor: CInt, calls: FileCalls, onClose: @escaping @Sendable () -> Void) {
        self.descriptor = Mutex(descriptor)
        (self.calls, self.onClose) = (calls, onClose)
    }

    deinit {
        guard let descriptor = descriptor.withLock({ $0 }) else { return }
        calls.close(descriptor)
        onClose()
    }

    /// Transfers ownership of the descriptor to the caller, for sendfile. The blob must not be read afterwards.
    ///
    /// - Returns: The descriptor, and what the caller calls once it has closed it.
    public func takeDescriptor() -> (descriptor: CInt, onClose: @Sendable () -> Void) {
        let taken = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let taken else { preconditionFailure("a descriptor is taken once") }
        return (taken, onClose)
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
