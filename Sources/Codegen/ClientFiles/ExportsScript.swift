/// The JavaScript of an `aws-exports.js`: the object that is called `awsmobile`, and the text around it.
struct ExportsScript {
    /// What stands before the object.
    let head: String
    /// The object, with its braces.
    let object: String
    /// What stands after it.
    let tail: String

    /// Finds the object; nil where there is none.
    init?(_ text: String) {
        guard let match = text.firstMatch(of: /\bawsmobile\b[^={}]*=\s*(?=\{)/) else { return nil }
        let start = match.range.upperBound
        guard let end = Self.end(ofObjectAt: start, in: text) else { return nil }
        (head, object, tail) = (String(text[..<start]), String(text[start..<end]), String(text[end...]))
    }

    /// The index after the brace that closes the object. Braces in texts are not counted.
    private static func end(ofObjectAt start: String.Index, in text: String) -> String.Index? {
        var (depth, isInText, index) = (0, false, start)
        while index < text.endIndex {
            let character = text[index]
            index = text.index(after: index)
            switch character {
            case "\\" where isInText: if index < text.endIndex { index = text.index(after: index) }
            case "\"": isInText.toggle()
            case "{" where !isInText: depth += 1
            case "}" where !isInText:
                depth -= 1
                if depth == 0 { return index }
            default: break
            }
        }
        return nil
    }

    /// Whether the text around the object is that of a generated file, which nobody has written: comments, and the words that
    /// declare and export the object.
    var isGenerated: Bool {
        let start = head.unicodeScalars.first == "\u{FEFF}" ? String(head.unicodeScalars.dropFirst()) : head
        return Self.words(of: start) == "const awsmobile =" && Self.words(of: tail) == "; export default awsmobile;"
    }

    /// The text without comments, with one blank between words.
    private static func words(of text: String) -> String {
        text.replacing(/\/\*[\s\S]*?\*\/|\/\/[^\n\r]*/, with: " ").split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }
}
