import API
import JSON
import Tables
import Transformer
import UserPools

/// Tokens of other issuers: the mode `OPENID_CONNECT`, and user pools of other servers
/// (reference: authorization, "Tokens of other issuers").
struct IssuerMode: AuthenticationMode {
    private let services: TokenServices
    private let issuers: [TokenIssuer]
    /// The claims that rules look at.
    private let claims: Set<ExactText>
    /// Whether no further mode takes tokens, so that this one says why a token is refused.
    private let isLast: Bool
    private let cache: ExternalTokenCache

    /// How long an accepted token is not verified again, in milliseconds: its key may have been withdrawn.
    private static let cachedLifetimeMax: Int64 = 600_000

    init(services: TokenServices, issuers: [TokenIssuer], claims: Set<ExactText>, isLast: Bool) {
        (self.services, self.issuers, self.claims, self.isLast) = (services, issuers, claims, isLast)
        cache = ExternalTokenCache(countMax: services.cachedTokensMax) { [clock = services.clock] in
            clock.milliseconds()
        }
    }

    func cachedIdentity(_ header: UnsafeRawBufferPointer) -> Identity? {
        unsafe cache.find(header.bearerToken ?? header)
    }

    func authenticate(_ credentials: any Credentials) -> AuthenticationOutcome? {
        guard let bytes = credentials.token else { return nil }
        let claimed: BearerToken.ClaimedIssuer = unsafe bytes.withUnsafeBytes {
            unsafe BearerToken.claimedIssuer(of: $0)
        }
        let name: String
        switch claimed {
        case .malformed: return isLast ? .refused(Self.unreadable) : nil
        case .none: return isLast ? .refused(.unauthorized) : nil
        case .named(let issuer): name = issuer
        }
        guard let issuer = issuer(name) else { return isLast ? .refused(.unauthorized) : nil }
        let (mode, network) = (self, credentials.network)
        guard !services.forgedTokens.refuses(network) else { return .throttled }
        let pending = services.verify(for: issuer.issuer, from: network, bytes: credentials.byteCount) {
            await mode.verify(bytes, of: issuer, from: network)
        }
        return pending.map(AuthenticationOutcome.pending) ?? .throttled
    }

    /// The issuer of a token that was accepted as this identity; nil if it is none of the configuration.
    func issuer(of identity: Identity) -> TokenIssuer? {
        guard let name = identity.tokenClaims?["iss"]?.stringValue, let issuer = issuer(name),
            (issuer.kind == .openID) == (identity.mode == .oidc)
        else { return nil }
        return issuer
    }

    /// Whether tokens of an issuer, and of the client of this one, are accepted.
    func accepts(_ identity: Identity, of issuer: TokenIssuer) -> Bool {
        guard let current = issuers.first(where: { $0.kind == issuer.kind && $0.isIssuer(issuer.issuer) }) else {
            return false
        }
        return current.clientIDPattern == issuer.clientIDPattern
            || current.acceptsClient(of: identity.tokenClaims ?? [:])
    }

    private func issuer(_ text: String) -> TokenIssuer? { issuers.first { $0.isIssuer(text) } }

    private func verify(
        _ bytes: [UInt8], of issuer: TokenIssuer, from network: String
    ) async -> AuthenticationDecision {
        guard let token = BearerToken(String(decoding: bytes, as: UTF8.self)),
            token.issuer.map(issuer.isIssuer) == true
        else {
            services.forgedTokens.count(from: network)
            return .refused(Self.unreadable)
        }
        guard let keys = await services.issuerKeys.keys(of: issuer.issuer, for: token) else {
            return .refused(.unauthorized)
        }
        let algorithms = issuer.kind == .openID ? Self.algorithms : ["RS256"]
        guard let claims = await token.verifiedClaims(by: keys, algorithms: algorithms) else {
            services.forgedTokens.count(from: network)
            return .refused(Self.unreadable)
        }
        let now = services.clock.milliseconds()
        switch issuer.acceptance(of: claims, now: now) {
        case .failure(let refusal): return .refused(refusal)
        case .success(let end):
            let token = IdentityToken(claims: claims, text: bytes)
            let identity: Identity =
                issuer.kind == .openID ? .oidc(token, claims: self.claims) : .userPools(token, claims: self.claims)
            cache.keep(bytes, identity, until: min(end, now + Self.cachedLifetimeMax), bytes: bytes.count)
            return .identity(identity)
        }
    }

    /// None is symmetric: keys are public.
    private static let algorithms: Set = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512"]
    private static let unreadable: AuthenticationRefusal = "Unable to parse JWT token."
}
