import JSON

/// Identifies a subscription that begins again on another socket: the same caller asks for the same by the same identifier.
///
/// A digest, so that a client which starts and stops subscriptions with large documents leaves 16 bytes for each. Swift's
/// `Hasher` is SipHash, a keyed function of 64 bits (Aumasson and Bernstein, "SipHash: a fast short-input PRF"). Here are
/// two of them, each with a secret of its own that is drawn once per process, hence 128 bits that no client can
/// compute or make collide.
struct ReplayKey: Sendable, Hashable {
    private let first: Int
    private let second: Int

    /// Nil for an identifier that others may use as well: clients that count theirs do not mean each other.
    init?(_ id: String?, identity: Identity, document: [UInt8], variables: JSONObject?) {
        guard let id, id.utf8.count >= 32 else { return nil }
        func digest(_ secret: Secret) -> Int {
            var hasher = Hasher()
            hasher.combine(secret)
            hasher.combine(identity)
            id.hashBytes(into: &hasher)
            hasher.combine(document.count)
            unsafe document.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
            hasher.combine(variables)
            return hasher.finalize()
        }
        (first, second) = (digest(Self.secrets.0), digest(Self.secrets.1))
    }

    private struct Secret: Hashable {
        let low = UInt64.random(in: .min ... .max)
        let high = UInt64.random(in: .min ... .max)
    }

    private static let secrets = (Secret(), Secret())
}
