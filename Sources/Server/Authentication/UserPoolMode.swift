import API
import JSON
import Synchronization
import UserPools

/// The mode `AMAZON_COGNITO_USER_POOLS`: a caller with a token of a user pool that `authConfig` names
/// (reference: authorization, "User pool tokens").
struct UserPoolMode: AuthenticationMode {
    /// Distinguishes this mode from those of schemas that were served before.
    typealias ID = UInt64

    private let service: UserPoolService
    /// Whose tokens are accepted.
    private let providers: [UserPoolProvider]
    /// The claims that rules look at.
    private let claims: Set<ExactText>
    /// Whether tokens are accepted until they expire, whatever became of their session.
    private let acceptsRevokedTokens: Bool
    private let id: ID
    /// Whether tokens of other issuers are left to a further mode.
    private let leavesOthers: Bool

    private static let count = Atomic<ID>(0)

    /// - Parameters:
    ///   - providers: Whose tokens are accepted; without one, those of every configured pool.
    ///   - leavesOthers: Whether tokens of other issuers are left to a further mode.
    init(
        service: UserPoolService, providers: [UserPoolProvider], claims: Set<ExactText>, acceptsRevokedTokens: Bool,
        leavesOthers: Bool = false
    ) {
        self.leavesOthers = leavesOthers
        (self.service, self.claims, self.acceptsRevokedTokens) = (service, claims, acceptsRevokedTokens)
        self.providers = providers.isEmpty ? [UserPoolProvider()] : providers
        id = Self.count.add(1, ordering: .relaxed).newValue
    }

    /// A token that was verified before costs only the lookup.
    func cachedIdentity(_ header: UnsafeRawBufferPointer) -> Identity? {
        unsafe service.tokenCache.find(header.bearerToken ?? header, by: id)?.identity
    }

    func authenticate(_ credentials: any Credentials) -> AuthenticationOutcome? {
        unsafe credentials.withBearerToken { bytes in
            guard let bytes = unsafe bytes, unsafe !bytes.starts(with: Authenticator.signature) else { return nil }
            if leavesOthers {
                guard case .named(let issuer) = unsafe BearerToken.claimedIssuer(of: bytes),
                    service.pools.isIssuer(issuer)
                else { return nil }
            }
            guard unsafe bytes.count(where: { $0 == UInt8(ascii: ".") }) == 2 else { return .refused(Self.unreadable) }
            return unsafe verify(Array(bytes), from: credentials.network)
        }
    }

    /// Whether a valid token is of a pool and a client that this mode accepts.
    func accepts(_ token: TokenIdentity) -> Bool {
        providers.contains { $0.accepts(token, isConfigured: service.pools.isConfigured) }
    }

    private func verify(_ bytes: [UInt8], from network: String) -> AuthenticationOutcome {
        guard !service.forgedTokens.refuses(network) else { return .throttled }
        let pending = PendingAuthentication()
        let (mode, text) = (self, String(decoding: bytes, as: UTF8.self))
        let isAccepted = service.runVerification(for: network, deciding: pending) { pools in
            do throws(TokenRefusal) {
                // Repeated if its session may have ended during the verification.
                for _ in 0..<4 {
                    let forgetCount = mode.service.tokenCache.forgetCount
                    let token = try await pools.authenticate(text, acceptsRevoked: mode.acceptsRevokedTokens)
                    guard mode.accepts(token) else { throw .issuer }
                    let identity = Identity.userPools(
                        IdentityToken(claims: token.claims, text: bytes), claims: mode.claims)
                    let cached = CachedUserPoolToken(bytes, token, identity, by: mode.id)
                    if mode.service.tokenCache.keep(cached, since: forgetCount) {
                        return pending.decide(identity, by: token)
                    }
                }
                throw .unavailable
            } catch {
                if error == .signature || error == .malformed { mode.service.forgedTokens.count(from: network) }
                pending.decide(.refused(Self.answer(to: error)))
            }
        }
        return isAccepted ? .pending(pending) : .throttled
    }

    /// AppSync's answer to a refused token.
    private static func answer(to refusal: TokenRefusal) -> AuthenticationRefusal {
        switch refusal {
        case .malformed, .signature: unreadable
        case .expired: "Token has expired."
        case .issuer, .use, .revoked, .noClient, .noUser, .disabled: .unauthorized
        case .unavailable: .unavailable
        }
    }

    private static let unreadable: AuthenticationRefusal = "Unable to parse JWT token."
}
