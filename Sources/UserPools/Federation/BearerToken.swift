public import JSON

/// A token of an issuer that is no pool of this server, before and after its signature is verified.
public struct BearerToken: Sendable {
    private let token: JSONWebToken

    /// How far clocks may differ, in milliseconds.
    public static let clockSkewMilliseconds = IDToken.clockSkewSeconds * 1_000

    /// Parses a token without verifying it; nil if it is malformed.
    public init?(_ text: String) {
        guard let token = JSONWebToken(text) else { return nil }
        self.token = token
    }

    /// `iss`, which the signature has not confirmed.
    public var issuer: String? { token.claims["iss"]?.stringValue }

    /// Whether two issuers differ in a slash at the end at most.
    public static func isSameIssuer(_ one: String, _ other: String) -> Bool { ProviderMetadata.isSame(one, other) }

    /// The claims, if the signature is by one of these keys; nil otherwise.
    ///
    /// - Parameter algorithms: The algorithms that are accepted; none may be symmetric, because the keys are public.
    public func verifiedClaims(by keys: JSONObject, algorithms: Set<String>) async -> JSONObject? {
        await token.isSigned(by: keys, algorithms: algorithms) ? token.claims : nil
    }

    /// Whether a set has the key that the token names.
    func hasKey(in keys: JSONObject) -> Bool { token.key(in: keys) != nil }
}
