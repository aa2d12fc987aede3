import JSON

/// An ID token of another issuer (OpenID Connect Core 1.0 §2).
struct IDToken {
    let subject: String
    let claims: JSONObject

    /// Why a token is refused, as the end of a sentence.
    struct Refusal: Error {
        var reason: String
    }

    /// How far clocks may differ, in seconds.
    static let clockSkewSeconds: Int64 = 60

    /// The signature algorithms that are accepted. None is symmetric: a key set is public.
    private static let algorithms: Set = [
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
    ]

    /// Validates a token (OpenID Connect Core 1.0 §3.1.3.7).
    ///
    /// - Parameters:
    ///   - keys: The issuer's JSON Web Key Set.
    ///   - now: Seconds since 1970.
    init(
        _ text: String, keys: JSONObject, issuer: String, clientID: String, nonce: String?, now: Int64
    ) async throws(Refusal) {
        guard let token = JSONWebToken(text) else { throw Refusal(reason: "its ID token is malformed") }
        guard let algorithm = token.header["alg"]?.stringValue, Self.algorithms.contains(algorithm) else {
            throw Refusal(reason: "its ID token is signed by an algorithm that is not accepted")
        }
        guard token.key(in: keys) != nil else { throw Refusal(reason: "its ID token's key is unknown") }
        guard await token.isSigned(by: keys, algorithms: Self.algorithms) else {
            throw Refusal(reason: "the signature of its ID token is not valid")
        }
        claims = token.claims
        guard let actual = claims["iss"]?.stringValue, ProviderMetadata.isSame(actual, issuer) else {
            throw Refusal(reason: "its ID token is of another issuer")
        }
        let audience = claims["aud"]?.arrayValue?.compactMap(\.stringValue) ?? [claims["aud"]?.stringValue ?? ""]
        guard audience.contains(clientID), audience.count == 1 || claims["azp"]?.stringValue == clientID else {
            throw Refusal(reason: "its ID token is for another client")
        }
        guard let expires = claims["exp"]?.doubleValue, expires > Double(now - Self.clockSkewSeconds) else {
            throw Refusal(reason: "its ID token has expired")
        }
        guard let issued = claims["iat"]?.doubleValue, issued < Double(now + Self.clockSkewSeconds) else {
            throw Refusal(reason: "its ID token is of the future")
        }
        if let nonce, claims["nonce"]?.stringValue != nonce {
            throw Refusal(reason: "its ID token belongs to another sign-in")
        }
        guard let subject = claims["sub"]?.stringValue, (1...255).contains(subject.utf8.count) else {
            throw Refusal(reason: "its ID token has no subject")
        }
        self.subject = subject
    }

    /// The token with further claims, which do not replace its own.
    func adding(_ more: JSONObject) -> IDToken {
        var claims = claims
        for (name, value) in more where claims[name] == nil { claims[name] = value }
        return IDToken(subject: subject, claims: claims)
    }

    private init(subject: String, claims: JSONObject) { (self.subject, self.claims) = (subject, claims) }

    /// Whether a set has the key that a token names.
    static func hasKey(of text: String, in set: JSONObject) -> Bool {
        JSONWebToken(text).map { $0.key(in: set) != nil } ?? true
    }
}
