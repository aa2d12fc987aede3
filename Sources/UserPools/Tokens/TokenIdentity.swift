public import JSON

/// The identity in a valid token of a user pool.
public struct TokenIdentity: Sendable {
    /// All claims.
    public let claims: JSONObject
    /// The pool.
    public let poolID: String
    /// The client's id: `client_id` of an access token, `aud` of an id token.
    public let clientID: String?
    /// The user's `sub`.
    public let sub: String
    /// The user name.
    public let username: String
    /// The user's groups by the token.
    public let groups: [String]
    /// The `origin_jti` of the session.
    public let sessionID: String
    /// When the token ends, in milliseconds since 1970.
    public let expires: Int64

    /// Maximum accepted `exp`: the end of the year 9999, in seconds since 1970.
    private static let expMax: Int64 = 253_402_300_799

    init?(_ claims: JSONObject, poolID: String) {
        guard let sub = claims["sub"]?.stringValue, let session = claims["origin_jti"]?.stringValue,
            let username = (claims["cognito:username"] ?? claims["username"])?.stringValue,
            // Not verified yet, so an attacker may have chosen it: the product below must not overflow.
            let exp = claims["exp"]?.intValue, (0...Self.expMax).contains(exp)
        else { return nil }
        (self.claims, self.poolID, self.sub, self.username, sessionID) = (claims, poolID, sub, username, session)
        clientID = (claims["client_id"] ?? claims["aud"])?.stringValue
        groups = claims["cognito:groups"]?.arrayValue?.compactMap(\.stringValue) ?? []
        expires = exp * 1_000
    }
}
