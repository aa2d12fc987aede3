import Tables

/// Counts what the decisions of a request take of memory, roughly. A set of texts is counted once: the conditions of a caller share it.
struct DecisionBytes {
    private(set) var count = 0
    private var sets: Set<ObjectIdentifier> = []

    /// A node of a condition, or another small value.
    private static let nodeBytes = 64

    init(_ decisions: [Decision]) {
        count = decisions.count * MemoryLayout<Decision>.stride
        for decision in decisions { add(decision) }
    }

    private mutating func add(_ decision: Decision) {
        switch decision {
        case .allow, .deny: break
        case .rows(let rows):
            for term in rows.terms {
                add(term.values)
                if let stored = term.stored { add(stored) }
            }
            add(rows.condition)
        case .check(let condition): add(condition)
        case .input(let input): add(input)
        case .storedItem(let item):
            item.grants.forEach { add($0) }
            add(item.openFields)
        case .condition(let write):
            add(write.condition)
            for field in write.fields {
                count += Self.nodeBytes
                if let condition = field.condition { add(condition) }
            }
        case .event(let event):
            for term in event.terms {
                count += Self.nodeBytes
                add(term.values)
                if let values = term.argumentValues { add(values) }
            }
            add(event.fieldsShowingLastClaim)
        }
    }

    private mutating func add(_ input: InputDecision) {
        for fill in input.fills {
            count += Self.nodeBytes
            add(fill.value)
        }
        input.grants.forEach { add($0) }
        add(input.openFields)
        for field in input.fields.values {
            count += Self.nodeBytes
            add(field)
        }
    }

    private mutating func add(_ grant: WriteGrant) {
        count += Self.nodeBytes
        add(grant.condition)
        add(grant.fields)
        add(grant.nullableFields)
    }

    private mutating func add(_ condition: ParameterizedCondition) {
        count += Self.nodeBytes * (2 + condition.values.count)
        condition.textSets.forEach { add($0) }
        // The value of a set shares its text.
        if condition.textSets.isEmpty { condition.values.forEach { add($0) } }
    }

    private mutating func add(_ condition: Condition) {
        count += Self.nodeBytes
        switch condition {
        case .and(let parts), .or(let parts): parts.forEach { add($0) }
        case .not(let part): add(part)
        case .compare(_, _, let value), .contains(_, let value), .notContains(_, let value): add(value)
        case .between(_, let lower, let upper):
            add(lower)
            add(upper)
        case .beginsWith(_, let text): count += text.utf8.count
        case .isAny(_, let texts): add(texts)
        case .attributeExists, .attributeType, .size, .sizeBetween: break
        }
    }

    private mutating func add(_ value: Value) { if case .text(let text) = value { count += text.utf8.count } }

    private mutating func add(_ texts: TextSet) {
        if sets.insert(ObjectIdentifier(texts)).inserted { count += texts.byteCount }
    }

    /// The names are those of the schema, whose texts are shared.
    private mutating func add(_ names: Set<String>) { count += names.count * MemoryLayout<String>.stride * 2 }
}
