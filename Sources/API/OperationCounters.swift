import GraphQL
import Synchronization

/// What is counted of the answers to operations, by name and type. Shared by all event loops; each has counters of its
/// own, so that counting is no more than a few additions, and they are added up when somebody asks.
///
/// Names come from callers, so their number is bounded: later ones are counted together, as `other`. An operation without
/// a name is `anonymous`. Subscriptions are not counted here: they are not answered but followed.
public final class OperationCounters: Sendable {
    /// One name's counts.
    public struct Reading: Sendable {
        /// The operation's name.
        public let name: String
        /// `query` or `mutation`.
        public let type: String
        /// Answers.
        public let count: Int
        /// Of these, those with errors.
        public let failureCount: Int
        /// Time from the whole request to its answer, summed over all answers.
        public let nanoseconds: Int64
    }

    struct Key: Hashable {
        var name: String
        var type: OperationType
    }

    /// Longer names are counted as `other`, in bytes.
    static let nameBytesMax = 128

    private let nameCountMax: Int
    private let counters = Mutex<[Key: [OperationCounter]]>([:])

    /// - Parameter nameCountMax: How many names are counted separately, in all types together.
    public init(nameCountMax: Int = 200) { self.nameCountMax = nameCountMax }

    /// The counts by name, sorted.
    public var readings: [Reading] {
        counters.withLock { $0 }.map { key, counters in
            Reading(
                name: key.name, type: key.type.rawValue, count: counters.reduce(0) { $0 + $1.count },
                failureCount: counters.reduce(0) { $0 + $1.failureCount },
                nanoseconds: counters.reduce(0) { $0 + $1.nanoseconds })
        }.sorted { ($0.type, $0.name) < ($1.type, $1.name) }
    }

    /// A counter for one loop, and the name it counts for: the given one, or `other` when there are too many.
    func makeCounter(for key: Key, unless known: (Key) -> OperationCounter?) -> (Key, OperationCounter) {
        counters.withLock { counters in
            let isNamed = counters[key] != nil || counters.count < nameCountMax
            let key = isNamed && key.name.utf8.count <= Self.nameBytesMax ? key : Key(name: "other", type: key.type)
            if let counter = known(key) { return (key, counter) }
            let counter = OperationCounter()
            counters[key, default: []].append(counter)
            return (key, counter)
        }
    }
}
