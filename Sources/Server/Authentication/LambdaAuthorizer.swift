/// `lambdaAuthorizerConfig`: the function that accepts tokens (reference: authorization, "Lambda authorizers").
struct LambdaAuthorizer: Sendable, Hashable {
    var function: Function
    /// `identityValidationExpression`: the pattern that a token must match; otherwise the function is not called.
    var pattern: WholePattern?
    /// Seconds for which an answer without `ttlOverride` is cached; 0 for not at all.
    var seconds = 0

    /// The longest time that an answer is cached, in seconds (AWS AppSync API Reference, "LambdaAuthorizerConfig").
    static let secondsMax = 3_600
}
