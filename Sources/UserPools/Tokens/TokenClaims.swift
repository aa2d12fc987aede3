import Encodings
import JSON
import JWTKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The claims of a token of ours, as jwt-kit signs and verifies them.
struct TokenClaims: JWTPayload {
    let object: JSONObject

    init(_ object: JSONObject) { self.object = object }

    /// The claims of a token to be verified are read by `JSONWebToken`, before its signature is.
    init(from decoder: any Decoder) { object = [:] }

    func encode(to encoder: any Encoder) throws {
        preconditionFailure("claims are written by their serializer, in the order that they have")
    }

    /// Which claims a token needs depends on what it is for.
    func verify(using algorithm: some JWTAlgorithm) {}

    /// Writes tokens of Cognito's form: their header has `kid` and `alg` alone, while jwt-kit adds `typ`.
    struct Serializer: JWTSerializer {
        let jsonEncoder: any JWTJSONEncoder = HeaderEncoder()

        func serialize(_ payload: some JWTPayload, header: JWTHeader) throws -> Data {
            guard let claims = payload as? TokenClaims else { throw JWTError.signingAlgorithmFailure(Unknown()) }
            return Data(Base64.encodeURL(Array(JSONValue.object(claims.object).description.utf8)).utf8)
        }
    }

    private struct HeaderEncoder: JWTJSONEncoder {
        func encode<T: Encodable>(_ value: T) throws -> Data {
            guard let header = value as? JWTHeader, let kid = header.kid, let algorithm = header.alg else {
                throw JWTError.signingAlgorithmFailure(Unknown())
            }
            let object: JSONValue = ["kid": .string(kid), "alg": .string(algorithm)]
            return Data(object.description.utf8)
        }
    }

    private struct Unknown: Error {}
}
