import API
import Transformer
import UserPools

/// The credentials that started a subscription, with what is needed to find out whether they were withdrawn since: by the end of a
/// session, by a revoked API key, or by a reload whose configuration no longer accepts them. Expired credentials are not withdrawn.
enum CredentialOrigin: Sendable {
    case apiKey(APIKeyMode.Origin)
    /// A token of a user pool of this server.
    case userPool(TokenIdentity)
    /// A token of another issuer.
    case issuer(TokenIssuer, Identity)
    /// A configured access key, or temporary credentials of an identity pool.
    case signature(SignatureMode.Origin)
    /// A token that this Lambda authorizer has accepted.
    case authorizer(LambdaAuthorizer?)
}

extension ServedAPI {
    /// The origin of credentials that were accepted as this identity; nil if they are no longer accepted.
    ///
    /// - Parameter userPoolToken: The token, if a user pool of this server issued it.
    func origin(
        of credentials: RealtimeCredentials, _ identity: Identity, userPoolToken: TokenIdentity?
    ) -> CredentialOrigin? {
        let origin: CredentialOrigin?
        switch identity.mode {
        case .apiKey:
            origin = unsafe credentials.withAPIKey { key in
                unsafe key.flatMap { unsafe authenticator.apiKeys?.origin($0) }.map(CredentialOrigin.apiKey)
            }
        case .userPools, .oidc:
            origin =
                userPoolToken.map(CredentialOrigin.userPool)
                ?? issuerMode?.issuer(of: identity).map { .issuer($0, identity) }
        case .iam: origin = signatureMode.map { .signature($0.origin(of: identity)) }
        case .lambda: origin = .authorizer(lambdaMode?.authorizer)
        }
        return origin.flatMap { accepts($0) ? $0 : nil }
    }

    /// Whether the API would accept such credentials now, ignoring expiry.
    func accepts(_ origin: CredentialOrigin) -> Bool {
        switch origin {
        case .apiKey(let key): authenticator.apiKeys?.has(key) ?? false
        case .userPool(let token): userPoolMode?.accepts(token) ?? false
        case .issuer(let issuer, let identity): issuerMode?.accepts(identity, of: issuer) ?? false
        case .signature(let origin): signatureMode?.accepts(origin) ?? false
        case .authorizer(let authorizer):
            modes.contains(.lambda) && lambdaMode?.authorizer.function == authorizer?.function
                && lambdaMode?.authorizer.pattern == authorizer?.pattern
        }
    }
}
