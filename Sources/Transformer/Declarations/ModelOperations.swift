/// The operations of a model by the names of their fields; nil where an operation is not generated
/// (reference: transformer, "Operations of a model").
public struct ModelOperations: Sendable, Hashable {
    /// Which rules apply to the subscriptions of a model.
    public enum SubscriptionLevel: String, Sendable, Hashable, CaseIterable {
        /// No subscriptions are generated.
        case off
        /// Everyone may subscribe, whatever the rules.
        case `public`
        /// The rules of the model apply.
        case on
    }

    /// A field of `Subscription` and the mutations that it follows, in their order.
    public struct Subscription: Sendable, Hashable {
        /// The field's name.
        public var field: String
        /// The names of the mutation fields.
        public var mutations: [String]

        /// A subscription by its parts.
        public init(field: String, mutations: [String]) {
            self.field = field
            self.mutations = mutations
        }
    }

    /// The query of one item.
    public var get: String?
    /// The query of a page of items.
    public var list: String?
    /// The query of what has changed; only in a model with conflict detection.
    public var sync: String?
    /// The create mutation.
    public var create: String?
    /// The update mutation.
    public var update: String?
    /// The delete mutation.
    public var delete: String?
    /// The subscriptions in the order in which they are generated.
    public var subscriptions: [Subscription]
    /// Which rules apply to the subscriptions.
    public var subscriptionLevel: SubscriptionLevel

    /// Operations by the names of their fields.
    public init(
        get: String? = nil, list: String? = nil, sync: String? = nil, create: String? = nil, update: String? = nil,
        delete: String? = nil, subscriptions: [Subscription] = [], subscriptionLevel: SubscriptionLevel = .on
    ) {
        self.get = get
        self.list = list
        self.sync = sync
        self.create = create
        self.update = update
        self.delete = delete
        self.subscriptions = subscriptions
        self.subscriptionLevel = subscriptionLevel
    }

    /// The names of all fields that are generated.
    var fieldNames: [String] {
        [get, list, sync, create, update, delete].compactMap { $0 } + subscriptions.map(\.field)
    }

    /// The subscription fields of the usual names by the mutations that they follow.
    var events: [(name: String, mutation: String?)] {
        [("onCreate", create), ("onUpdate", update), ("onDelete", delete)]
    }
}
