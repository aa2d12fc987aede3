import Encodings
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

    /// The issuer that a token claims to be of.
    public enum ClaimedIssuer: Sendable, Hashable {
        /// Not a JSON Web Token.
        case malformed
        /// A token without one.
        case none
        case named(String)
    }

    /// The unverified `iss` of a token. Only this claim is decoded, because anyone may have sent the token.
    public static func claimedIssuer(of token: UnsafeRawBufferPointer) -> ClaimedIssuer {
        guard token.count <= JSONWebToken.bytesMax else { return .malformed }
        let parts = unsafe token.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard unsafe parts.count == 3,
            let claims = unsafe Base64.decodeURL(String(decoding: parts[1], as: UTF8.self))
        else { return .malformed }
        return unsafe claims.withUnsafeBytes { bytes in
            var issuer = ClaimedIssuer.none
            do throws(JSONError) {
                var scanner = unsafe JSONScanner(bytes)
                try scanner.beginObject()
                while let key = try scanner.nextKey() {
                    if scanner.isEqual(key, "iss"), try scanner.peekKind() == .string {
                        issuer = .named(scanner.string(try scanner.readString()))
                    } else {
                        try scanner.skipValue()
                    }
                }
                try scanner.finish()
                return issuer
            } catch { return .malformed }
        }
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
