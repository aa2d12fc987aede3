import GraphQL

/// A field answered by a function: what AppSync calls a resolver of the user's own.
typealias FieldFunction = @Sendable (FieldCall) throws(ResolverError) -> FieldAnswer

/// What a function receives.
struct FieldCall: Sendable {
    var arguments: ArgumentValues
    var identity: Identity
}
