import Encodings
import Synchronization
import Tables
import UserPools

/// A cache of verified user pool tokens, so that the next request with one of them costs one lookup. Bounded; the tokens of
/// ended sessions are removed. Safe to use from any thread.
final class UserPoolTokenCache: Sendable {
    private struct Contents {
        /// Keyed by the last bytes of the signature, which are practically random in a verified token.
        private(set) var tokens: [UInt64: CachedUserPoolToken] = [:]
        /// The keys of the tokens of each session, user, client and pool, so that an end costs as much as the tokens it concerns.
        private var keys: [UserPoolServices.Ended: Set<UInt64>] = [:]
        /// Bytes of all tokens.
        private(set) var byteCount = 0
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

        mutating func insert(_ cached: CachedUserPoolToken, key: UInt64) {
            remove(key)
            tokens[key] = cached
            byteCount += cached.bytes.count
            for end in cached.token.ends { keys[end, default: []].insert(key) }
        }

        /// Removes the tokens of an ended session, user, client or pool.
        mutating func remove(_ ended: UserPoolServices.Ended) {
            for key in keys.removeValue(forKey: ended) ?? [] { remove(key) }
        }

        private mutating func remove(_ key: UInt64) {
            guard let cached = tokens.removeValue(forKey: key) else { return }
            byteCount -= cached.bytes.count
            for end in cached.token.ends {
                keys[end]?.remove(key)
                if keys[end]?.isEmpty == true { keys[end] = nil }
            }
        }

        mutating func removeAll() {
            tokens.removeAll(keepingCapacity: true)
            keys.removeAll(keepingCapacity: true)
            byteCount = 0
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
                contents.removeAll()
            }
            if let key { contents.insert(cached, key: key) }
            return true
        }
    }

    /// Removes the tokens of ended sessions, users, clients or pools.
    func forget(_ ended: UserPoolServices.Ended) {
        contents.withLock { contents in
            contents.add(ended)
            contents.remove(ended)
        }
    }

    /// Memory safety: the buffer has at least eight bytes.
    private static func key(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        guard bytes.count >= 8 else { return nil }
        return unsafe bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
    }
}
