import Crypto
import Encodings

/// The secret in a link or in a session's cookie: random bytes that cannot be guessed. The server keeps only its hash.
struct ConsoleSecret: Sendable {
    let text: String

    /// A new one from the system's generator, which is cryptographically secure (Swift, SystemRandomNumberGenerator).
    init() {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<ConsoleLimits.secretBytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        text = Base64.encodeURL(bytes)
    }

    /// The secret that a client has sent.
    init(_ text: String) { self.text = text }

    /// SHA-256. Random bytes need no slow hash.
    var hash: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    /// What requests of the session's pages carry in `x-syncline-csrf`. It is derived from the cookie's value, which no script can
    /// read, and is returned only to pages of this origin.
    var csrf: String { Base64.encodeURL(Array(SHA256.hash(data: Array("syncline csrf \(text)".utf8)))) }

    /// Compares in a time that does not depend on how much of the text is right.
    func isCSRF(_ text: String) -> Bool { ConstantTime.isEqual(text, csrf) }
}
