public import JSON

/// A verified token: what is about it and not about the user, and all of its claims.
///
/// No rule compares it, and nothing is shared by it (`Identity`).
public struct IdentityToken: Sendable {
    /// All claims, with the types that they have in the token.
    public let claims: JSONObject
    /// The token as it came, a JWS in its compact form (RFC 7515 §7.1); nil where only the claims are known.
    let text: [UInt8]?

    /// A token with these claims.
    /// - Parameter text: The token as it came. An identity keeps it in place of the claims, and parses it when a function is
    ///   called.
    public init(claims: JSONObject, text: [UInt8]? = nil) { (self.claims, self.text) = (claims, text) }

    /// When the token was issued, in seconds since 1970 (RFC 7519 §4.1.6).
    public var issuedAtSeconds: Int64? { seconds("iat") }

    /// When the user has signed in, in seconds since 1970.
    public var authenticatedAtSeconds: Int64? { seconds("auth_time") }

    /// From when on the token is not accepted, in seconds since 1970 (RFC 7519 §4.1.4).
    public var expiresAtSeconds: Int64? { seconds("exp") }

    /// Before when the token is not accepted, in seconds since 1970 (RFC 7519 §4.1.5).
    public var notBeforeSeconds: Int64? { seconds("nbf") }

    /// A time, which may have a fraction (RFC 7519 §2, "NumericDate"); nil of what is none.
    private func seconds(_ name: String) -> Int64? {
        claims[name]?.intValue ?? claims[name]?.doubleValue.flatMap { Int64(exactly: $0.rounded(.down)) }
    }
}
