/// The bytes that a request has stored and not yet committed. They grow as its body arrives, so that a declared size alone
/// takes nothing from others. Used by one task, which calls `end` when the request ends.
final class StorageReservation {
    private let usage: StorageUsage
    private let limits: BucketLimits
    private var byteCount = 0

    init(_ usage: StorageUsage, _ limits: BucketLimits) { (self.usage, self.limits) = (usage, limits) }

    /// Reserves further bytes; throws QuotaExceeded if they do not fit.
    func add(_ count: Int) throws(S3Error) {
        try usage.reserve(count, limits)
        byteCount += count
    }

    /// Ends the reservation: the bytes are counted as stored now, or were removed.
    func end() {
        usage.release(byteCount)
        byteCount = 0
    }
}
