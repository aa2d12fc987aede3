import Tables

/// The items that an identity may read: those that one of its roles is about
/// (reference: authorization, "Reads").
///
/// A class, so that it is handed on as one word.
final class RowDecision: Sendable {
    /// One role: a column, and the values that it may have.
    struct Term: Sendable, Hashable {
        var column: Int
        /// The values: a text column must equal one of them, a list column must contain one.
        var values: [Value]
        /// What a create of the identity would store there; nil where it would not.
        var stored: Value?
    }

    let terms: [Term]
    /// That one of the terms holds.
    let condition: Condition
    /// Whether a key that is given decides by itself, as in version 2.
    let decidesByKey: Bool

    /// - Parameter terms: At least one, or nothing may be read.
    init(_ terms: [Term], decidesByKey: Bool = true) {
        self.terms = terms
        self.decidesByKey = decidesByKey
        condition = Self.condition(terms)
    }

    private static func condition(_ terms: [Term]) -> Condition {
        .any(terms.map { .isAny(column: $0.column, $0.values) })
    }

    // MARK: - Items

    /// Whether an item with this key may be read as far as its key shows: false where all roles are about columns of the
    /// key and none has its value. Then it is refused without being read, so that the caller does not learn whether it exists.
    func allows(key: [Value], of columns: [Int]) -> Bool {
        guard decidesByKey else { return true }
        for term in terms {
            guard let part = columns.firstIndex(of: term.column), part < key.count else { return true }
            if term.values.contains(key[part]) { return true }
        }
        return false
    }

    /// Whether all roles are about these columns.
    func isAbout(_ columns: [Int]) -> Bool { terms.allSatisfy { columns.contains($0.column) } }

    // MARK: - Pages

    /// What a page is narrowed by.
    enum Narrowing: Sendable {
        case deny
        /// All items of the key condition belong to the identity.
        case all
        /// The items of a page that a condition holds of. It comes after `limit`.
        case filter(Condition)
        /// The items with this sort key. It comes before `limit`.
        case sortKey(Value)
    }

    /// What is given of the key of a page.
    struct KeyCondition {
        var key: KeySchema
        /// The partition key, if it was given by an argument; nil where the parent gives it, and of a scan.
        var partitionKey: Value?
        /// Whether the sort key is the caller's to choose: the partition key is given by an argument or by the parent, and
        /// the sort key is not given by the parent.
        var hasSortArgument: Bool
        /// The condition on the sort key that the caller has given.
        var sort: SortCondition?
    }

    /// How a page with a key condition is narrowed, in the order that Amplify's resolvers have: a role about a key
    /// attribute passes or is void by the attribute's argument alone.
    func narrowing(of condition: KeyCondition) -> Narrowing {
        guard decidesByKey else { return .filter(self.condition) }
        let key = condition.key
        var others: [Term] = []
        var sortKeys: [Term] = []
        for term in terms {
            if term.column == key.partitionKey, let value = condition.partitionKey {
                if term.values.contains(value) { return .all }
            } else if key.sortKeys == [term.column], condition.hasSortArgument {
                guard let sort = condition.sort else {
                    sortKeys.append(term)
                    continue
                }
                if sort.sortOperator == .eq, sort.operands.first?.count == 1, term.values.contains(sort.operands[0][0])
                {
                    return .all
                }
            } else {
                others.append(term)
            }
        }
        // Beside other roles, one about a sort key without an argument adds nothing.
        if !others.isEmpty { return .filter(Self.condition(others)) }
        let stored = sortKeys.map { $0.stored ?? ($0.values.count == 1 ? $0.values[0] : nil) }
        if let only = stored.first ?? nil, stored.allSatisfy({ $0 == only }) { return .sortKey(only) }
        return sortKeys.isEmpty ? .deny : .filter(Self.condition(sortKeys))
    }
}

extension RowDecision: Hashable {
    static func == (left: RowDecision, right: RowDecision) -> Bool {
        left.terms == right.terms && left.decidesByKey == right.decidesByKey
    }

    func hash(into hasher: inout Hasher) { hasher.combine(terms) }
}
