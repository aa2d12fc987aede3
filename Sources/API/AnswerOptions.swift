/// What the way a request came by makes of its answer.
public struct AnswerOptions: Sendable, Hashable {
    /// Whether a request error, one before execution begins, has no `data` and the status 400: the media type
    /// `application/graphql-response+json` of GraphQL over HTTP. AppSync answers 200 with `data: null`.
    public var refusesRequestErrors: Bool
    /// Whether a mutation may be run; GraphQL over HTTP forbids it over GET.
    public var allowsMutations: Bool
    /// Whether the report of the answer explains what rules have decided, also where nothing was refused.
    public var explainsRules = false
    /// Whether the report of the answer notes its plan, its writes and their events.
    public var notesWork = false

    /// AppSync's way over POST.
    public init(refusesRequestErrors: Bool = false, allowsMutations: Bool = true) {
        self.refusesRequestErrors = refusesRequestErrors
        self.allowsMutations = allowsMutations
    }
}
