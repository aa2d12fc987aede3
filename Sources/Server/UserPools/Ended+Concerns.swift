import UserPools

extension UserPoolServices.Ended {
    /// Whether temporary credentials belong to a user whose sessions have ended. The user is in the authentication provider of the
    /// identity, as `TemporaryIdentity.authenticationProvider` writes it:
    /// `"cognito-idp.REGION.amazonaws.com/POOL","…:CognitoSignIn:SUB"`.
    func concerns(provider: String) -> Bool {
        switch self {
        case .session, .client: false
        case .user(let sub): provider.contains(":CognitoSignIn:\(sub)\"")
        case .pool(let id): provider.contains("/\(id)\"")
        }
    }

    /// Whether an ended session, user, client or pool includes a token.
    func concerns(_ token: TokenIdentity) -> Bool {
        switch self {
        case .session(let id): token.sessionID == id
        case .user(let sub): token.sub == sub
        case .client(let id): token.clientID == id
        case .pool(let id): token.poolID == id
        }
    }
}

extension TokenIdentity {
    /// The ends that concern a token: of its session, its user, its pool and its client.
    var ends: [UserPoolServices.Ended] {
        let ends: [UserPoolServices.Ended] = [.session(sessionID), .user(sub), .pool(poolID)]
        return clientID.map { ends + [.client($0)] } ?? ends
    }
}
