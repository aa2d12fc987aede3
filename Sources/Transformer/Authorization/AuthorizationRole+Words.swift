extension AuthorizationRole {
    /// Who has the role, for people: `the owner (field owner, claim sub::username)`.
    public var words: String {
        switch member {
        case .public: provider == .iam ? "guests of the identity pool" : "every caller with an API key"
        case .private: provider == .iam ? "signed-in identities of the identity pool" : "every user"
        case .custom: "every caller that the function accepts"
        case .group(let group, let claim): "group \(group)\(Self.addition(claim))"
        case .owner(let field, let claims): "the owner (field \(field), claim \(claims.joined(separator: "::")))"
        case .groups(let field, let claim): "the groups in the field \(field)\(Self.addition(claim))"
        }
    }

    private static func addition(_ claim: String) -> String { claim == "cognito:groups" ? "" : " (claim \(claim))" }
}

extension AuthorizationRule.Provider {
    /// The provider for people: `user pool`.
    public var words: String {
        switch self {
        case .apiKey: "API key"
        case .iam: "IAM"
        case .oidc: "OpenID Connect"
        case .userPools: "user pool"
        case .function: "Lambda"
        }
    }
}
