import API
import UserPools

/// The mode `AMAZON_COGNITO_USER_POOLS`: a caller with a token of one of this server's user pools.
struct UserPoolMode: AuthenticationMode {
    let service: UserPoolService
    /// The claims that rules look at.
    let claims: Set<String>
    /// Whether tokens are accepted until they expire, whatever became of their session.
    var acceptsRevokedTokens = false

    func authenticate(_ credentials: any Credentials) -> AuthenticationOutcome? {
        guard let token = credentials.userPoolToken else { return nil }
        // A token that was seen before costs no more than finding it.
        if let identity = service.pools.seenIdentity(of: token) { return .identity(self.identity(identity)) }
        let pending = PendingAuthentication()
        let mode = self
        let isAccepted = service.run { pools in
            do throws(TokenRefusal) {
                let identity = try await pools.authenticate(token, acceptsRevoked: mode.acceptsRevokedTokens)
                pending.decide(.identity(mode.identity(identity)))
            } catch {
                pending.decide(.refused(error == .expired ? Self.expired : Self.invalid))
            }
        }
        guard isAccepted else { return .refused("Too many requests.") }
        return .pending(pending)
    }

    private static let expired = "Token has expired."
    private static let invalid = "Valid authorization header not provided."

    private func identity(_ identity: TokenIdentity) -> Identity {
        .userPools(IdentityToken(claims: identity.claims), claims: claims)
    }
}

extension Credentials {
    /// The token of the authorization header, with `Bearer` in front or without; nil of what has not a token's form.
    var userPoolToken: String? {
        guard var text = unsafe withAuthorization({ unsafe $0.map { unsafe String(decoding: $0, as: UTF8.self) } })
        else { return nil }
        if text.utf8.count > 7, text.prefix(7).lowercased() == "bearer " { text = String(text.dropFirst(7)) }
        return text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 ? text : nil
    }
}
