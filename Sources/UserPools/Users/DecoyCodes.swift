import JSON
import Synchronization

/// Codes that were requested but never sent, because the name has no user or the user cannot receive one: like codes that
/// are sent, one for each purpose. Attempts with them are answered like wrong attempts with a code that was sent.
final class DecoyCodes: Sendable {
    private struct Decoy {
        var attemptCount: Int64 = 0
        /// Milliseconds since 1970.
        var expires: Int64
    }

    private let decoys = Mutex<[ExactText: Decoy]>([:])
    /// Maximum number of codes. Beyond it expired codes are dropped, or else the older half.
    static let countMax = 50_000

    /// The number of codes that are kept.
    var count: Int { decoys.withLock { $0.count } }

    /// A new code allows new attempts, and is valid for as long as one that is sent.
    func request(_ name: String, for purpose: Code.Purpose, now: Int64) {
        let name = Self.key(name, purpose)
        decoys.withLock { decoys in
            if decoys.count >= Self.countMax, decoys[name] == nil {
                decoys = decoys.filter { $0.value.expires > now }
                if decoys.count >= Self.countMax {
                    let median = decoys.values.map(\.expires).sorted()[decoys.count / 2]
                    decoys = decoys.filter { $0.value.expires > median }
                }
            }
            decoys[name] = Decoy(expires: now + UserPools.lifetime(purpose))
        }
    }

    private static func key(_ name: String, _ purpose: Code.Purpose) -> ExactText {
        // A prefix and not a suffix: a name may have any end.
        BoundedName.key("\(purpose.text):\(name)")
    }

    /// Counts an attempt.
    /// - Returns: Its error.
    func attempt(_ name: String, for purpose: Code.Purpose, now: Int64) -> CognitoError {
        let name = Self.key(name, purpose)
        return decoys.withLock { decoys in
            guard let decoy = decoys[name] else { return .expiredCode }
            guard decoy.expires > now else {
                decoys[name] = nil
                return .expiredCode
            }
            guard decoy.attemptCount < Code.attemptsMax else { return .limitExceeded }
            decoys[name]?.attemptCount += 1
            return .codeMismatch
        }
    }

    /// Drops expired codes.
    func removeExpired(now: Int64) { decoys.withLock { $0 = $0.filter { $0.value.expires > now } } }
}
