/// The rules for the keys that callers show in `x-api-key`.
enum APIKey {
    /// The shortest key, in characters, that is accepted on an address beyond loopback, where it can be guessed at from
    /// other machines.
    static let charactersMin = 20

    /// The longest life of a key that is created, in days, and that of one for which no other is given (AWS AppSync API
    /// Reference, "CreateApiKey").
    static let daysMax = 365
    static let daysDefault = 7

    /// What a key is, for complaints; they never repeat the key.
    static let rule = "a key that is not empty or blank, without spaces at its ends and without control characters"

    /// Whether a text can be a key. A header's value never has whitespace at its ends (RFC 9110 §5.5), so such a key
    /// would match no request.
    static func isSound(_ key: String) -> Bool {
        guard let first = key.first, let last = key.last, !first.isWhitespace, !last.isWhitespace else { return false }
        return key.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// A new key in the form of AppSync's: `da2-` and 26 lower-case letters and digits, 134 random bits.
    static func generate() -> String {
        let digits = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        // The system's generator is cryptographically secure (Swift, SystemRandomNumberGenerator).
        var random = SystemRandomNumberGenerator()
        return "da2-" + String((0..<26).map { _ in digits[Int.random(in: digits.indices, using: &random)] })
    }
}
