/// `compatibility`: where the API may differ from AppSync's.
public struct Compatibility: Sendable, Hashable {
    /// How `pages` counts.
    public enum Pages: String, Sendable, CaseIterable {
        /// `limit` counts items before the filter, as AppSync does.
        case appsync
        /// `limit` counts the items that the filter kept.
        case full
    }

    /// What `subscriptions` sends.
    public enum Subscriptions: String, Sendable, CaseIterable {
        /// The fields that the mutation selected, as AppSync does.
        case appsync
        /// The fields that the subscription selects, from the committed item.
        case fill
    }

    /// How pages count.
    public var pages = Pages.appsync
    /// What subscribers are sent of a change.
    public var subscriptions = Subscriptions.appsync
    /// Whether a subscription's argument whose variable has no value asks for null.
    public var strictNullArguments = false
    /// Whether lists of models with versions leave out what was deleted.
    public var hidesDeletedInLists = false
    /// Whether a create makes a live item of a deleted one with its key.
    public var recreatesOverTombstone = false
    /// Whether access and id tokens are accepted until they expire, also those of a session that was ended or of a user who
    /// was disabled, as at AppSync.
    public var acceptsRevokedTokens = false
    /// Whether a mutation may come by GET, as at AppSync.
    public var allowsGetMutations = false
    /// Whether every answer has AppSync's media type and status, whatever `Accept` says.
    public var forcesAppSyncStatus = false

    /// AppSync's behaviour.
    public init() {}

    mutating func read(_ section: ConfigurationSection) {
        pages = section.choice("pages", Pages.self) ?? pages
        subscriptions = section.choice("subscriptions", Subscriptions.self) ?? subscriptions
        strictNullArguments = section.bool("strictNullArguments") ?? strictNullArguments
        hidesDeletedInLists = section.bool("hideDeletedInLists") ?? hidesDeletedInLists
        recreatesOverTombstone = section.bool("recreateOverTombstone") ?? recreatesOverTombstone
        acceptsRevokedTokens = section.bool("revokedTokensUntilExpiry") ?? acceptsRevokedTokens
        allowsGetMutations = section.bool("getMutations") ?? allowsGetMutations
        forcesAppSyncStatus = section.bool("forceAppSyncStatus") ?? forcesAppSyncStatus
        section.finish()
    }
}
