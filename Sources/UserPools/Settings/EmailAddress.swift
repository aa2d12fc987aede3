/// What is taken for an address of mail: one `@`, something before it, a domain behind it, no space or control character.
enum EmailAddress {
    /// The longest address, in bytes (RFC 5321 §4.5.3.1.3, without the angle brackets).
    static let bytesMax = 254

    static func isValid(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty && text.utf8.count <= bytesMax
            && !parts[1].hasPrefix(".") && !parts[1].hasSuffix(".") && !parts[1].contains("..")
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && scalar.value != 0x7F && !"\",:;<>()[]\\".unicodeScalars.contains(scalar)
                    && !scalar.properties.isWhitespace
            }
    }
}
