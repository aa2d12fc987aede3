import API
import JSON
import Transformer
import UserPools

extension ServedAPI {
    /// A user without an account, with the claims that a token would have.
    ///
    /// - Throws: If the API accepts neither users of a pool nor users of another issuer.
    func identity(withClaims claims: JSONObject) throws(OperatorProblem) -> Identity {
        let token = IdentityToken(claims: claims)
        if modes.contains(.userPools) { return .userPools(token, claims: ruleClaims) }
        guard modes.contains(.oidc) else { throw .missingMode("users of a user pool or of an OpenID Connect issuer") }
        return .oidc(token, claims: ruleClaims)
    }

    /// A user without an account who is in these groups.
    func identity(inGroups groups: [String]) throws(OperatorProblem) -> Identity {
        try identity(withClaims: [
            "sub": .string(Self.sampleSubject), "cognito:username": .string(Self.sampleSubject),
            "username": .string(Self.sampleSubject), "cognito:groups": .array(groups.map(JSONValue.string)),
        ])
    }

    /// An identity of an identity pool, as its temporary credentials would yield it.
    ///
    /// - Parameter poolID: The identity pool of the API; nil if it has no particular one.
    func identity(ofPool poolID: String?, isAuthenticated: Bool) throws(OperatorProblem) -> Identity {
        guard modes.contains(.iam) else { throw .missingMode("identities of an identity pool") }
        let role = isAuthenticated ? "authRole" : "unauthRole"
        return .iam(
            user: "arn:aws:sts::\(TemporaryIdentity.accountID):assumed-role/\(role)/CognitoIdentityCredentials",
            poolRole: isAuthenticated ? .authenticated : .unauthenticated,
            context: [
                "accountId": .string(TemporaryIdentity.accountID),
                "cognitoIdentityPoolId": .string(poolID ?? Self.sampleIdentityID),
                "cognitoIdentityId": .string(Self.sampleIdentityID),
                "cognitoIdentityAuthType": isAuthenticated ? "authenticated" : "unauthenticated",
                "username": "AROASYNCLINE:CognitoIdentityCredentials",
            ])
    }

    /// The `sub` and the name of a user without an account.
    static let sampleSubject = "00000000-0000-4000-8000-000000000000"
    private static let sampleIdentityID = "us-east-1:00000000-0000-4000-8000-000000000000"
}

extension OperatorProblem {
    fileprivate static func missingMode(_ callers: String) -> OperatorProblem {
        .invalid("This API does not accept \(callers).", field: "x-syncline-as")
    }
}
