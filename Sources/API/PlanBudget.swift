import Synchronization

/// The memory that the plans of a server may take together: those that the event loops keep for repeated documents, those
/// that open subscriptions keep, and those of operations under way, of all generations of the API.
///
/// A plan reserves its bytes when it is made and releases them when it is freed. Where the budget is used up, cached plans
/// are evicted, those of the loop that asks first. Safe to use from any thread.
final class PlanBudget: Sendable {
    private struct CacheReference { weak var cache: PlanCache? }

    private let limit = Atomic(APILimits().planBytesMax)
    private let reserved = Atomic(0)
    private let followed = Atomic(0)
    private let caches = Mutex<[CacheReference]>([])

    /// The limit of the newest API is everyone's.
    func setLimit(_ bytesMax: Int) { limit.store(bytesMax, ordering: .relaxed) }

    /// What all plans may take.
    var bytesMax: Int { limit.load(ordering: .relaxed) }

    /// What the plan of one operation may take: an eighth, so that one operation does not evict everybody's plans.
    var operationBytesMax: Int { bytesMax / 8 }

    /// What the plans of open subscriptions may take. The last quarter stays for operations, which come and go.
    var subscriptionBytesMax: Int { bytesMax / 4 * 3 }

    /// What all plans take now.
    var bytesNow: Int { reserved.load(ordering: .relaxed) }

    /// What the plans of open subscriptions take now.
    var subscriptionBytesNow: Int { followed.load(ordering: .relaxed) }

    /// Has the cache's plans evicted when others need their bytes.
    func add(_ cache: PlanCache) {
        caches.withLock { caches in
            caches.removeAll { $0.cache == nil }
            caches.append(CacheReference(cache: cache))
        }
    }

    /// Reserves bytes for a plan, and evicts cached plans for them if need be.
    /// - Parameter own: The cache of the loop that asks.
    /// - Returns: Whether there is room; `release` is to be called then.
    func reserve(_ byteCount: Int, evictingFirst own: PlanCache?) -> Bool {
        while true {
            if reserved.add(byteCount, ordering: .relaxed).newValue <= bytesMax { return true }
            release(byteCount)
            if own?.evictOne() == true { continue }
            let others = caches.withLock { $0.compactMap(\.cache) }
            guard others.contains(where: { $0.evictOne() }) else { return false }
        }
    }

    func release(_ byteCount: Int) { reserved.subtract(byteCount, ordering: .relaxed) }

    /// Counts a plan as one that a subscription keeps.
    func follow(_ byteCount: Int) { followed.add(byteCount, ordering: .relaxed) }

    func unfollow(_ byteCount: Int) { followed.subtract(byteCount, ordering: .relaxed) }
}
