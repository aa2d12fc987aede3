import JSON
import Synchronization

/// Failed attempts per user. After five failures the user is locked for a second, after each further failure for twice as
/// long, up to fifteen minutes (reference: auth, "Storing passwords").
final class PasswordAttempts: Sendable {
    private struct Failures {
        var count: Int
        /// Milliseconds since 1970.
        var last: Int64
        /// What `last` was before the last attempt that was admitted.
        var lastBefore: Int64
    }

    private let failures = Mutex<[ExactText: Failures]>([:])
    /// The most users that are remembered. Beyond it those are forgotten whose last failure is older than the longest lock, or
    /// else a tenth: those with the fewest failures, so that failures with many names do not end the locks of others.
    static let usersMax = 100_000
    static let freeCount = 5
    static let lockMillisecondsMax: Int64 = 15 * 60_000

    /// Throws while the user is locked.
    func check(_ user: String, now: Int64) throws(CognitoError) { try begin(user, now: now, takesLock: false) }

    /// Starts an attempt, which `fail` or `succeed` completes. Throws while the user is locked. After too many failures only
    /// one attempt at a time is accepted: it locks the user again for concurrent attempts.
    func begin(_ user: String, now: Int64) throws(CognitoError) { try begin(user, now: now, takesLock: true) }

    private func begin(_ user: String, now: Int64, takesLock: Bool) throws(CognitoError) {
        let user = BoundedName.key(user)
        let isLocked = failures.withLock { failures in
            guard var known = failures[user] else { return false }
            let isBeyond = known.count >= Self.freeCount
            if isBeyond {
                let lock = min(1_000 << min(known.count - Self.freeCount, 20), Int(Self.lockMillisecondsMax))
                if now < known.last + Int64(lock) { return true }
            }
            if takesLock {
                known.lastBefore = known.last
                if isBeyond { known.last = now }
                failures[user] = known
            }
            return false
        }
        if isLocked { throw .notAuthorized("Password attempts exceeded") }
    }

    /// Counts a wrong password.
    func fail(_ user: String, now: Int64) {
        let user = BoundedName.key(user)
        failures.withLock { failures in
            if failures.count >= Self.usersMax, failures[user] == nil {
                failures = failures.filter { now < $0.value.last + Self.lockMillisecondsMax }
                if failures.count >= Self.usersMax { Self.forgetLeastLocked(of: &failures) }
            }
            var known = failures[user] ?? Failures(count: 0, last: now, lastBefore: now)
            // The count is reset after a day without failures.
            if now - known.last > 86_400_000 { known.count = 0 }
            (known.count, known.last) = (known.count + 1, now)
            failures[user] = known
        }
    }

    private static func forgetLeastLocked(of failures: inout [ExactText: Failures]) {
        let sorted = failures.sorted { ($0.value.count, $0.value.last) < ($1.value.count, $1.value.last) }
        for (user, _) in sorted.prefix(usersMax / 10) { failures[user] = nil }
    }

    /// Takes back a failure that was counted before the answer was known, and the lock that its attempt took.
    func withdraw(_ user: String) {
        let user = BoundedName.key(user)
        failures.withLock { failures in
            guard var known = failures[user] else { return }
            (known.count, known.last) = (known.count - 1, known.lastBefore)
            failures[user] = known.count > 0 ? known : nil
        }
    }

    /// Resets the count after a successful attempt.
    func succeed(_ user: String) { failures.withLock { _ = $0.removeValue(forKey: BoundedName.key(user)) } }
}
