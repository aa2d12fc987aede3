import Synchronization
import Tables

/// The decisions of one request, computed before it starts: an entry for each subject of its plan.
///
/// A request whose plan has no subject has no table. Tables with the same decisions are equal: subscriptions with equal tables
/// receive the same bytes.
final class DecisionTable: Sendable {
    /// A number that is unique in this process, from 1. Cached parts of responses use it as a key.
    let number = numbers.add(1, ordering: .relaxed).newValue
    private static let numbers = Atomic<Int>(0)

    private let decisions: [Decision]
    /// For each decision, the index of its condition among the distinct conditions of checked fields; `.max` beyond
    /// `RowChecks.conditionsMax`. Empty if there are no checked fields.
    private let places: [Int]

    private init(_ decisions: [Decision]) {
        self.decisions = decisions
        places = Self.places(of: decisions)
    }

    private static func places(of decisions: [Decision]) -> [Int] {
        guard decisions.contains(where: { if case .check = $0 { true } else { false } }) else { return [] }
        var conditions: [ParameterizedCondition] = []
        return decisions.map { decision in
            guard case .check(let condition) = decision else { return 0 }
            if let place = conditions.firstIndex(of: condition) { return place }
            if conditions.count < RowChecks.conditionsMax { conditions.append(condition) } else { return .max }
            return conditions.count - 1
        }
    }

    /// The table of a request; nil, without an allocation, if its plan has no subjects.
    static func table(of plan: Plan, _ schema: ExecutableSchema, for identity: Identity) -> DecisionTable? {
        guard !plan.subjects.isEmpty, let authorization = schema.authorization else { return nil }
        let caller = CallerRoles(identity)
        return DecisionTable(plan.subjects.map { authorization.decide($0, for: caller) })
    }

    /// Bytes of memory that the table takes, roughly.
    var byteCount: Int { DecisionBytes(decisions).count }

    subscript(index: Int) -> Decision { decisions[index] }

    /// The index of a check's condition: the same for equal conditions; `.max` for one whose result is not kept.
    func place(ofCheck index: Int) -> Int { places[index] }
}

extension DecisionTable: Hashable {
    static func == (left: DecisionTable, right: DecisionTable) -> Bool { left.decisions == right.decisions }
    func hash(into hasher: inout Hasher) { hasher.combine(decisions) }
}
