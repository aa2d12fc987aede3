import Tables

/// The authorization of one field of a plan: the indices of its decisions in a request's `DecisionTable`. A field without
/// rules has none, and costs a request one test.
final class FieldAuthorization: Sendable {
    /// Whether the plan is for callers without access to the field.
    let isUnreachable: Bool
    /// The decision of the field's own static rules.
    let field: Int?
    /// The decision whether the row's field may be read.
    let check: Int?
    /// The decision for the field's operation: read, write or subscribe.
    let action: Int?
    /// Whether the field is null in the result of a mutation, and so in events. A checked field is null even for callers that
    /// may read it, because subscribers who may not read it receive the same result.
    let isRedacted: Bool
    /// The model's table, if the field is checked.
    let table: Table?
    /// For each column of the check, its index in the field's row; -1 for the other columns.
    let positions: [Int]

    init(
        isUnreachable: Bool = false, field: Int? = nil, check: Int? = nil, action: Int? = nil, isRedacted: Bool = false,
        table: Table? = nil,
        positions: [Int] = []
    ) {
        self.isUnreachable = isUnreachable
        self.field = field
        self.check = check
        self.action = action
        self.isRedacted = isRedacted
        self.table = table
        self.positions = positions
    }

    /// Whether the field is null without anything to decide.
    var isOnlyRedacted: Bool { isRedacted && field == nil && check == nil }

    /// For a field that the callers of the plan have no access to.
    static let unreachable = FieldAuthorization(isUnreachable: true)
}
