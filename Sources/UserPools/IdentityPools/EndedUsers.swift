import JSON
import Synchronization

/// Users whose sessions ended lately: who was deleted, disabled or signed out everywhere, or whose password was reset. Their
/// temporary credentials, which no store knows, end with their sessions. Forgotten when the server restarts.
final class EndedUsers: Sendable {
    private let times = Mutex<[ExactText: Int64]>([:])
    /// Maximum number of users. Beyond it, those whose credentials have expired are dropped, or else the older half.
    static let countMax = 100_000

    /// Notes that a user's sessions end now.
    func note(_ sub: String, now: Int64) {
        let sub = BoundedName.key(sub)
        times.withLock { times in
            if times.count >= Self.countMax, times[sub] == nil {
                times = times.filter { now < $0.value + TemporaryCredentials.lifetime }
                if times.count >= Self.countMax {
                    let median = times.values.sorted()[times.count / 2]
                    times = times.filter { $0.value > median }
                }
            }
            times[sub] = now
        }
    }

    /// Whether a user's sessions have ended since a time, in milliseconds since 1970, or in its millisecond.
    func hasEnded(_ sub: String, since time: Int64) -> Bool {
        times.withLock { $0[BoundedName.key(sub)].map { time <= $0 } ?? false }
    }
}
