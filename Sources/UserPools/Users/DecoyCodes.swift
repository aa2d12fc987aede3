import JSON
import Synchronization

/// Codes to set a new password that were requested but never sent, because the name has no user or the user cannot receive
/// one. Attempts with them are answered like wrong attempts with a code that was sent.
final class DecoyCodes: Sendable {
    private let attemptCounts = Mutex<[ExactText: Int64]>([:])
    /// Maximum number of names. Beyond it all are dropped.
    static let countMax = 50_000

    /// A new code allows new attempts.
    func request(_ name: String) {
        let name = ExactText(name)
        attemptCounts.withLock { counts in
            if counts.count >= Self.countMax, counts[name] == nil { counts.removeAll() }
            counts[name] = 0
        }
    }

    /// Counts an attempt.
    /// - Returns: Its error.
    func attempt(_ name: String) -> CognitoError {
        let name = ExactText(name)
        return attemptCounts.withLock { counts in
            guard let count = counts[name] else { return .expiredCode }
            guard count < Code.attemptsMax else { return .limitExceeded }
            counts[name] = count + 1
            return .codeMismatch
        }
    }
}
