import Crypto
import Encodings

/// The text that a link or a session's cookie has: random bytes that cannot be guessed. Only its hash is kept.
struct ConsoleSecret: Sendable {
    let text: String

    /// A new one, of the system's generator, which is cryptographically secure (Swift, SystemRandomNumberGenerator).
    init() {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<ConsoleLimits.secretBytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        text = Base64.encodeURL(bytes)
    }

    /// The secret that a client has sent.
    init(_ text: String) { self.text = text }

    /// SHA-256. Random bytes need no slow hash.
    var hash: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    /// What requests of the session's pages carry in `x-syncline-csrf`. It is made of the cookie's value, which no script can
    /// read, and is returned only to pages of this origin.
    var csrf: String { Base64.encodeURL(Array(SHA256.hash(data: Array("syncline csrf \(text)".utf8)))) }

    /// Whether a request has it, in a time that does not depend on how much of it is right.
    func isCSRF(_ text: String) -> Bool { ConstantTime.isEqual(text, csrf) }
}
