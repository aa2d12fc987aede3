public import JSON

/// Whom a valid token of a user pool belongs to.
public struct TokenIdentity: Sendable {
    /// All claims.
    public let claims: JSONObject
    /// The pool.
    public let poolID: String
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

    init?(_ claims: JSONObject, poolID: String) {
        guard let sub = claims["sub"]?.stringValue, let session = claims["origin_jti"]?.stringValue,
            let username = (claims["cognito:username"] ?? claims["username"])?.stringValue,
            let exp = claims["exp"]?.intValue
        else { return nil }
        (self.claims, self.poolID, self.sub, self.username, sessionID) = (claims, poolID, sub, username, session)
        groups = claims["cognito:groups"]?.arrayValue?.compactMap(\.stringValue) ?? []
        expires = exp * 1_000
    }
}
