import JSON

/// The groups that follow one topic on one loop, indexed by the field values that their filters require.
///
/// For each set of fields that some filter demands to be equal to something there is one hash table, from those values
/// to the groups. So an event costs a look-up for each such set, of which a schema has a handful, and a visit for each
/// group whose equalities it meets; other rules are tested at the visit.
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
        fileprivate var buckets: [[EventValue]: Bucket] = [:]
        /// The longest text that was ever among the values: a longer one equals none, and need not be hashed.
        fileprivate(set) var operandByteCountMax = 0

        fileprivate init(paths: [[String]]) { self.paths = paths }

        /// The groups whose equalities an event meets; a list or an object equals nothing.
        func bucket(of tree: JSONValue) -> Bucket {
            var values: [EventValue] = []
            for path in paths {
                guard let value = EventValue(tree[path] ?? .null), value.byteCount <= operandByteCountMax else {
                    return [:]
                }
                values.append(value)
            }
            return buckets[values] ?? [:]
        }
    }

    private var tables: [Table] = []

    var isEmpty: Bool { tables.isEmpty }

    mutating func insert(_ group: SubscriptionGroup) {
        for conjunction in group.operation.filter.conjunctions {
            let (paths, values, rest) = Self.split(conjunction)
            let table = tables.firstIndex { $0.paths == paths } ?? tables.endIndex
            if table == tables.endIndex { tables.append(Table(paths: paths)) }
            tables[table].operandByteCountMax = values.reduce(tables[table].operandByteCountMax) {
                max($0, $1.byteCount)
            }
            tables[table].buckets[values, default: [:]][ObjectIdentifier(group), default: Entry(group: group, rest: [])]
                .rest.append(rest)
        }
    }

    mutating func remove(_ group: SubscriptionGroup) {
        for conjunction in group.operation.filter.conjunctions {
            let (paths, values, _) = Self.split(conjunction)
            guard let table = tables.firstIndex(where: { $0.paths == paths }) else { continue }
            tables[table].buckets[values]?[ObjectIdentifier(group)] = nil
            if tables[table].buckets[values]?.isEmpty == true { tables[table].buckets[values] = nil }
            if tables[table].buckets.isEmpty { tables.remove(at: table) }
        }
    }

    /// Begins to look for the groups that want an event.
    func search(for event: PublishedEvent) -> GroupSearch { GroupSearch(for: event, in: tables) }

    /// The equalities of a conjunction in the order of their paths, and the rest of it.
    private static func split(
        _ conjunction: [EventRule]
    ) -> (paths: [[String]], values: [EventValue], rest: [EventRule]) {
        var equalities: [(path: [String], value: EventValue)] = []
        var rest: [EventRule] = []
        for rule in conjunction {
            if rule.operation == .eq, rule.operands.count == 1, !equalities.contains(where: { $0.path == rule.path }) {
                equalities.append((rule.path, rule.operands[0]))
            } else {
                rest.append(rule)
            }
        }
        equalities.sort { $0.path.lexicographicallyPrecedes($1.path) }
        return (equalities.map(\.path), equalities.map(\.value), rest)
    }
}
