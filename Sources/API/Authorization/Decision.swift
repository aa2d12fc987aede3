import Tables

/// The decision of the rules for one identity and subject: one entry of a request's `DecisionTable`
/// (reference: authorization, "Decisions").
enum Decision: Sendable, Hashable {
    /// Allowed without conditions.
    case allow
    /// Denied, whatever the items.
    case deny
    /// For reads: the items that match a condition.
    case rows(RowDecision)
    /// For a field: whether it may be read depends on its row.
    case check(ParameterizedCondition)
    /// For a create: the values that are filled in, and the fields that the input may have.
    case input(InputDecision)
    /// For an update or delete: a condition on the stored item.
    case storedItem(StoredItemDecision)
    /// The same in version 1, where a denial is reported as a failed condition.
    case condition(VersionOneWriteDecision)
    /// For a subscription: the events that it receives.
    case event(EventDecision)
}
