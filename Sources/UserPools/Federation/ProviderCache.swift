import JSON
import Synchronization

/// What providers have published: endpoints and keys, kept for an hour. One entry for each configured provider.
final class ProviderCache: Sendable {
    struct Entry: Sendable {
        var metadata: ProviderMetadata
        var keys: JSONObject
        /// Milliseconds since 1970.
        var fetched: Int64
    }

    private let entries = Mutex<[OIDCProvider: Entry]>([:])
    /// How long an entry is used, in milliseconds.
    static let lifetime: Int64 = 3_600_000
    /// How long keys are not fetched again for a token whose key is unknown, in milliseconds.
    static let pause: Int64 = 30_000
    /// Entries that are kept, those of providers that are configured no longer included.
    static let countMax = 1_000

    subscript(provider: OIDCProvider) -> Entry? {
        get { entries.withLock { $0[provider] } }
        set {
            entries.withLock { entries in
                if entries.count >= Self.countMax { entries.removeAll() }
                entries[provider] = newValue
            }
        }
    }
}
