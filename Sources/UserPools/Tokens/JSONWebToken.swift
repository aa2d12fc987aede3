import Encodings
import JSON

/// A signed token of ours (RFC 7519, RFC 7515 §7.1). Made and read here and not by jwt-kit, whose tokens have a `typ` that
/// Cognito's lack; jwt-kit reads those of other issuers.
struct JSONWebToken {
    let header: JSONObject
    let claims: JSONObject
    let signature: [UInt8]
    /// What is signed.
    let signingInput: [UInt8]

    /// The longest token that is read, in bytes.
    static let bytesMax = 16_384

    /// Parses a token without verifying it; nil if it is malformed.
    init?(_ text: some StringProtocol) {
        guard text.utf8.count <= Self.bytesMax else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Base64.decodeURL(String(parts[2]))
        else { return nil }
        (self.header, self.claims, self.signature) = (header, claims, signature)
        signingInput = Array("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: some StringProtocol) -> JSONObject? {
        guard let bytes = Base64.decodeURL(String(part)) else { return nil }
        return (try? JSONReader.read(bytes))?.objectValue
    }

    /// Signs claims.
    static func sign(_ claims: JSONObject, by key: SigningKey) throws(CognitoError) -> String {
        let header: JSONValue = ["kid": .string(key.kid), "alg": "RS256"]
        let input =
            Base64.encodeURL(Array(header.description.utf8)) + "."
            + Base64.encodeURL(Array(JSONValue.object(claims).description.utf8))
        return input + "." + Base64.encodeURL(try key.signature(of: Array(input.utf8)))
    }

    /// Whether the token is signed with RS256 by one of these keys.
    func isSigned(by keys: [SigningKey], at now: Int64) -> Bool {
        guard header["alg"] == "RS256", let kid = header["kid"]?.stringValue,
            let key = keys.first(where: { $0.kid == kid && $0.retired ?? .max > now })
        else { return false }
        return key.isValid(signature, of: signingInput)
    }
}
