import JSON

/// What a function answers: a value, and errors that stand beside it (`$util.appendError`).
struct FieldAnswer: Sendable {
    var value: JSONValue
    var appendedErrors: [ResolverError] = []
}
