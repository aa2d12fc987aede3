/// How a store is opened.
public struct StoreOptions: Sendable, Hashable {
    /// What a commit survives.
    public var durability: Durability
    /// The store's bounds.
    public var limits: StoreLimits
    /// How long a tombstone is kept, in seconds. Amplify's own setting is 43,200 minutes.
    public var tombstoneSeconds: Int64

    /// Makes options of their parts.
    public init(
        durability: Durability = .full, limits: StoreLimits = StoreLimits(),
        tombstoneSeconds: Int64 = 30 * 86_400
    ) {
        self.durability = durability
        self.limits = limits
        self.tombstoneSeconds = tombstoneSeconds
    }
}
