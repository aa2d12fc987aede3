import Synchronization

/// Wrong passwords of each user: after five the user is locked for a second, after each further one for twice as long, up to
/// fifteen minutes (reference: auth, "Storing passwords").
final class PasswordAttempts: Sendable {
    private struct Failures {
        var count: Int
        /// Milliseconds since 1970.
        var last: Int64
    }

    private let failures = Mutex<[String: Failures]>([:])
    /// The most users that are remembered.
    static let usersMax = 100_000
    static let freeCount = 5
    static let lockMillisecondsMax: Int64 = 15 * 60_000

    /// The name by which a user is remembered: of one length at most, for callers may give any.
    private static func key(_ user: String) -> String { user.utf8.count > 256 ? UserPools.hash(user) : user }

    /// Refuses an attempt while the user is locked.
    func check(_ user: String, now: Int64) throws(CognitoError) { try begin(user, now: now, takesLock: false) }

    /// Begins an attempt, which `fail` or `succeed` ends; refuses it while the user is locked. Of a user who has failed too
    /// often one attempt at a time is let through: those that come with it find the user locked again.
    func begin(_ user: String, now: Int64) throws(CognitoError) { try begin(user, now: now, takesLock: true) }

    private func begin(_ user: String, now: Int64, takesLock: Bool) throws(CognitoError) {
        let user = Self.key(user)
        let isLocked = failures.withLock { failures in
            guard let known = failures[user], known.count >= Self.freeCount else { return false }
            let lock = min(1_000 << min(known.count - Self.freeCount, 20), Int(Self.lockMillisecondsMax))
            if now < known.last + Int64(lock) { return true }
            if takesLock { failures[user]?.last = now }
            return false
        }
        if isLocked { throw .notAuthorized("Password attempts exceeded") }
    }

    /// Counts a wrong password.
    func fail(_ user: String, now: Int64) {
        let user = Self.key(user)
        failures.withLock { failures in
            if failures.count >= Self.usersMax, failures[user] == nil {
                failures = failures.filter { now < $0.value.last + Self.lockMillisecondsMax }
                if failures.count >= Self.usersMax { failures.removeAll() }
            }
            var known = failures[user] ?? Failures(count: 0, last: now)
            // After a day without one, attempts begin anew.
            if now - known.last > 86_400_000 { known.count = 0 }
            failures[user] = Failures(count: known.count + 1, last: now)
        }
    }

    /// Forgets the wrong ones after a right one.
    func succeed(_ user: String) { failures.withLock { _ = $0.removeValue(forKey: Self.key(user)) } }
}
