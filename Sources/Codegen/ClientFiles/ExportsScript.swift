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
        guard let start = Self.start(ofObjectIn: text), let end = Self.end(ofObjectAt: start, in: text) else {
            return nil
        }
        (head, object, tail) = (String(text[..<start]), String(text[start..<end]), String(text[end...]))
    }

    /// The index of the brace that begins the object: one after `awsmobile` and a `=`, with no other `=` or brace between them. One
    /// pass, however often the name occurs.
    private static func start(ofObjectIn text: String) -> String.Index? {
        let scalars = text.unicodeScalars
        var (isNamed, word, index) = (false, "", scalars.startIndex)
        while index < scalars.endIndex {
            let scalar = scalars[index]
            scalars.formIndex(after: &index)
            if isPartOfWord(scalar) {
                // No longer than the name and one more.
                if word.utf8.count <= name.utf8.count { word.unicodeScalars.append(scalar) }
                continue
            }
            if word == name { isNamed = true }
            word = ""
            switch scalar {
            case "=":
                while index < scalars.endIndex, scalars[index].properties.isWhitespace {
                    scalars.formIndex(after: &index)
                }
                if isNamed, index < scalars.endIndex, scalars[index] == "{" { return index }
                isNamed = false
            case "{", "}": isNamed = false
            default: break
            }
        }
        return nil
    }

    private static let name = "awsmobile"

    /// Whether a character is one of a name, or of the path of a member.
    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "_" || scalar == "$"
            || scalar == "."
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
        withoutComments(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The text with a blank in the place of each comment. One pass, however many comments begin.
    private static func withoutComments(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        let lastEnd = scalars.indices.last { $0 > 0 && scalars[$0 - 1] == "*" && scalars[$0] == "/" } ?? 0
        var (rest, index) = (String.UnicodeScalarView(), 0)
        while index < scalars.count {
            let next = index + 1 < scalars.count ? scalars[index + 1] : " "
            switch (scalars[index], next) {
            // A comment that ends: its star is not that of its end.
            case ("/", "*") where index + 3 <= lastEnd:
                index += 3
                while !(scalars[index - 1] == "*" && scalars[index] == "/") { index += 1 }
                index += 1
                rest.append(" ")
            case ("/", "/"):
                while index < scalars.count, scalars[index] != "\n", scalars[index] != "\r" { index += 1 }
                rest.append(" ")
            default:
                rest.append(scalars[index])
                index += 1
            }
        }
        return String(rest)
    }
}
