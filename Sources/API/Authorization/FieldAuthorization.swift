import Tables

/// What rules have to do with one field of a plan: where in a request's `DecisionTable` its decisions are. A field without
/// rules has none, and costs a request one test.
final class FieldAuthorization: Sendable {
    /// Whether the plan is for callers that do not reach the field.
    let isUnreachable: Bool
    /// The decision of the field's own static rules.
    let field: Int?
    /// The decision whether the row's field may be read.
    let check: Int?
    /// The decision about what the field does: read, write or subscribe.
    let action: Int?
    /// Whether the field is left out of the result of a mutation, and of events. One that is checked is null then, also to
    /// those who may read it: subscribers are sent the same, and may not.
    let isRedacted: Bool
    /// The model's table, if the field is checked.
    let table: Table?
    /// Where the row that the field stands in has the columns that the check looks at; -1 of the others.
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

    /// Of a field that the callers of the plan do not reach.
    static let unreachable = FieldAuthorization(isUnreachable: true)
}
