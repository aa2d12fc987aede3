import JSON
import UserPools

/// An accepted token issuer other than a user pool of this server.
struct TokenIssuer: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// The mode `OPENID_CONNECT`.
        case openID
        /// A user pool of another server: the mode `AMAZON_COGNITO_USER_POOLS`.
        case userPool
    }

    var kind: Kind
    /// The issuer URL as in `iss`, except for a trailing slash.
    var issuer: String
    /// The pattern that the client id must match; nil for all clients.
    var clientIDPattern: WholePattern?
    /// How long a token is accepted after its `iat`; nil for no limit but its expiry.
    var issuedMillisecondsMax: Int64?
    /// How long a token is accepted after its `auth_time`; nil for no limit but its expiry.
    var authenticatedMillisecondsMax: Int64?

    /// Whether a token's `iss` names this issuer.
    func isIssuer(_ text: String) -> Bool { BearerToken.isSameIssuer(issuer, text) }
}

extension TokenIssuer {
    private static let expired: AuthenticationRefusal = "Token has expired."

    /// The time until which a token with these claims and a valid signature is accepted, in milliseconds since 1970, or the
    /// refusal (reference: authorization, "Tokens of other issuers").
    func acceptance(of claims: JSONObject, now: Int64) -> Result<Int64, AuthenticationRefusal> {
        func milliseconds(ofClaim name: String) -> Int64? {
            guard let seconds = claims[name]?.doubleValue, abs(seconds) < 1e12 else { return nil }
            return Int64(seconds * 1_000)
        }
        let skew = BearerToken.clockSkewMilliseconds
        if kind == .userPool {
            guard ["id", "access"].contains(claims["token_use"]?.stringValue) else { return .failure(.unauthorized) }
        }
        guard let expires = milliseconds(ofClaim: "exp"), expires + skew > now else { return .failure(Self.expired) }
        var end = expires + skew
        if claims["nbf"] != nil {
            guard let begin = milliseconds(ofClaim: "nbf"), begin - skew <= now else { return .failure(Self.expired) }
        }
        let times = [("iat", issuedMillisecondsMax), ("auth_time", authenticatedMillisecondsMax)]
        for case (let name, let lifetime?) in times {
            guard let time = milliseconds(ofClaim: name) else { return .failure(.unauthorized) }
            guard now <= time + lifetime else { return .failure(Self.expired) }
            end = min(end, time + lifetime + 1)
        }
        guard acceptsClient(of: claims) else { return .failure(.unauthorized) }
        return .success(end)
    }

    /// Whether the client of a token with these claims is accepted.
    func acceptsClient(of claims: JSONObject) -> Bool {
        guard let clientIDPattern else { return true }
        var clients = claims["aud"]?.arrayValue?.compactMap(\.stringValue) ?? []
        switch kind {
        case .openID:
            if let audience = claims["aud"]?.stringValue { clients.append(audience) }
            if claims["aud"] == nil, let party = claims["azp"]?.stringValue { clients.append(party) }
        case .userPool:
            let name = claims["token_use"] == "id" ? "aud" : "client_id"
            clients = [claims[name]?.stringValue].compactMap(\.self)
        }
        return clients.contains(where: clientIDPattern.matches)
    }
}
