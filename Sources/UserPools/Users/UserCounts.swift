import Synchronization
import Tables

/// The number of users of each pool, maintained from the first count on.
final class UserCounts: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    subscript(poolID: String) -> Int? {
        get { counts.withLock { $0[poolID] } }
        set { counts.withLock { $0[poolID] = newValue } }
    }

    /// Notes that users were made or removed; nothing while they are not counted.
    func note(_ change: Int, in poolID: String) {
        counts.withLock { counts in
            if let count = counts[poolID] { counts[poolID] = max(0, count + change) }
        }
    }
}

extension UserPools {
    /// The number of users of a pool, give or take those that are made at the same time.
    func userCount(of pool: UserPool) async throws(CognitoError) -> Int {
        if let count = userCounts[pool.id] { return count }
        var (count, next): (Int, Position?) = (0, nil)
        repeat {
            let page = try await records.query(User.self, of: pool.id, after: next, limit: 1_000)
            count += page.records.count
            next = page.next
        } while next != nil
        userCounts[pool.id] = count
        return count
    }

    /// Refuses one more user of a pool that has as many as it may have. Pools are counted in the background, so that no sign-up
    /// waits for it; until then, nothing is refused.
    func checkRoom(in pool: UserPool) throws(CognitoError) {
        guard let count = userCounts[pool.id], count >= limits.usersPerPoolMax else { return }
        throw CognitoError("LimitExceededException", "The user pool has as many users as it may have.")
    }
}
