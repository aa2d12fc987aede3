/// How the API behaves where Amplify leaves a choice.
public struct APIOptions: Sendable, Hashable {
    /// The bounds.
    public var limits: APILimits
    /// `compatibility.pages: "full"`: `limit` counts the items that a filter kept, not the items that were read.
    public var fillsPages: Bool
    /// AppSync's `introspectionConfig`: whether `__schema` and `__type` are fields.
    public var allowsIntrospection: Bool
    /// `compatibility.subscriptions`. Events of models with versions are filled whatever it says: a device must not miss
    /// a field that the mutation of another client did not select.
    public var subscriptions: SubscriptionPayload
    /// `compatibility.strictNullArguments`: an argument of a subscription whose variable has no value asks for null, as
    /// AppSync's engine once had it; else it asks for nothing.
    public var strictNullArguments: Bool
    /// `compatibility.hideDeletedInLists`: whether lists and connections of models with versions leave out deleted items,
    /// which AppSync does not.
    public var hidesDeletedInLists: Bool
    /// `compatibility.recreateOverTombstone`: whether a create makes a live item of a deleted one with its key, which
    /// AppSync refuses until the deleted one is removed.
    public var recreatesOverTombstone: Bool
    /// The region in the event of a conflict's function.
    public var region: String

    /// AppSync's behaviour with the default bounds.
    public init(
        limits: APILimits = APILimits(), fillsPages: Bool = false, allowsIntrospection: Bool = true,
        subscriptions: SubscriptionPayload = .mutationSelection, strictNullArguments: Bool = false,
        hidesDeletedInLists: Bool = false, recreatesOverTombstone: Bool = false,
        region: String = "us-east-1"
    ) {
        self.limits = limits
        self.fillsPages = fillsPages
        self.allowsIntrospection = allowsIntrospection
        self.subscriptions = subscriptions
        self.strictNullArguments = strictNullArguments
        self.hidesDeletedInLists = hidesDeletedInLists
        self.recreatesOverTombstone = recreatesOverTombstone
        self.region = region
    }
}
