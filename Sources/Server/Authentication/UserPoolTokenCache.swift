import Encodings
import Synchronization
import Tables
import UserPools

/// A cache of verified user pool tokens, so that the next request with one of them costs one lookup. Bounded; the tokens of
/// ended sessions are removed. Safe to use from any thread.
final class UserPoolTokenCache: Sendable {
    private struct Contents {
        /// Keyed by the last bytes of the signature, which are practically random in a verified token.
        var tokens: [UInt64: CachedUserPoolToken] = [:]
        /// Bytes of all tokens.
        var byteCount = 0
        /// How often tokens were removed: a token that was verified before a removal that concerns it must not be added after it.
        var forgetCount: UInt64 = 0
        /// The last removals. That of number `n` is at `n` modulo `recentMax`.
        var recent: [UserPoolServices.Ended] = []

        /// Whether a removal after the first `count` ones concerns a token, or may: there were more than are known.
        func mayHaveRemoved(_ token: TokenIdentity, since count: UInt64) -> Bool {
            guard forgetCount - count <= UserPoolTokenCache.recentMax else { return true }
            return (count..<forgetCount).contains { recent[Self.index($0)].concerns(token) }
        }

        mutating func add(_ ended: UserPoolServices.Ended) {
            let index = Self.index(forgetCount)
            if index < recent.count { recent[index] = ended } else { recent.append(ended) }
            forgetCount += 1
        }

        private static func index(_ number: UInt64) -> Int { Int(number % UserPoolTokenCache.recentMax) }
    }

    private let contents = Mutex(Contents())
    private let countMax: Int
    private let clock: WallClock
    /// Bytes of all tokens. Most have 1 to 2 KiB, so that the count is reached first.
    static let bytesMax = 64 << 20
    /// Removals that are known, of which a busy server has some hundreds while a token is verified.
    static let recentMax: UInt64 = 4_096

    init(countMax: Int, clock: WallClock) { (self.countMax, self.clock) = (countMax, clock) }

    /// The cached token with these bytes, if it has not expired; with a mode, only if this mode created its identity.
    func find(_ bytes: UnsafeRawBufferPointer, by mode: UserPoolMode.ID?) -> CachedUserPoolToken? {
        guard let key = unsafe Self.key(bytes), let cached = contents.withLock({ $0.tokens[key] }),
            mode == nil || cached.mode == mode, unsafe ConstantTime.isEqual(cached.bytes, bytes),
            cached.token.expires > clock.milliseconds()
        else { return nil }
        return cached
    }

    /// The number to pass to `keep`.
    var forgetCount: UInt64 { contents.withLock { $0.forgetCount } }

    /// Adds a token that was verified after `forgetCount` was read, unless its session, user, client or pool may have ended since.
    func keep(_ cached: CachedUserPoolToken, since forgetCount: UInt64) -> Bool {
        let key: UInt64? = unsafe cached.bytes.withUnsafeBytes { unsafe Self.key($0) }
        return contents.withLock { contents in
            guard !contents.mayHaveRemoved(cached.token, since: forgetCount) else { return false }
            if contents.tokens.count >= countMax || contents.byteCount + cached.bytes.count > Self.bytesMax {
                contents.tokens.removeAll(keepingCapacity: true)
                contents.byteCount = 0
            }
            if let key {
                let old = contents.tokens.updateValue(cached, forKey: key)
                contents.byteCount += cached.bytes.count - (old?.bytes.count ?? 0)
            }
            return true
        }
    }

    /// Removes the tokens of ended sessions, users, clients or pools.
    func forget(_ ended: UserPoolServices.Ended) {
        contents.withLock { contents in
            contents.add(ended)
            contents.tokens = contents.tokens.filter { !ended.concerns($0.value.token) }
            contents.byteCount = contents.tokens.values.reduce(0) { $0 + $1.bytes.count }
        }
    }

    /// Memory safety: the buffer has at least eight bytes.
    private static func key(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        guard bytes.count >= 8 else { return nil }
        return unsafe bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
    }
}
