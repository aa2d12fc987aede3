import Synchronization

/// The decisions of one request, computed before it starts: an entry for each subject of its plan.
///
/// A request whose plan has no subject has no table. Tables with the same decisions are equal: subscriptions with equal tables
/// receive the same bytes.
final class DecisionTable: Sendable {
    /// A number that is unique in this process, from 1. Cached parts of responses use it as a key.
    let number = numbers.add(1, ordering: .relaxed).newValue
    private static let numbers = Atomic<Int>(0)

    private let decisions: [Decision]

    private init(_ decisions: [Decision]) { self.decisions = decisions }

    /// The table of a request; nil, without an allocation, if its plan has no subjects.
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
