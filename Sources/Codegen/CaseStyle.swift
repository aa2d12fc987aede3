/// How names are written in other cases, as the generator's library for it does: words begin at capitals and after
/// what is no letter or digit.
enum CaseStyle {
    /// `valueOne` of `VALUE_ONE`.
    static func camel(_ text: String) -> String { joined(words(of: text), firstIsLower: true) }

    /// `ValueOne` of `value_one`.
    static func pascal(_ text: String) -> String { joined(words(of: text), firstIsLower: false) }

    /// `VALUE_ONE` of `valueOne`.
    static func constant(_ text: String) -> String { words(of: text).joined(separator: "_").uppercased() }

    private static func joined(_ words: [String], firstIsLower: Bool) -> String {
        var text = ""
        for (index, word) in words.enumerated() {
            guard index > 0 || !firstIsLower else {
                text = word.lowercased()
                continue
            }
            // A digit after a digit would read as one number.
            if index > 0, word.first?.isNumber == true { text += "_" }
            text += word.prefix(1).uppercased() + word.dropFirst().lowercased()
        }
        return text
    }

    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var word = ""
        let letters = Array(text)
        for (index, letter) in letters.enumerated() {
            guard letter.isASCII, letter.isLetter || letter.isNumber else {
                words.append(word)
                word = ""
                continue
            }
            if letter.isUppercase, let last = word.last {
                let next = index + 1 < letters.count ? letters[index + 1] : " "
                // `valueOne` at the O; `HTMLPage` at the P.
                let begins = !last.isUppercase || next.isLowercase
                if begins {
                    words.append(word)
                    word = ""
                }
            }
            word.append(letter)
        }
        words.append(word)
        return words.filter { !$0.isEmpty }
    }
}
