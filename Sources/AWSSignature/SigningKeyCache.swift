import Synchronization

/// Signing keys of signatures that were valid, so that the next signature of the same secret and scope needs no derivation. Safe
/// to use from any thread. Keys are good for a day; when the cache is full, all of them are removed.
public final class SigningKeyCache: Sendable {
    private struct Source: Hashable {
        let secret: String
        let scope: CredentialScope
    }

    private let countMax: Int
    private let keys = Mutex<[Source: SigningKey]>([:])

    /// - Parameter countMax: Keys that are kept.
    public init(countMax: Int = 1_024) { self.countMax = countMax }

    /// Verifies a signature, by the key that is kept for the secret and the scope or a new one, which is kept if the signature is
    /// valid: the scope is the client's choice.
    ///
    /// - Returns: The key, which also signs the chunks of the body.
    public func verify(
        _ signature: SignatureV4, secret: String, now: Int64, expectedService: String, expectedRegion: String?
    ) throws(SignatureError) -> SigningKey {
        let source = Source(secret: secret, scope: signature.claim.scope)
        let kept = keys.withLock { $0[source] }
        let key = kept ?? SigningKey(secret: secret, scope: source.scope)
        try signature.verify(key: key, now: now, expectedService: expectedService, expectedRegion: expectedRegion)
        if kept == nil {
            keys.withLock { keys in
                if keys.count >= countMax { keys.removeAll(keepingCapacity: true) }
                keys[source] = key
            }
        }
        return key
    }

    /// Keys that are kept now.
    var count: Int { keys.withLock(\.count) }
}
