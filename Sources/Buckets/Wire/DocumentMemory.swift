import Synchronization

/// The memory that XML bodies of all requests take, bounded in bytes: `CapacityShares.Bounds.documents`. Safe to use from any thread.
final class DocumentMemory: Sendable {
    private let shares: Mutex<CapacityShares>

    /// - Parameter bytesMax: Bytes of all requests together.
    init(bytesMax: Int) { shares = Mutex(CapacityShares(.documents(bytesMax: bytesMax))) }

    /// Reserves bytes; throws SlowDown if they are more than is left.
    func reserve(_ byteCount: Int, for owner: CapacityShares.Owner) throws(S3Error) {
        guard shares.withLock({ $0.take(byteCount, for: owner) }) else { throw .slowDown }
    }

    /// Releases bytes that were reserved.
    func release(_ byteCount: Int, for owner: CapacityShares.Owner) {
        shares.withLock { $0.release(byteCount, for: owner) }
    }

    /// Bytes that are reserved now.
    var byteCount: Int { shares.withLock(\.taken) }
}
