import Synchronization

/// Counts of stored bytes and objects, and reservations for uploads in progress.
final class StorageUsage: Sendable {
    private struct State {
        var byteCount = 0
        var objectCount = 0
        var reservedBytes = 0
    }

    private let state = Mutex(State())

    /// Refuses a body that does not fit now. Nothing is reserved: a client may declare any size and send nothing.
    func check(_ byteCount: Int, _ limits: BucketLimits) throws(S3Error) {
        let fits = state.withLock { state in
            state.objectCount < limits.objectsMax
                && byteCount <= limits.storedBytesMax - state.byteCount - state.reservedBytes
        }
        guard fits else { throw .quotaExceeded }
    }

    /// Reserves bytes that have arrived, or are about to be copied.
    func reserve(_ byteCount: Int, _ limits: BucketLimits) throws(S3Error) {
        let isReserved = state.withLock { state in
            guard state.objectCount < limits.objectsMax,
                byteCount <= limits.storedBytesMax - state.byteCount - state.reservedBytes
            else { return false }
            state.reservedBytes += byteCount
            return true
        }
        guard isReserved else { throw .quotaExceeded }
    }

    /// Ends a reservation.
    func release(_ byteCount: Int) { state.withLock { $0.reservedBytes -= byteCount } }

    /// Adjusts the counts after a commit; negative numbers for removals.
    func add(bytes: Int, objects: Int = 0) {
        state.withLock { state in
            state.byteCount += bytes
            state.objectCount += objects
        }
    }

    /// Stored bytes and objects.
    var stored: (bytes: Int, objects: Int) { state.withLock { ($0.byteCount, $0.objectCount) } }
}
