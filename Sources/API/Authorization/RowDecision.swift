import Tables

/// The items that an identity may read: those that match one of its roles (reference: authorization, "Reads").
///
/// A class, so that it is passed as one word.
final class RowDecision: Sendable {
    /// One role: a column, and the values that it may have.
    struct Term: Sendable, Hashable {
        var column: Int
        /// The values: a text column must equal one of them, a list column must contain one.
        var values: TextSet
        /// The value that a create by the identity stores there; nil if it stores none.
        var stored: Value?
    }

    let terms: [Term]
    /// The condition that one of the terms holds.
    let condition: Condition
    /// Whether a given key can decide alone, as in version 2.
    let decidesByKey: Bool

    /// - Parameter terms: If empty, nothing may be read.
    init(_ terms: [Term], decidesByKey: Bool = true) {
        self.terms = terms
        self.decidesByKey = decidesByKey
        condition = Self.condition(terms)
    }

    private static func condition(_ terms: [Term]) -> Condition {
        .any(terms.map { .isAny(column: $0.column, $0.values) })
    }

    // MARK: - Items

    /// Whether an item with this key may be readable: false if all roles compare columns of the key and none has its
    /// value. Then it is denied without being read, so that the caller does not learn whether it exists.
    func allows(key: [Value], of columns: [Int]) -> Bool {
        guard decidesByKey else { return true }
        for term in terms {
            guard let part = columns.firstIndex(of: term.column), part < key.count else { return true }
            if term.values.contains(key[part]) { return true }
        }
        return false
    }

    /// Whether all roles compare these columns.
    func isAbout(_ columns: [Int]) -> Bool { terms.allSatisfy { columns.contains($0.column) } }

    // MARK: - Pages

    /// How a page is restricted.
    enum Narrowing: Sendable {
        case deny
        /// All items of the key condition belong to the identity.
        case all
        /// The items of a page that match a condition, which is applied after `limit`.
        case filter(Condition)
        /// The items whose sort key is one of these values, which is applied before `limit`.
        case sortKeys([Value])
    }

    /// The given parts of the key of a page.
    struct KeyCondition {
        var key: KeySchema
        /// The partition key, if an argument has it; nil if it is the parent's, and for a scan.
        var partitionKey: Value?
        /// Whether the caller can choose the sort key: there is a partition key, from an argument or from the parent, and
        /// the sort key is not the parent's.
        var hasSortArgument: Bool
        /// The caller's condition on the sort key.
        var sort: SortCondition?
    }

    /// How a page with a key condition is restricted, in the order of Amplify's resolvers: if a role compares a key
    /// attribute, the attribute's argument alone decides whether the role matches or is void.
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
        // Beside other roles, a role on a sort key without an argument adds nothing.
        if !others.isEmpty { return .filter(Self.condition(others)) }
        // For an owner, the value that a create stores; for groups, all of their names.
        var seen: Set<Value> = []
        let values = sortKeys.flatMap { $0.stored.map { [$0] } ?? $0.values.texts.map(Value.text) }.filter {
            seen.insert($0).inserted
        }
        return values.isEmpty ? .deny : .sortKeys(values)
    }
}

extension RowDecision: Hashable {
    static func == (left: RowDecision, right: RowDecision) -> Bool {
        left.terms == right.terms && left.decidesByKey == right.decidesByKey
    }

    func hash(into hasher: inout Hasher) { hasher.combine(terms) }
}
