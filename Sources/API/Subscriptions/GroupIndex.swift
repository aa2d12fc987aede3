import JSON

/// The groups that follow one topic on one loop, found by what an event holds.
///
/// For each set of fields that some filter demands to be equal to something there is one hash table, from those values
/// to the groups. So an event costs a look-up for each such set, of which a schema has a handful, and a visit for each
/// group whose equalities it meets; other rules are tested at the visit.
struct GroupIndex {
    private struct Entry {
        let group: SubscriptionGroup
        /// The rules besides the equalities, of each conjunction that has these equalities.
        var rest: [[EventRule]]
    }

    private struct Table {
        let paths: [[String]]
        var buckets: [[EventValue]: [ObjectIdentifier: Entry]] = [:]
    }

    private var tables: [Table] = []

    var isEmpty: Bool { tables.isEmpty }

    mutating func insert(_ group: SubscriptionGroup) {
        for conjunction in group.operation.filter.conjunctions {
            let (paths, values, rest) = Self.split(conjunction)
            let table = tables.firstIndex { $0.paths == paths } ?? tables.endIndex
            if table == tables.endIndex { tables.append(Table(paths: paths)) }
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

    /// The groups that want an event, each once, and how many were looked at.
    func groups(wanting published: PublishedEvent) -> (groups: [SubscriptionGroup], visitCount: Int) {
        let tree = published.event.tree
        var groups: [SubscriptionGroup] = []
        var visitCount = 0
        for table in tables {
            // A list or an object equals nothing.
            let values = table.paths.compactMap { EventValue(tree[$0] ?? .null) }
            guard values.count == table.paths.count, let bucket = table.buckets[values] else { continue }
            for entry in bucket.values {
                visitCount += 1
                guard entry.group.lastMatch != published.number,
                    entry.rest.contains(where: { $0.allSatisfy { $0.holds(of: tree) } })
                else { continue }
                entry.group.lastMatch = published.number
                groups.append(entry.group)
            }
        }
        return (groups, visitCount)
    }

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
