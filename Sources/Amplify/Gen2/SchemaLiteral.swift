/// The schema in the text of `amplify/data/resource.ts`, where it is a template literal of GraphQL, as the generator of
/// Gen 2 projects out of Gen 1 writes it. The file is read as text and never executed.
enum SchemaLiteral {
    /// The text of the literal that is given as `schema` to `defineData`, or that a constant of that name has; nil for any
    /// other expression. `${…}` becomes `${env}`: in such a literal it is the name of the environment.
    static func schema(in text: String) -> String? {
        let code = codeAlone(of: text)
        var names = ["schema"]
        if let match = code.firstMatch(of: /\bschema\s*:\s*([A-Za-z_]\w*)/) { names.append(String(match.output.1)) }
        for name in names {
            for pattern in ["\\b\(name)\\s*:\\s*`", "\\b(?:const|let|var)\\s+\(name)\\s*=\\s*`"] {
                guard let regex = try? Regex(pattern) else { continue }
                for match in code.matches(of: regex) {
                    // Both texts have the same bytes at the same places but for what is masked.
                    let offset = code.utf8.distance(from: code.startIndex, to: match.range.upperBound)
                    let start = text.utf8.index(text.startIndex, offsetBy: offset)
                    if let found = literal(text[start...]), found.contains("@model") { return found }
                }
            }
        }
        return nil
    }

    /// The text with a blank for each byte of its comments, and of what is in quotes and backticks (ECMA-262, "Comments" and
    /// "String Literals"). A literal of a regular expression is not recognised: it is read like a
    /// division.
    private static func codeAlone(of text: String) -> String {
        var code = Array(text.utf8)
        var index = 0
        func isAt(_ first: UInt8, _ second: UInt8, _ index: Int) -> Bool {
            index + 1 < code.count && code[index] == first && code[index + 1] == second
        }
        func blank(upTo end: Int) {
            for masked in index..<end { code[masked] = UInt8(ascii: " ") }
            index = end
        }
        let (slash, star) = (UInt8(ascii: "/"), UInt8(ascii: "*"))
        while index < code.count {
            switch code[index] {
            case slash where isAt(slash, slash, index):
                blank(upTo: code[index...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? code.count)
            case slash where isAt(slash, star, index):
                var end = index + 2
                while end < code.count, !isAt(star, slash, end) { end += 1 }
                blank(upTo: min(end + 2, code.count))
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                let quote = code[index]
                index += 1
                var end = index
                while end < code.count, code[end] != quote { end += code[end] == UInt8(ascii: "\\") ? 2 : 1 }
                blank(upTo: min(end, code.count))
                index += 1
            default: index += 1
            }
        }
        return String(decoding: code, as: UTF8.self)
    }

    /// The text up to the closing backtick, with escapes read (ECMA-262, "Template Literal Lexical Components").
    private static func literal(_ text: Substring) -> String? {
        var (result, rest) = ("", text)
        while let character = rest.popFirst() {
            switch character {
            case "`": return result
            case "\\":
                guard let next = rest.popFirst() else { return nil }
                result.append(next == "n" ? "\n" : next == "t" ? "\t" : next)
            case "$" where rest.first == "{":
                guard let end = rest.firstIndex(of: "}") else { return nil }
                // An expression with braces or literals of its own is none that names an environment.
                guard !rest[..<end].dropFirst().contains(where: { "{`".contains($0) }) else { return nil }
                rest = rest[rest.index(after: end)...]
                result += "${env}"
            default: result.append(character)
            }
        }
        return nil
    }
}
