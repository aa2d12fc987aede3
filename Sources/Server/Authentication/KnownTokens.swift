import API
import Synchronization

/// The tokens that were accepted, each until a time, so that the next request with one of them costs no more than finding it.
/// Bounded in count and in bytes. Safe to use from any thread.
final class KnownTokens: Sendable {
    private struct Entry {
        var identity: Identity
        /// Milliseconds since 1970.
        var end: Int64
    }

    private struct Contents {
        var entries: [[UInt8]: Entry] = [:]
        var bytes = 0
    }

    private let contents = Mutex(Contents())
    private let countMax: Int
    private let now: @Sendable () -> Int64
    /// Bytes of all tokens and about those of what is known of each.
    private static let bytesMax = 16 << 20

    /// - Parameter now: Milliseconds since 1970.
    init(countMax: Int, now: @escaping @Sendable () -> Int64) { (self.countMax, self.now) = (countMax, now) }

    func find(_ token: [UInt8]) -> Identity? {
        guard let entry = contents.withLock({ $0.entries[token] }), entry.end > now() else { return nil }
        return entry.identity
    }

    /// Keeps an accepted token.
    /// - Parameter bytes: About as many as its identity has.
    func keep(_ token: [UInt8], _ identity: Identity, until end: Int64, bytes: Int) {
        guard end > now(), countMax > 0 else { return }
        contents.withLock { contents in
            let size = token.count + bytes
            if contents.entries.count >= countMax || contents.bytes + size > Self.bytesMax {
                contents = Contents()
            }
            guard size <= Self.bytesMax else { return }
            contents.entries[token] = Entry(identity: identity, end: end)
            contents.bytes += size
        }
    }

    var count: Int { contents.withLock { $0.entries.count } }
}
