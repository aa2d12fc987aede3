/// The schema in the text of `amplify/data/resource.ts`, where it is a template literal of GraphQL, as the generator of
/// Gen 2 projects out of Gen 1 writes it. The file is read as text and never executed.
enum SchemaLiteral {
    /// The text of the literal that is given as `schema` to `defineData`, or that a constant of that name has; nil for any
    /// other expression. `${…}` becomes `${env}`: in such a literal it is the name of the environment.
    static func schema(in text: String) -> String? {
        var names = ["schema"]
        if let match = text.firstMatch(of: /schema\s*:\s*([A-Za-z_]\w*)/) { names.append(String(match.output.1)) }
        for name in names {
            for pattern in [
                "\(name)\\s*:\\s*(?:/\\*[^*]*\\*/\\s*)?`",
                "(?:const|let|var)\\s+\(name)\\s*=\\s*(?:/\\*[^*]*\\*/\\s*)?`",
            ] {
                guard let regex = try? Regex(pattern), let start = text.firstMatch(of: regex)?.range.upperBound,
                    let found = literal(text[start...]), found.contains("@model")
                else { continue }
                return found
            }
        }
        return nil
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
