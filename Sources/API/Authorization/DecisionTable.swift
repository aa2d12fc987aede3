import Synchronization

/// All that the rules decide of one request, decided before it begins: an entry for each subject of its plan.
///
/// A request whose plan has no subject has no table. Tables that decide alike are equal: the subscriptions of identities
/// with equal tables are sent the same bytes.
final class DecisionTable: Sendable {
    /// A number that no other table of this process has, from 1. What is kept of an answer is kept by it.
    let number = numbers.add(1, ordering: .relaxed).newValue
    private static let numbers = Atomic<Int>(0)

    private let decisions: [Decision]

    private init(_ decisions: [Decision]) { self.decisions = decisions }

    /// The table of a request; nil, for which nothing is allocated, where its plan asks the rules nothing.
    static func table(of plan: Plan, _ schema: ExecutableSchema, for identity: Identity) -> DecisionTable? {
        guard !plan.subjects.isEmpty, let authorization = schema.authorization else { return nil }
        let caller = CallerRoles(identity)
        return DecisionTable(plan.subjects.map { authorization.decide($0, for: caller) })
    }

    subscript(index: Int) -> Decision { decisions[index] }
}

extension DecisionTable: Hashable {
    static func == (left: DecisionTable, right: DecisionTable) -> Bool { left.decisions == right.decisions }
    func hash(into hasher: inout Hasher) { hasher.combine(decisions) }
}
