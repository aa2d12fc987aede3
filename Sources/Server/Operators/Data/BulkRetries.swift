import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// How long the writes of a job wait, all in all, while they are refused because the schema is being changed or the server is
/// busy. On the job's thread, which may wait.
final class BulkRetries: Sendable {
    private let waitedMilliseconds = Mutex(0)

    /// Waits for the next attempt. False, at once, if the job has waited for as long as it may.
    func wait() -> Bool {
        let mayWait = waitedMilliseconds.withLock { waited in
            guard waited < BulkLimits.retrySecondsMax * 1_000 else { return false }
            waited += BulkLimits.retryMilliseconds
            return true
        }
        if mayWait { usleep(UInt32(BulkLimits.retryMilliseconds) * 1_000) }
        return mayWait
    }
}
