extension StringProtocol {
    /// The number that decimal digits stand for; nil of anything else, also of a sign.
    var decimal: Int? { utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(self) : nil }

    /// The text with A to Z in lower case and everything else unchanged: header names are compared by bytes.
    var asciiLowercased: String {
        String(decoding: utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Whether the bytes equal those of a lower-case text, ignoring the case of ASCII letters.
    func isEqual(lowercased other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { (0x41...0x5A ~= $0 ? $0 | 0x20 : $0) == $1 }
    }

    /// Whether the bytes begin with those of a lower-case text, ignoring the case of ASCII letters.
    func hasBytePrefix(lowercased prefix: String) -> Bool {
        utf8.count >= prefix.utf8.count
            && zip(utf8, prefix.utf8).allSatisfy { (0x41...0x5A ~= $0 ? $0 | 0x20 : $0) == $1 }
    }

    /// Whether the bytes begin with those of another text. `hasPrefix` compares by canonical equivalence.
    func hasBytePrefix(_ prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the bytes end with those of another text. `hasSuffix` compares by canonical equivalence.
    func hasByteSuffix(_ suffix: some StringProtocol) -> Bool { utf8.reversed().starts(with: suffix.utf8.reversed()) }

    /// The text without spaces and tabs at its ends.
    var trimmingBlanks: String {
        let bytes = utf8.drop { $0 == 0x20 || $0 == 0x09 }
        let reversed = bytes.reversed().drop { $0 == 0x20 || $0 == 0x09 }
        return String(decoding: reversed.reversed(), as: UTF8.self)
    }
}
