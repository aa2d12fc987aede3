import Synchronization

/// Tokens whose signature and session were found good, so that the next request with one of them costs no more than finding
/// it. Bounded; forgets the tokens of sessions that are ended.
final class SeenTokens: Sendable {
    private struct Contents {
        var identities: [String: TokenIdentity] = [:]
        /// How often tokens were forgotten: what was begun before must not be kept after.
        var forgetting: UInt64 = 0
    }

    private let contents = Mutex(Contents())
    private let countMax: Int

    init(countMax: Int) { self.countMax = countMax }

    func identity(of token: String) -> TokenIdentity? { contents.withLock { $0.identities[token] } }

    /// A number to be given to `keep`.
    var state: UInt64 { contents.withLock { $0.forgetting } }

    /// Keeps a token that was verified since `state` was asked for, unless sessions were ended meanwhile.
    func keep(_ identity: TokenIdentity, of token: String, since state: UInt64) -> Bool {
        contents.withLock { contents in
            guard contents.forgetting == state else { return false }
            if contents.identities.count >= countMax { contents.identities.removeAll(keepingCapacity: true) }
            contents.identities[token] = identity
            return true
        }
    }

    func forget(session: String) { forget { $0.sessionID == session } }
    func forget(user: String) { forget { $0.sub == user } }
    func forget(pool: String) { forget { $0.poolID == pool } }

    private func forget(where isGone: (TokenIdentity) -> Bool) {
        contents.withLock { contents in
            contents.forgetting += 1
            contents.identities = contents.identities.filter { !isGone($0.value) }
        }
    }
}
