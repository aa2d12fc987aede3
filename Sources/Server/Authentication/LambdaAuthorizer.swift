/// `lambdaAuthorizerConfig`: the function that accepts tokens (reference: authorization, "Lambda authorizers").
struct LambdaAuthorizer: Sendable, Hashable {
    var function: Function
    /// `identityValidationExpression`: what a token has to match before the function is called.
    var pattern: WholePattern?
    /// How long an answer is kept that says nothing of it, in seconds; 0 keeps none.
    var seconds = 0
}
