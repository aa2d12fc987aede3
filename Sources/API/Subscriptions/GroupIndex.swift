import JSON
import Tables

/// The groups that follow one topic on one loop, indexed by the field values that their filters require.
///
/// For each set of fields that some filter demands to be equal to something there is one hash table, from those values
/// to the groups. So an event costs a look-up for each such set, of which a schema has a handful, and a visit for each
/// group whose equalities it meets; other rules are tested at the visit.
///
/// A rule for one of a caller's texts, such as the caller's groups, is indexed by the set of the texts, of which all
/// subscriptions of the caller share one: an event also costs a look-up for each caller that has the text of the event.
struct GroupIndex {
    struct Entry {
        let group: SubscriptionGroup
        /// The rules besides the equalities, of each conjunction that has these equalities.
        var rest: [[EventRule]]

        /// Whether a rule searches a text.
        var searchesText: Bool {
            rest.contains { $0.contains { $0.operation == .contains || $0.operation == .notContains } }
        }
    }

    typealias Bucket = [ObjectIdentifier: Entry]

    /// The groups that have equalities for one set of fields, by their values.
    struct Table {
        let paths: [[String]]
        /// The field that has to have one of a caller's texts, besides; nil in the table of conjunctions without such a rule.
        let textsPath: [String]?
        fileprivate var buckets: [[EventValue]: Bucket] = [:]
        fileprivate var bucketsByTexts: [[EventValue]: [TextSet: Bucket]] = [:]
        /// How many of `bucketsByTexts` have a set, and the sets that have a text.
        private var textSetCounts: [TextSet: Int] = [:]
        private var textSets: [ExactText: Set<TextSet>] = [:]
        /// The longest text that was ever among the values: a longer one equals none, and need not be hashed.
        fileprivate(set) var operandByteCountMax = 0

        fileprivate init(paths: [[String]], textsPath: [String]?) { (self.paths, self.textsPath) = (paths, textsPath) }

        fileprivate var isEmpty: Bool { buckets.isEmpty && bucketsByTexts.isEmpty }

        /// The groups whose equalities an event meets; a list or an object equals nothing.
        func matches(of tree: JSONValue) -> Matches {
            var values: [EventValue] = []
            for path in paths {
                guard let value = EventValue(tree[path] ?? .null), value.byteCount <= operandByteCountMax else {
                    return Matches()
                }
                values.append(value)
            }
            guard let textsPath else { return Matches(bucket: buckets[values] ?? [:]) }
            guard case .string(let text)? = tree[textsPath], text.utf8.count <= operandByteCountMax,
                let buckets = bucketsByTexts[values], let having = textSets[ExactText(text)]
            else { return Matches() }
            // Of the callers with the text, and of the sets under these values, the fewer are gone through.
            return Matches(buckets, for: text, in: having.count <= buckets.count ? having : Set(buckets.keys))
        }

        fileprivate mutating func insert(_ group: SubscriptionGroup, _ parts: Parts) {
            operandByteCountMax = parts.values.reduce(operandByteCountMax) { max($0, $1.byteCount) }
            let id = ObjectIdentifier(group)
            guard let texts = parts.texts else {
                buckets[parts.values, default: [:]][id, default: Entry(group: group, rest: [])].rest.append(parts.rest)
                return
            }
            let isNew = bucketsByTexts[parts.values]?[texts] == nil
            bucketsByTexts[parts.values, default: [:]][texts, default: [:]][
                id, default: Entry(group: group, rest: [])
            ].rest.append(parts.rest)
            guard isNew else { return }
            let count = textSetCounts[texts, default: 0]
            textSetCounts[texts] = count + 1
            guard count == 0 else { return }
            for text in texts.texts {
                operandByteCountMax = max(operandByteCountMax, text.utf8.count)
                textSets[ExactText(text), default: []].insert(texts)
            }
        }

        fileprivate mutating func remove(_ group: SubscriptionGroup, _ parts: Parts) {
            let id = ObjectIdentifier(group)
            guard let texts = parts.texts else {
                buckets[parts.values]?[id] = nil
                if buckets[parts.values]?.isEmpty == true { buckets[parts.values] = nil }
                return
            }
            guard bucketsByTexts[parts.values]?[texts]?.removeValue(forKey: id) != nil,
                bucketsByTexts[parts.values]?[texts]?.isEmpty == true
            else { return }
            bucketsByTexts[parts.values]?[texts] = nil
            if bucketsByTexts[parts.values]?.isEmpty == true { bucketsByTexts[parts.values] = nil }
            let count = textSetCounts[texts, default: 1] - 1
            textSetCounts[texts] = count > 0 ? count : nil
            guard count == 0 else { return }
            for text in texts.texts {
                textSets[ExactText(text)]?.remove(texts)
                if textSets[ExactText(text)]?.isEmpty == true { textSets[ExactText(text)] = nil }
            }
        }
    }

    /// The buckets of a table that an event meets, one after the other.
    struct Matches {
        /// The first, or the only one.
        private(set) var bucket: Bucket
        private let buckets: [TextSet: Bucket]
        private let text: String
        private let textSets: Set<TextSet>
        private var place: Set<TextSet>.Index

        init(bucket: Bucket = [:]) {
            (self.bucket, buckets, text, textSets) = (bucket, [:], "", [])
            place = textSets.endIndex
        }

        fileprivate init(_ buckets: [TextSet: Bucket], for text: String, in textSets: Set<TextSet>) {
            (bucket, self.buckets, self.text, self.textSets) = ([:], buckets, text, textSets)
            place = textSets.startIndex
        }

        /// Takes the next bucket, which may be empty; false when there is none.
        mutating func advance() -> Bool {
            bucket = [:]
            guard place < textSets.endIndex else { return false }
            let texts = textSets[place]
            place = textSets.index(after: place)
            if let next = buckets[texts], texts.contains(text) { bucket = next }
            return true
        }
    }

    private var tables: [Table] = []

    var isEmpty: Bool { tables.isEmpty }

    mutating func insert(_ group: SubscriptionGroup) {
        for conjunction in group.operation.filter.conjunctions {
            let parts = Parts(conjunction)
            let table = place(of: parts) ?? tables.endIndex
            if table == tables.endIndex { tables.append(Table(paths: parts.paths, textsPath: parts.textsPath)) }
            tables[table].insert(group, parts)
        }
    }

    mutating func remove(_ group: SubscriptionGroup) {
        for conjunction in group.operation.filter.conjunctions {
            let parts = Parts(conjunction)
            guard let table = place(of: parts) else { continue }
            tables[table].remove(group, parts)
            if tables[table].isEmpty { tables.remove(at: table) }
        }
    }

    private func place(of parts: Parts) -> Int? {
        tables.firstIndex { $0.paths == parts.paths && $0.textsPath == parts.textsPath }
    }

    /// Begins to look for the groups that want an event.
    func search(for event: PublishedEvent) -> GroupSearch { GroupSearch(for: event, in: tables) }

    /// A conjunction: its equalities in the order of their paths, a rule for one of a caller's texts, and the rest of it.
    fileprivate struct Parts {
        var paths: [[String]] = []
        var values: [EventValue] = []
        var textsPath: [String]?
        var texts: TextSet?
        var rest: [EventRule] = []

        init(_ conjunction: [EventRule]) {
            var equalities: [(path: [String], value: EventValue)] = []
            for rule in conjunction {
                if rule.operation == .eq, rule.operands.count == 1,
                    !equalities.contains(where: { $0.path == rule.path })
                {
                    equalities.append((rule.path, rule.operands[0]))
                } else if rule.operation == .in, let texts = rule.texts, self.texts == nil,
                    texts.texts.count <= GroupIndex.indexedTextsMax
                {
                    (textsPath, self.texts) = (rule.path, texts)
                } else {
                    rest.append(rule)
                }
            }
            equalities.sort { $0.path.lexicographicallyPrecedes($1.path) }
            (paths, values) = (equalities.map(\.path), equalities.map(\.value))
        }
    }

    /// Texts of a caller up to which the index has an entry for each. A user of a user pool may be in so many groups
    /// (Amazon Cognito, "Quotas in Amazon Cognito"). A caller with more of them is tested with each event.
    static let indexedTextsMax = 100
}
