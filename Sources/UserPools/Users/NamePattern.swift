/// The characters of user and group names: `[\p{L}\p{M}\p{S}\p{N}\p{P}]+` (Amazon Cognito API Reference, `UsernameType` and
/// `GroupNameType`). There are no spaces, no control characters and no characters without a glyph, such as those that change
/// the direction of text: names are shown in logs, on terminals and on pages.
enum NamePattern {
    static let text = "[\\p{L}\\p{M}\\p{S}\\p{N}\\p{P}]+"

    static func matches(_ name: String) -> Bool {
        !name.isEmpty && name.unicodeScalars.allSatisfy { isVisible($0.properties.generalCategory) }
    }

    private static func isVisible(_ category: Unicode.GeneralCategory) -> Bool {
        switch category {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .enclosingMark, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol,
            .decimalNumber, .letterNumber, .otherNumber, .connectorPunctuation, .dashPunctuation, .openPunctuation,
            .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation:
            true
        default: false
        }
    }

    /// Throws unless a name has only such characters.
    static func check(_ name: String, _ member: String) throws(CognitoError) {
        guard matches(name) else {
            throw .invalidParameter(
                "1 validation error detected: Value at '\(member)' failed to satisfy constraint: "
                    + "Member must satisfy regular expression pattern: \(text)")
        }
    }

    /// Whether a text has `::`. By bytes: a mark may combine with the second colon.
    static func hasSeparator(_ text: String) -> Bool {
        zip(text.utf8, text.utf8.dropFirst()).contains { $0 == UInt8(ascii: ":") && $1 == UInt8(ascii: ":") }
    }

    /// Whether a text has control characters, or format characters such as those that change the direction of text.
    static func hasHidden(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: true
            default: false
            }
        }
    }
}
