import API
import Tables

/// Finds out who a caller is, for requests, the realtime channel and each of its subscriptions alike.
struct Authenticator: Sendable {
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

    /// A signature goes before a key, a key before a token (reference: appsync-protocol, "Credentials of a request").
    /// The texts: (reference: appsync-protocol, "Status codes and error bodies").
    func authenticate(_ credentials: some Credentials) -> AuthenticationOutcome {
        let isSigned: Bool? = unsafe credentials.withAuthorization { unsafe $0?.starts(with: Self.signature) }
        if isSigned == true { return askOtherModes(credentials) ?? Self.notEnabled }
        let isKnownKey: Bool? = unsafe credentials.withAPIKey { key in
            unsafe key.map { unsafe apiKeys?.accepts($0) ?? false }
        }
        if isKnownKey != nil, apiKeys == nil { return Self.notEnabled }
        switch isKnownKey {
        case true?: return .identity(.apiKey)
        case false?: return .refused("You are not authorized to make this call.")
        case nil where isSigned == nil: return .refused("Missing authorization header")
        case nil: return askOtherModes(credentials) ?? Self.notEnabled
        }
    }

    private func askOtherModes(_ credentials: some Credentials) -> AuthenticationOutcome? {
        for mode in otherModes {
            if let outcome = mode.authenticate(credentials) { return outcome }
        }
        return nil
    }

    static var signature: String.UTF8View { "AWS4-HMAC-SHA256".utf8 }

    private static let notEnabled = AuthenticationOutcome.refused("Valid authorization header not provided.")
}
