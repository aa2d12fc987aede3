public import JSON

/// A verified token: what is about it and not about the user, and all of its claims. Functions receive only the claims that
/// rules use (`Identity.claims`).
///
/// No rule compares it, and nothing is shared by it (`Identity`).
public struct IdentityToken: Sendable {
    /// All claims, with the types that they have in the token.
    public let claims: JSONObject

    /// A token with these claims.
    public init(claims: JSONObject) { self.claims = claims }

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
