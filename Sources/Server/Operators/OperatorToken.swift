import Crypto
import Encodings

/// The secret by which a program proves that it acts for an operator: `Authorization: Bearer TOKEN` (RFC 6750 §2.1).
struct OperatorToken: Sendable {
    /// The token as it is shown, once: a prefix by which scanners for leaked secrets can find it, and 256 random bits.
    let text: String

    static let prefix = "syncline_op_"

    /// A new one.
    init() {
        // The system's generator is cryptographically secure (Swift, SystemRandomNumberGenerator).
        var random = SystemRandomNumberGenerator()
        text = Self.prefix + Base64.encodeURL((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// Whether a header has what looks like an operator's token. Tokens are recognized by their form, because a revoked one, and
    /// one of another server, are secrets too.
    static func occurs(in header: some Collection<UInt8>) -> Bool { header.firstRange(of: prefix.utf8) != nil }

    /// What is stored of it.
    var hash: [UInt8] { Self.hash(Array(text.utf8)) }

    /// SHA-256. A token has 256 random bits and cannot be guessed, so no slow password hash is needed.
    static func hash(_ text: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: text)) }
}
