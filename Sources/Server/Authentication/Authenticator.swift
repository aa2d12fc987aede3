import API
import Tables

/// Authenticates callers: those of requests, of connections of the realtime channel, and of each operation on one.
final class Authenticator: Sendable {
    /// Nil if `API_KEY` is not a mode of the API.
    let apiKeys: APIKeyMode?
    /// In the order in which they read credentials.
    private let otherModes: [any AuthenticationMode]

    /// - Parameters:
    ///   - apiKeys: The configured keys; nil if `API_KEY` is not a mode of the API.
    ///   - keyDetails: The expiry times of these keys.
    ///   - createdKeys: The keys that are created and revoked while the API is served.
    ///   - clock: The time that expiry times are compared with.
    ///   - otherModes: The other modes, in the order in which they read credentials.
    init(
        apiKeys: [String]?, keyDetails: [String: APIKeys.Details] = [:], createdKeys: APIKeyRegistry? = nil,
        clock: WallClock = .system, otherModes: [any AuthenticationMode] = []
    ) {
        self.apiKeys = apiKeys.map {
            APIKeyMode(keys: $0, details: keyDetails, clock: clock, created: createdKeys)
        }
        self.otherModes = otherModes
    }

    /// The decision about credentials that need no verification: API keys, cached tokens, and missing credentials; nil for
    /// others.
    ///
    /// A signature takes precedence over a key, and a key over a token (reference: appsync-protocol, "Credentials of a request").
    /// The messages are AppSync's (reference: appsync-protocol, "Status codes and error bodies").
    func knownDecision(of credentials: some Credentials) -> AuthenticationDecision? {
        let (hasAuthorization, isSigned): (Bool, Bool) = unsafe credentials.withAuthorization { header in
            guard let header = unsafe header else { return (false, false) }
            return unsafe (true, header.starts(with: Self.signature))
        }
        if isSigned { return nil }
        let isAcceptedKey: Bool? = unsafe credentials.withAPIKey { key in
            unsafe key.map { unsafe apiKeys?.accepts($0) ?? false }
        }
        if let isAcceptedKey {
            guard apiKeys != nil else { return .refused(Self.noMode) }
            return isAcceptedKey ? .identity(.apiKey) : .refused(.unauthorized)
        }
        guard hasAuthorization else { return .refused("Missing authorization header") }
        return unsafe credentials.withAuthorization { header -> AuthenticationDecision? in
            guard let header = unsafe header else { return nil }
            for mode in otherModes {
                if let identity = unsafe mode.cachedIdentity(header) { return .identity(identity) }
            }
            return nil
        }
    }

    /// The known decision, or else a verification.
    func authenticate(_ credentials: some Credentials) -> AuthenticationOutcome {
        knownDecision(of: credentials).map(AuthenticationOutcome.decided) ?? startVerification(of: credentials)
    }

    /// Starts the verification of credentials without a known decision. An operator's token, and credentials of a mode that the
    /// API does not have, are refused without one.
    func startVerification(of credentials: some Credentials) -> AuthenticationOutcome {
        // Before any mode reads it: a Lambda authorizer would send it to a function.
        let isOperatorToken: Bool = unsafe credentials.withAuthorization { header in
            unsafe header.map { unsafe OperatorToken.occurs(in: $0) } ?? false
        }
        if isOperatorToken { return .decided(.refused(Self.operatorToken)) }
        for mode in otherModes {
            if let outcome = mode.authenticate(credentials) { return outcome }
        }
        return .decided(.refused(Self.noMode))
    }

    /// The refusal of credentials of a mode that the API does not have.
    private static let noMode: AuthenticationRefusal = "Valid authorization header not provided."

    private static let operatorToken: AuthenticationRefusal =
        "The token of an operator does not authorize requests of the API. Send it as x-syncline-operator, beside other credentials."

    /// The prefix of `authorization` in signed requests.
    static var signature: String.UTF8View { "AWS4-HMAC-SHA256".utf8 }
}
