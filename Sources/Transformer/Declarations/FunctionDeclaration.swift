/// One `@function` of a field. Several on one field are called in their order, as a pipeline.
public struct FunctionDeclaration: Sendable, Hashable {
    /// The name of the function, with `${env}` as it is written.
    public var name: String
    /// The region of its ARN.
    public var region: String?
    /// The account of its ARN.
    public var accountId: String?
    var place = DeclarationPlace()

    /// A function by its parts.
    public init(name: String, region: String? = nil, accountId: String? = nil) {
        self.name = name
        self.region = region
        self.accountId = accountId
    }
}
