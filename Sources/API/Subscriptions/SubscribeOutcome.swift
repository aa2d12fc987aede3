/// What became of a request to subscribe.
public enum SubscribeOutcome: Sendable {
    /// Every change that is committed from now on reaches the subscriber.
    case subscribed(SubscriptionHandle)
    /// Nothing was registered, for these reasons; the report is for logs and operators.
    case refused([RealtimeError], AnswerReport)
    /// The operation is no subscription; `name` is `query` or `mutation`.
    case otherOperation(name: String)
}
