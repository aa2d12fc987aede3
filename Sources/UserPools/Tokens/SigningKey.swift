import Crypto
import CryptoExtras
import Encodings
import JSON

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

    /// RS256 (RFC 7518 §3.3).
    func signature(of bytes: [UInt8]) throws(CognitoError) -> [UInt8] {
        guard let signature = try? privateKey.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
        else { throw .internalError }
        return Array(signature.rawRepresentation)
    }

    func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        publicKey.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: Data(signature)), for: SHA256.hash(data: bytes),
            padding: .insecurePKCS1v1_5)
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
