import JSON

/// The search for the groups that want one event. It can be interrupted after each group, and shows the groups as they
/// were when it began.
struct GroupSearch {
    enum Found {
        case wanting(SubscriptionGroup)
        /// Its rules take long to test, or it waits for an earlier event.
        case delayed(GroupIndex.Entry)
    }

    let event: PublishedEvent
    private let tables: [GroupIndex.Table]
    private var nextTable = 0
    /// What the event meets in the table before the next one: its groups, and which of them is looked at.
    private var matches = GroupIndex.Matches()
    private var bucket: GroupIndex.Bucket = [:]
    private var place: GroupIndex.Bucket.Index
    /// Groups that were looked at.
    private(set) var visitCount = 0
    /// Whether all groups were found.
    private(set) var isOver = false

    init(for event: PublishedEvent, in tables: [GroupIndex.Table]) {
        self.event = event
        self.tables = tables
        place = bucket.endIndex
    }

    /// The next group that wants the event, each once, or may want it; nil when there is none or the allowance is spent.
    mutating func next(_ allowance: inout StepAllowance, behind delayed: borrowing DelayedMatching) -> Found? {
        while !allowance.isSpent {
            guard place < bucket.endIndex else {
                if matches.advance() {
                    allowance.charge(0)
                    (bucket, place) = (matches.bucket, matches.bucket.startIndex)
                    continue
                }
                guard nextTable < tables.count else {
                    isOver = true
                    return nil
                }
                open(tables[nextTable], &allowance)
                nextTable += 1
                continue
            }
            let entry = bucket.values[place]
            place = bucket.index(after: place)
            visitCount += 1
            allowance.charge(0)
            guard entry.group.lastMatch != event.number else { continue }
            guard !delayed.holdsBack(entry), !takesLong(entry) else { return .delayed(entry) }
            guard entry.rest.contains(where: { $0.hold(of: event.event.tree, &allowance) }) else { continue }
            entry.group.lastMatch = event.number
            return .wanting(entry.group)
        }
        return nil
    }

    private func takesLong(_ entry: GroupIndex.Entry) -> Bool {
        var byteCount = 0
        for conjunction in entry.rest {
            for rule in conjunction { byteCount += rule.byteCount(of: event.event.tree[rule.path]) }
        }
        return byteCount >= DelayedMatching.longBytesMin
    }

    private mutating func open(_ table: GroupIndex.Table, _ allowance: inout StepAllowance) {
        allowance.charge(table.operandByteCountMax)
        matches = table.matches(of: event.event.tree)
        (bucket, place) = (matches.bucket, matches.bucket.startIndex)
    }
}

extension [EventRule] {
    /// Whether an event meets every rule of a conjunction.
    func hold(of event: JSONValue, _ allowance: inout StepAllowance) -> Bool {
        allSatisfy { $0.holds(of: event, &allowance) }
    }
}

extension EventRule {
    func holds(of event: JSONValue, _ allowance: inout StepAllowance) -> Bool {
        let field = event[path]
        allowance.charge(byteCount(of: field))
        return texts.map { operation.holds(of: field, $0) } ?? operation.holds(of: field, operands)
    }

    /// The bytes that the rule looks at. Comparisons end at the end of the operand, which is short; a search goes
    /// through all of the text, and through a list with each operand.
    func byteCount(of field: JSONValue?) -> Int {
        switch field {
        case .string(let text)? where operation == .contains || operation == .notContains: text.utf8.count
        case .array(let elements)?: elements.count * max(operands.count, 1) * StepAllowance.pieceByteCount
        default: 0
        }
    }
}
