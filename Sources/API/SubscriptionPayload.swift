/// What subscribers are sent of a change.
public enum SubscriptionPayload: String, Sendable, Hashable {
    /// AppSync's: the fields that the mutation selected; the others are null.
    case mutationSelection
    /// What the subscription selects, read from the committed item.
    case fill
}
