import Encodings
import JSON

/// All claims of a verified token, kept for the functions that may be called. Most requests call none, so of a token that is
/// kept anyway only its bytes are kept, which are shared, and parsed when the claims are asked for.
enum TokenClaims: Sendable {
    case parsed(JSONObject)
    /// A JWS in its compact form.
    case token([UInt8])

    init(_ token: IdentityToken) {
        self = token.text.map(TokenClaims.token) ?? .parsed(token.claims)
    }

    /// Bytes of the claims as they are kept, roughly.
    var byteCount: Int {
        switch self {
        case .parsed(let object): JSONValue.object(object).description.utf8.count
        case .token(let bytes): bytes.count
        }
    }

    /// The claims, with the types that they have in the token.
    var object: JSONObject {
        switch self {
        case .parsed(let object): return object
        case .token(let bytes):
            let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count == 3, let payload = Base64.decode(parts[1]),
                let object = (try? JSONReader.read(payload))?.objectValue
            else { return JSONObject() }
            return object
        }
    }
}
