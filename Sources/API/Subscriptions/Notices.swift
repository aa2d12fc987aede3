import Synchronization

/// Which notices were given, so that each is given once. Past its bound nothing is noticed any more.
final class Notices: Sendable {
    private static let countMax = 1_000
    private let seen = Mutex<Set<Int>>([])

    /// Whether a field of a document is met for the first time.
    func isNew(_ field: String, in document: [UInt8]) -> Bool {
        var hasher = Hasher()
        hasher.combine(document)
        hasher.combine(field)
        let key = hasher.finalize()
        return seen.withLock { $0.count < Self.countMax && $0.insert(key).inserted }
    }
}
