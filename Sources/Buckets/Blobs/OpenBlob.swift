import Synchronization

/// A blob that is open for reading. It stays readable if it is removed. Safe to use from any thread.
public final class OpenBlob: Sendable {
    private let descriptor: Mutex<CInt?>
    private let calls: FileCalls

    init(descriptor: CInt, calls: FileCalls) {
        self.descriptor = Mutex(descriptor)
        self.calls = calls
    }

    deinit {
        if let descriptor = descriptor.withLock({ $0 }) { calls.close(descriptor) }
    }

    /// Transfers ownership of the descriptor to the caller, for sendfile. The blob must not be read afterwards.
    public func takeDescriptor() -> CInt {
        let taken = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let taken else { preconditionFailure("a descriptor is taken once") }
        return taken
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
