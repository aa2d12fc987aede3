import JSON

/// What a password must have (reference: auth, "Objects").
package struct PasswordPolicy: Sendable, Hashable {
    package var minimumLength: Int64 = 8
    package var requireUppercase = true
    package var requireLowercase = true
    package var requireNumbers = true
    package var requireSymbols = true
    /// How long a temporary password can be used.
    var temporaryValidityDays: Int64 = 7

    init() {}

    init(_ reader: SettingsReader, isConfiguration: Bool) {
        minimumLength = reader.integer("MinimumLength", in: 6...99) ?? 8
        requireUppercase = reader.bool("RequireUppercase") ?? false
        requireLowercase = reader.bool("RequireLowercase") ?? false
        requireNumbers = reader.bool("RequireNumbers") ?? false
        requireSymbols = reader.bool("RequireSymbols") ?? false
        temporaryValidityDays = reader.integer("TemporaryPasswordValidityDays", in: 0...365) ?? 7
        if isConfiguration {
            // `DescribeUserPool` shows it, and no password is remembered here.
            _ = reader.value("PasswordHistorySize")
            reader.finish()
        }
    }

    var json: JSONObject {
        [
            "MinimumLength": .number(String(minimumLength)), "RequireUppercase": .bool(requireUppercase),
            "RequireLowercase": .bool(requireLowercase), "RequireNumbers": .bool(requireNumbers),
            "RequireSymbols": .bool(requireSymbols),
            "TemporaryPasswordValidityDays": .number(String(temporaryValidityDays)),
        ]
    }

    /// Refuses a password that does not conform.
    ///
    /// - Parameter member: The member of the operation that has the password, as messages name it.
    func check(_ password: String, member: String = "password") throws(CognitoError) {
        guard password.utf8.count <= Self.bytesMax else {
            throw .invalidParameter(
                "1 validation error detected: Value at '\(member)' failed to satisfy constraint: "
                    + "Member must have length less than or equal to 256")
        }
        guard let first = password.unicodeScalars.first, let last = password.unicodeScalars.last,
            password.unicodeScalars.count > 1, !first.properties.isWhitespace, !last.properties.isWhitespace
        else {
            throw .invalidParameter(
                "1 validation error detected: Value at '\(member)' failed to satisfy constraint: "
                    + "Member must satisfy regular expression pattern: [\\S]+.*[\\S]+")
        }
        if let rule = firstFailed(password) {
            throw .invalidPassword("Password did not conform with policy: \(rule)")
        }
    }

    /// The longest password, in bytes.
    static let bytesMax = 256

    private func firstFailed(_ password: String) -> String? {
        let scalars = password.unicodeScalars
        if password.count < Int(minimumLength) { return "Password not long enough" }
        if requireLowercase, !scalars.contains(where: { ("a"..."z").contains($0) }) {
            return "Password must have lowercase characters"
        }
        if requireUppercase, !scalars.contains(where: { ("A"..."Z").contains($0) }) {
            return "Password must have uppercase characters"
        }
        if requireNumbers, !scalars.contains(where: { ("0"..."9").contains($0) }) {
            return "Password must have numeric characters"
        }
        if requireSymbols, !scalars.contains(where: { Self.symbols.contains($0) }) {
            return "Password must have symbol characters"
        }
        return nil
    }

    private static let symbols = Set("^$*.[]{}()?-\"!@#%&/\\,><':;|_~`+= ".unicodeScalars)

    /// The rules as sentences, for the hosted pages.
    var sentences: [String] {
        var rules = ["At least \(minimumLength) characters"]
        if requireLowercase { rules.append("A lower-case letter") }
        if requireUppercase { rules.append("An upper-case letter") }
        if requireNumbers { rules.append("A number") }
        if requireSymbols { rules.append("A symbol, such as ! or ?") }
        return rules
    }

    /// A password that conforms, for users who are given one.
    func makePassword(_ randomness: Randomness) -> String {
        let classes = ["abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "!@#%&*?-+="]
        let every = Array(classes.joined().utf8)
        var characters = classes.map { Array(randomness.text(1, of: Array($0.utf8)).utf8)[0] }
        characters += Array(randomness.text(max(12, Int(minimumLength)) - 4, of: every).utf8)
        // A symbol or digit first would do as well; the order is mixed so that nothing can be said of any place.
        let order = randomness.bytes(characters.count)
        let mixed = zip(order, characters).enumerated().sorted {
            ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
        }.map(\.element.1)
        return String(decoding: mixed, as: UTF8.self)
    }
}
