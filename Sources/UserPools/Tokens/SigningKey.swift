import Crypto
import CryptoExtras
import Encodings
import JSON
import JWTKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An RSA key that signs tokens.
struct SigningKey: Sendable {
    /// What the key signs.
    enum Use: String, Sendable { case id, access }

    let kid: String
    let use: Use
    /// When the last token that it signed ends, in milliseconds since 1970; nil of a key that signs.
    var retired: Int64?
    private let privateKey: _RSA.Signing.PrivateKey
    private let publicKey: _RSA.Signing.PublicKey

    /// Makes a key of 2048 bits, which takes tenths of a second.
    init(_ use: Use, _ randomness: Randomness) throws(KeyStorage.Failure) {
        guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else {
            throw KeyStorage.Failure(message: "An RSA key could not be made.")
        }
        (privateKey, publicKey, self.use) = (key, key.publicKey, use)
        kid = Base64.encode(randomness.bytes(32))
    }

    /// Reads a key of its file's entry.
    init?(_ entry: JSONValue) {
        guard let kid = entry["kid"]?.stringValue, let use = entry["use"]?.stringValue.flatMap(Use.init),
            let text = entry["pem"]?.stringValue, let key = try? _RSA.Signing.PrivateKey(pemRepresentation: text)
        else { return nil }
        (self.kid, self.use, privateKey, publicKey) = (kid, use, key, key.publicKey)
        retired = entry["retired"]?.intValue
    }

    var entry: JSONValue {
        var object: JSONObject = [
            "kid": .string(kid), "use": .string(use.rawValue), "pem": .string(privateKey.pemRepresentation),
        ]
        if let retired { object["retired"] = .number(String(retired)) }
        return .object(object)
    }

    /// Signs claims by RS256 (RFC 7518 §3.3).
    func sign(_ claims: JSONObject) async throws(CognitoError) -> String {
        let name = JWKIdentifier(string: kid)
        do {
            let keys = try await JWTKeyCollection().add(
                rsa: Insecure.RSA.PrivateKey(backing: privateKey), digestAlgorithm: .sha256, kid: name,
                serializer: TokenClaims.Serializer())
            return try await keys.sign(TokenClaims(claims), kid: name)
        } catch {
            throw .internalError
        }
    }

    /// Whether this key has signed a token.
    func isValid(_ token: String) async -> Bool {
        do {
            let keys = try await JWTKeyCollection().add(
                rsa: Insecure.RSA.PublicKey(backing: publicKey), digestAlgorithm: .sha256,
                kid: JWKIdentifier(string: kid))
            _ = try await keys.verify(token, as: TokenClaims.self)
            return true
        } catch {
            return false
        }
    }

    /// The public key as a JSON Web Key (RFC 7517).
    var jsonWebKey: JSONValue {
        guard let primitives = try? publicKey.getKeyPrimitives() else { return .null }
        return [
            "alg": "RS256", "e": .string(Base64.encodeURL(Array(primitives.publicExponent))), "kid": .string(kid),
            "kty": "RSA", "n": .string(Base64.encodeURL(Array(primitives.modulus))), "use": "sig",
        ]
    }
}
