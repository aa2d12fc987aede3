import Encodings
import JSON
import JWTKit

/// A token before its signature is verified (RFC 7519, RFC 7515 §7.1): the claims name the pool whose keys verify it. It is
/// read strictly, so that each token has one form; jwt-kit signs and verifies.
struct JSONWebToken {
    let header: JSONObject
    let claims: JSONObject
    let text: String

    /// The longest token that is read, in bytes: more than an id token has with every attribute and group that a user can have.
    /// Each place that takes tokens has a bound of its own besides, of which that of headers (`requestHeadBytesMax`) is the
    /// lowest.
    static let bytesMax = 1 << 20

    /// Parses a token without verifying it; nil if it is malformed.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.bytesMax else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            Base64.decodeURL(String(parts[2])) != nil
        else { return nil }
        (self.header, self.claims, self.text) = (header, claims, String(text))
    }

    private static func object(_ part: some StringProtocol) -> JSONObject? {
        guard let bytes = Base64.decodeURL(String(part)) else { return nil }
        return (try? JSONReader.read(bytes))?.objectValue
    }

    /// Whether the token is signed with RS256 by one of these keys.
    func isSigned(by keys: [SigningKey], at now: Int64) async -> Bool {
        guard header["alg"] == "RS256", let kid = header["kid"]?.stringValue,
            let key = keys.first(where: { $0.kid == kid && $0.retired ?? .max > now })
        else { return false }
        return await key.isValid(text)
    }

    /// The key of a set that the token names; of a token that names none, the only one there is.
    func key(in set: JSONObject) -> JSONObject? {
        let keys = (set["keys"]?.arrayValue ?? []).compactMap(\.objectValue).filter { $0["use"]?.stringValue != "enc" }
        guard let kid = header["kid"]?.stringValue else { return keys.count == 1 ? keys[0] : nil }
        return keys.first { $0["kid"]?.stringValue == kid }
    }

    /// Whether the token is signed by a key of a JSON Web Key Set.
    ///
    /// - Parameter algorithms: The algorithms that are accepted; none may be symmetric, because the keys are public.
    func isSigned(by set: JSONObject, algorithms: Set<String>) async -> Bool {
        // No header parameter that has to be understood is (RFC 7515 §4.1.11).
        guard let algorithm = header["alg"]?.stringValue, algorithms.contains(algorithm), header["crit"] == nil,
            var key = key(in: set), key["alg"].map({ $0.stringValue == algorithm }) ?? true
        else { return false }
        key["kid"] = header["kid"] ?? "only"
        let named: JSONValue = ["keys": [.object(key)]]
        return (try? await JWTKeyCollection().add(jwksJSON: named.description).verify(text, as: UncheckedPayload.self))
            != nil
    }
}

/// The claims are checked by who reads the token.
private struct UncheckedPayload: JWTPayload {
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
