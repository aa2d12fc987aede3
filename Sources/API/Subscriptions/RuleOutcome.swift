/// What the rules of a selection grant an identity. Subscribers with equal outcomes see an event alike.
struct RuleOutcome: Sendable, Hashable {
    private var allowed: [Bool] = []
    /// Kept where a condition was granted: it may be another one for everybody.
    private var identity: Identity?

    init(_ plan: SubscriptionPlan, for identity: Identity) {
        for field in plan.ruledFields {
            switch Authorization.decide(field.rules, for: identity) {
            case .allow: allowed.append(true)
            case .deny: allowed.append(false)
            case .narrow:
                allowed.append(false)
                self.identity = identity
            }
        }
    }
}
