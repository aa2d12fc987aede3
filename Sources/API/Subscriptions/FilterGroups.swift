import GraphQL

/// A filter input (`ModelSubscriptionPostFilterInput`) as AppSync's enhanced filters are: groups of rules, of which one
/// has to be met, as AppSync's `$util.transform.toSubscriptionFilter` makes them
/// (reference: appsync-protocol, "Subscription filters").
///
/// All entries of one object are ANDed, so `or` inside of `and` multiplies groups. AppSync bounds what comes of it, and
/// clients recognise the texts of its refusals and subscribe again without a filter
/// (reference: datastore-sync, "Errors that clients act on").
enum FilterGroups {
    /// Maximum number of alternatives (OR).
    static let groupCountMax = 10
    /// Rules in one group.
    static let groupRuleCountMax = 5
    /// Rules in all groups together.
    static let ruleCountMax = 20
    /// Values of `in` and `notIn`.
    static let inValueCountMax = 5
    /// Values of `containsAny`, which no generated input has.
    static let containsAnyValueCountMax = 20

    /// The groups of a filter; an empty group, which every event meets, where it asks nothing.
    /// - Parameter operandBytesMax: Bytes of one operand, of which the values of a list are a part.
    static func groups(of filter: CoercedValue, operandBytesMax: Int) throws(RealtimeError) -> [[EventRule]] {
        try checkOperands(of: filter, operandBytesMax)
        let groups = try all(filter)
        guard groups.reduce(0, { $0 + $1.count }) <= ruleCountMax else { throw .tooManyAttributes(ruleCountMax) }
        return groups
    }

    /// An entry that is null asks nothing, as one that is not written.
    private static func all(_ object: CoercedValue) throws(RealtimeError) -> [[EventRule]] {
        var groups: [[EventRule]] = [[]]
        for field in object.fields where !field.value.isNull {
            switch field.name {
            case "and":
                for part in elements(of: field.value) { groups = try product(groups, try all(part)) }
            case "or":
                var alternatives: [[EventRule]] = []
                for part in elements(of: field.value) { try add(try all(part), to: &alternatives) }
                if !alternatives.isEmpty { groups = try product(groups, alternatives) }
            default: groups = try product(groups, [try rules(of: field)])
            }
        }
        return groups
    }

    private static func elements(of value: CoercedValue) -> [CoercedValue] {
        guard case .list(let elements) = value else { return [value] }
        return elements.filter { !$0.isNull }
    }

    // MARK: - Groups

    /// Every group of the one with every group of the other.
    private static func product(
        _ left: [[EventRule]], _ right: [[EventRule]]
    ) throws(RealtimeError) -> [[EventRule]] {
        var groups: [[EventRule]] = []
        for first in left {
            for second in right { try add([try merged(first, second)], to: &groups) }
        }
        return groups
    }

    private static func add(_ others: [[EventRule]], to groups: inout [[EventRule]]) throws(RealtimeError) {
        for group in others where !groups.contains(group) {
            guard groups.count < groupCountMax else {
                throw .badRequest("Filters combination exceed maximum limit \(groupCountMax) for subscription.")
            }
            groups.append(group)
        }
    }

    private static func merged(_ group: [EventRule], _ others: [EventRule]) throws(RealtimeError) -> [EventRule] {
        var merged = group
        for rule in others where !merged.contains(rule) {
            guard !merged.contains(where: { $0.path == rule.path }) else {
                throw .badRequest("subscription filter uses same fieldName multiple time")
            }
            guard merged.count < groupRuleCountMax else { throw .tooManyAttributes(groupRuleCountMax) }
            merged.append(rule)
        }
        return merged
    }

    private static func checkOperands(of object: CoercedValue, _ bytesMax: Int) throws(RealtimeError) {
        for field in object.fields {
            if field.name == "and" || field.name == "or" {
                for part in elements(of: field.value) { try checkOperands(of: part, bytesMax) }
                continue
            }
            for entry in field.value.fields where entry.value.byteCount > bytesMax {
                throw .badRequest(ResolverError.operandTooLong(entry.value.byteCount, max: bytesMax).message)
            }
        }
    }

    // MARK: - Rules

    private static func rules(of field: CoercedField) throws(RealtimeError) -> [EventRule] {
        var rules: [EventRule] = []
        for entry in field.value.fields {
            guard let operation = EventOperator(rawValue: entry.name) else {
                throw .badRequest("Operator '\(entry.name)' is not supported in a subscription filter.")
            }
            let operands = elements(of: entry.value).compactMap { EventValue($0) }
            let counts = valueCounts(of: operation)
            guard counts.contains(operands.count) else {
                let most = counts.count == 1 ? "\(counts.upperBound)" : "at most \(counts.upperBound)"
                throw .badRequest("Operator '\(entry.name)' of a subscription filter takes \(most) values.")
            }
            rules.append(EventRule(path: [field.name], operation: operation, operands: operands))
        }
        return rules
    }

    private static func valueCounts(of operation: EventOperator) -> ClosedRange<Int> {
        switch operation {
        case .between: 2...2
        case .in, .notIn: 0...inValueCountMax
        case .containsAny: 0...containsAnyValueCountMax
        case .eq, .ne, .le, .lt, .ge, .gt, .contains, .notContains, .beginsWith: 1...1
        }
    }
}

extension RealtimeError {
    fileprivate static func tooManyAttributes(_ countMax: Int) -> RealtimeError {
        badRequest("Filters exceed maximum attributes limit \(countMax) for subscription.")
    }
}
