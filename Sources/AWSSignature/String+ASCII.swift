extension StringProtocol {
    /// The text with A to Z in lower case and everything else as it is.
    ///
    /// Header names are compared by bytes. Unicode's case mapping would also change other characters: it maps U+212A,
    /// the Kelvin sign, to "k".
    var asciiLowercased: String {
        String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Whether the bytes are the same but for the case of ASCII letters.
    func isEqual(ignoringASCIICase other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// Whether the bytes are the same. `==` also holds for different encodings of one character.
    func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Whether every character is a visible one of ASCII: no space and no control character.
    var isVisibleASCII: Bool { utf8.allSatisfy { 0x21...0x7E ~= $0 } }

    /// The text without spaces and tabs at its ends.
    var trimmingBlanks: String {
        let text = Substring(self).utf8.drop(while: \.isBlank)
        let end = text.lastIndex { !$0.isBlank }.map { text.index(after: $0) } ?? text.startIndex
        return String(Substring(text[..<end]))
    }
}
