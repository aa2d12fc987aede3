import Synchronization

/// Counts of stored bytes and objects, and reservations for uploads in progress.
final class StorageUsage: Sendable {
    private struct State {
        var size = StoredSize()
        /// Bytes of files of replaced and deleted versions that are kept for a backup.
        var heldBytes = 0
        var objectCount = 0
        /// Completed uploads that are remembered.
        var completedCount = 0
        var reservedBytes = 0

        func checkRoom(for byteCount: Int, _ limits: BucketLimits) throws(S3Error) {
            guard objectCount < limits.objectsMax else { throw .tooManyObjects }
            let restBytes = limits.storedBytesMax - size.contentBytes - size.overheadBytes - heldBytes - reservedBytes
            guard byteCount <= restBytes else { throw .tooManyBytes }
        }
    }

    private let state = Mutex(State())
    private let hasRoom: @Sendable (_ byteCount: Int) -> Bool

    /// - Parameter hasRoom: Whether the disk has room for bytes.
    init(hasRoom: @escaping @Sendable (_ byteCount: Int) -> Bool) { self.hasRoom = hasRoom }

    /// Refuses a body that does not fit now. Nothing is reserved: a client may declare any size and send nothing.
    func check(_ byteCount: Int, _ limits: BucketLimits) throws(S3Error) {
        guard hasRoom(byteCount) else { throw .insufficientStorage }
        try state.withLock { state throws(S3Error) in try state.checkRoom(for: byteCount, limits) }
    }

    /// Reserves bytes that have arrived, or are about to be copied.
    func reserve(_ byteCount: Int, _ limits: BucketLimits) throws(S3Error) {
        guard hasRoom(byteCount) else { throw .insufficientStorage }
        try state.withLock { state throws(S3Error) in
            try state.checkRoom(for: byteCount, limits)
            state.reservedBytes += byteCount
        }
    }

    /// Ends a reservation.
    func release(_ byteCount: Int) { state.withLock { $0.reservedBytes -= byteCount } }

    /// Adjusts the counts after a commit.
    func add(_ size: StoredSize, objects: Int = 0) {
        state.withLock { state in
            state.size.contentBytes += size.contentBytes
            state.size.overheadBytes += size.overheadBytes
            state.objectCount += objects
        }
    }

    /// Adjusts the counts after a removal was committed.
    func subtract(_ size: StoredSize, objects: Int = 0) { add(StoredSize() - size, objects: -objects) }

    /// Counts bytes of a file that is to be removed, until `endHold`.
    func hold(_ byteCount: Int) { state.withLock { $0.heldBytes += byteCount } }

    func endHold(_ byteCount: Int) { state.withLock { $0.heldBytes -= byteCount } }

    /// Adjusts the count of completed uploads.
    func add(completed count: Int) { state.withLock { $0.completedCount += count } }

    /// Completed uploads that are remembered.
    var completedCount: Int { state.withLock(\.completedCount) }

    /// Stored bytes and objects, without the overhead.
    var stored: (bytes: Int, objects: Int) { state.withLock { ($0.size.contentBytes, $0.objectCount) } }

    /// What is stored.
    var size: StoredSize { state.withLock(\.size) }
}
