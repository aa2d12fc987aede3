import GraphQL

/// Gives a schema another layout: comments, tabs, line ends, commas, odd spaces, types on one line, unknown directives.
struct SchemaNoise {
    var random: SeededGenerator

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func applied(to text: String) -> String {
        let isTokens = chance(40)
        var result = isTokens ? respaced(text) : relined(text)
        let end = ["\n", "\n", "\r\n", "\r"].randomElement(using: &random) ?? "\n"
        if end != "\n" { result = result.replacing("\n", with: end) }
        if chance(10) { result = "\u{FEFF}" + result }
        if chance(20) {
            while let last = result.unicodeScalars.last, last == "\n" || last == "\r" {
                result.unicodeScalars.removeLast()
            }
        }
        return result
    }

    /// The lines as they are, with comments, commas and tabs.
    private mutating func relined(_ text: String) -> String {
        let usesTabs = chance(30)
        let usesCommas = chance(30)
        var lines: [String] = []
        var depth = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = String(line)
            let isMember = line.hasPrefix("  ") && line.contains(":") && !line.contains("#")
            depth += line.count { "([".contains($0) } - line.count { ")]".contains($0) }
            if usesTabs { line = line.replacing(/^(  )+/) { String(repeating: "\t", count: $0.output.0.count / 2) } }
            if isMember, depth == 0, !line.hasSuffix("{"), chance(15) { line += " @unknown(some: [1, {a: B}])" }
            if isMember, usesCommas, !line.hasSuffix("("), !line.hasSuffix("[") { line += "," }
            if chance(12), !line.isEmpty { line += " # é \"comment\" {" }
            if chance(8) { lines.append((usesTabs ? "\t" : "  ") + "# above") }
            if chance(4) { lines += ["", "# apart", ""] }
            if chance(4) { line += "  " }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }

    /// The tokens with any spaces between them.
    private mutating func respaced(_ text: String) -> String {
        let source = Source(text)
        guard let tokens = try? Parser.tokens(of: source) else { return text }
        let lineChance = Int.random(in: 0...60, using: &random)
        var result = ""
        for token in tokens {
            result += String(decoding: source.bytes[token.start..<token.end], as: UTF8.self)
            if chance(lineChance) {
                result += gap(["\n", "\n  ", " # a comment\n", "\n\n", ",\n\t", "\n# above\n", " ,# c\n\n# d\n"])
            } else {
                result += gap([" ", " ", "  ", ", ", "\t", ","])
            }
        }
        return result
    }

    private mutating func gap(_ gaps: [String]) -> String { gaps.randomElement(using: &random) ?? " " }
}
