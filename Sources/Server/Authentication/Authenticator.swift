import API
import Tables

/// Finds out who a caller is, for requests, the realtime channel and each of its subscriptions alike.
final class Authenticator: Sendable {
    /// nil where `API_KEY` is no mode of the API.
    let apiKeys: APIKeyMode?
    /// In the order in which they are asked.
    private let otherModes: [any AuthenticationMode]

    /// Accepts these keys, and what the other modes accept.
    ///
    /// - Parameters:
    ///   - apiKeys: nil where `API_KEY` is no mode of the API.
    ///   - keyDetails: The ends of keys.
    ///   - createdKeys: The keys that come and go while the API is served.
    ///   - clock: By which keys expire.
    init(
        apiKeys: [String]?, keyDetails: [String: APIKeys.Details] = [:], createdKeys: APIKeyRegistry? = nil,
        clock: WallClock = .system, otherModes: [any AuthenticationMode] = []
    ) {
        self.apiKeys = apiKeys.map {
            APIKeyMode(keys: $0, details: keyDetails, clock: clock, created: createdKeys)
        }
        self.otherModes = otherModes
    }

    /// What is known of credentials without any work: of API keys, and of tokens that were accepted before; nil for others.
    ///
    /// A signature goes before a key, a key before a token (reference: appsync-protocol, "Credentials of a request").
    /// The texts: (reference: appsync-protocol, "Status codes and error bodies").
    func decideAtOnce(_ credentials: some Credentials) -> AuthenticationDecision? {
        let isSigned: Bool? = unsafe credentials.withAuthorization { unsafe $0?.starts(with: Self.signature) }
        if isSigned == true { return nil }
        let isKnownKey: Bool? = unsafe credentials.withAPIKey { key in
            unsafe key.map { unsafe apiKeys?.accepts($0) ?? false }
        }
        if let isKnownKey {
            guard apiKeys != nil else { return .refused(Self.noMode) }
            return isKnownKey ? .identity(.apiKey) : .refused(.unauthorized)
        }
        guard isSigned != nil else { return .refused("Missing authorization header") }
        return unsafe credentials.withAuthorization { header -> AuthenticationDecision? in
            guard let header = unsafe header else { return nil }
            for mode in otherModes {
                if let identity = unsafe mode.cachedIdentity(header) { return .identity(identity) }
            }
            return nil
        }
    }

    /// What credentials come to.
    func authenticate(_ credentials: some Credentials) -> AuthenticationOutcome {
        decideAtOnce(credentials).map(AuthenticationOutcome.decided) ?? verify(credentials)
    }

    /// What credentials come to that `decideAtOnce` does not know.
    func verify(_ credentials: some Credentials) -> AuthenticationOutcome {
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

    /// Of credentials that no mode of the API is about.
    private static let noMode: AuthenticationRefusal = "Valid authorization header not provided."

    private static let operatorToken: AuthenticationRefusal =
        "The token of an operator does not authorize requests of the API. Send it as x-syncline-operator, beside other credentials."

    static var signature: String.UTF8View { "AWS4-HMAC-SHA256".utf8 }
}
