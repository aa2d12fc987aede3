import API
import Encodings
import Synchronization

/// A cache of accepted tokens of other issuers and of Lambda authorizers, each with an expiry time, so that the next request with
/// the token costs one lookup. Bounded in count and in bytes. Safe to use from any thread.
final class ExternalTokenCache: Sendable {
    private struct Entry {
        var token: [UInt8]
        var identity: Identity
        /// Milliseconds since 1970.
        var end: Int64
        /// Bytes of the token, and approximate bytes of its identity.
        var size: Int
    }

    private struct Contents {
        /// By the token's hash.
        var entries: [Int: Entry] = [:]
        var bytes = 0

        mutating func remove(_ key: Int) {
            if let entry = entries.removeValue(forKey: key) { bytes -= entry.size }
        }

        mutating func removeEnded(_ now: Int64) {
            for (key, entry) in entries where entry.end <= now { remove(key) }
        }
    }

    private let contents = Mutex(Contents())
    private let countMax: Int
    private let bytesMax: Int
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - bytesMax: Bytes of all tokens, and approximate bytes of their identities.
    ///   - now: Milliseconds since 1970.
    init(countMax: Int, bytesMax: Int = 16 << 20, now: @escaping @Sendable () -> Int64) {
        (self.countMax, self.bytesMax, self.now) = (countMax, bytesMax, now)
    }

    /// The identity of an accepted token.
    func find(_ token: UnsafeRawBufferPointer) -> Identity? {
        let key = unsafe Self.key(token)
        guard let entry = contents.withLock({ $0.entries[key] }), unsafe ConstantTime.isEqual(entry.token, token) else {
            return nil
        }
        guard entry.end <= now() else { return entry.identity }
        contents.withLock { if $0.entries[key]?.end == entry.end { $0.remove(key) } }
        return nil
    }

    /// Keeps an accepted token.
    /// - Parameter bytes: Approximate bytes of its identity.
    func keep(_ token: [UInt8], _ identity: Identity, until end: Int64, bytes: Int) {
        let (now, size) = (now(), token.count + bytes)
        guard end > now, countMax > 0, size <= bytesMax else { return }
        let key: Int = unsafe token.withUnsafeBytes { unsafe Self.key($0) }
        contents.withLock { contents in
            contents.remove(key)
            if contents.entries.count >= countMax || contents.bytes + size > bytesMax {
                contents.removeEnded(now)
                // If few have expired, all are removed, so that the next token does not search through them again.
                let isNearlyFull =
                    contents.entries.count > countMax / 4 * 3 || contents.bytes + size > bytesMax / 4 * 3
                if isNearlyFull { contents = Contents() }
            }
            contents.entries[key] = Entry(token: token, identity: identity, end: end, size: size)
            contents.bytes += size
        }
    }

    var count: Int { contents.withLock { $0.entries.count } }
    var byteCount: Int { contents.withLock { $0.bytes } }

    private static func key(_ token: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        unsafe hasher.combine(bytes: token)
        return hasher.finalize()
    }
}
