/// An open subscription of one loop; for `LoopContext.cancel`.
public struct SubscriptionHandle: Sendable, Hashable {
    let number: UInt64
}
