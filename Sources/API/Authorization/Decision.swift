import Tables

/// What the rules come to for one identity: one entry of a request's `DecisionTable`
/// (reference: authorization, "Decisions").
enum Decision: Sendable, Hashable {
    /// Nothing is asked.
    case allow
    /// Refused, whatever the items.
    case deny
    /// Of reads: the items that a condition holds of.
    case rows(RowDecision)
    /// Of a field: whether it is given depends on the row that it stands in.
    case check(ParameterizedCondition)
    /// Of a create: what the input is filled with, and what it may contain.
    case input(InputDecision)
    /// Of an update or delete: what must hold of the stored item.
    case storedItem(StoredItemDecision)
    /// The same of version 1, where a refusal looks like a failed condition.
    case condition(ConditionDecision)
    /// Of a subscription: which events it receives.
    case event(EventDecision)
}
