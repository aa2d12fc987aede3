/// A function that a step invokes.
public struct FunctionInvocation: Sendable, Hashable {
    /// The function's name among those that are declared, or what the environment makes of the written name where none is.
    public var name: String
    /// The region of its ARN, of `@function(region:)`.
    public var region: String?
    /// The account of its ARN, of `@function(accountId:)`.
    public var accountId: String?

    /// An invocation of the function of this name.
    public init(name: String, region: String? = nil, accountId: String? = nil) {
        self.name = name
        self.region = region
        self.accountId = accountId
    }
}
