/// A blob being written. It is removed if the writer is released before `finish`.
///
/// Used by one task at a time. Keeps no bytes but those of a call.
public final class BlobWriter {
    private let store: BlobStore
    private let name: String
    private let path: String
    /// Nil after it was closed.
    private var descriptor: CInt?
    private var isPublished = false
    /// Bytes that the system may not have written to the disk yet.
    private var unsynchronizedCount = 0
    /// The bytes so far.
    public private(set) var byteCount = 0

    init(_ store: BlobStore, name: String, path: String, descriptor: CInt) {
        (self.store, self.name, self.path, self.descriptor) = (store, name, path, descriptor)
    }

    deinit {
        if let descriptor { store.calls.close(descriptor) }
        if !isPublished { try? store.calls.remove(path) }
    }

    /// Bytes after which the file is synchronized, so that no call has to write gigabytes to the disk.
    static let unsynchronizedBytesMax = 32 << 20

    /// Appends bytes. Blocks until the system has accepted them, which is the back-pressure on the sender.
    public func append(_ bytes: [UInt8]) throws(BlobError) {
        guard let descriptor else { preconditionFailure("a finished blob takes no bytes") }
        guard store.hasRoom(for: bytes.count) else { throw .diskFull }
        do throws(FileError) {
            try store.calls.writeAll(descriptor, bytes)
            unsynchronizedCount += bytes.count
            if unsynchronizedCount >= Self.unsynchronizedBytesMax {
                try store.calls.synchronize(descriptor)
                unsynchronizedCount = 0
            }
        } catch {
            throw BlobError(error)
        }
        byteCount += bytes.count
    }

    /// Appends a range of another blob, as `BlobStore.read` reads it.
    ///
    /// - Parameter inspect: Receives the bytes, for checksums.
    func append(_ blob: OpenBlob, _ range: Range<Int>, _ inspect: ([UInt8]) -> Void) async throws(BlobError) {
        try await store.read(range, of: blob) { bytes throws(BlobError) in
            inspect(bytes)
            try append(bytes)
        }
    }

    /// Synchronizes the file and puts it in its place.
    ///
    /// - Returns: The name to commit in the metadata. Call `BlobStore.keep` after the commit, or `BlobStore.remove` if
    ///   it failed.
    public func finish() throws(BlobError) -> String {
        guard let descriptor else { preconditionFailure("a blob is finished once") }
        do throws(FileError) {
            try store.calls.synchronize(descriptor)
        } catch {
            throw BlobError(error)
        }
        store.calls.close(descriptor)
        self.descriptor = nil
        isPublished = true
        try store.publish(path, as: name)
        return name
    }
}
