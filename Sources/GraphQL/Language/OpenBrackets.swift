/// The brackets that are open at a place of a source. Found only when an error needs it, so that parsing counts nothing.
struct OpenBrackets {
    /// Where a bracket that was not closed was opened, as a hint at the token where that is noticed: the end of the text,
    /// another kind of closing bracket, or the first word of a line that begins a definition.
    static func hint(for token: Token, in source: Source) -> String? {
        guard let innermost = innermost(before: token, in: source) else { return nil }
        switch token.kind {
        case .endOfSource: break
        case .closeBrace, .closeBracket, .closeParenthesis:
            guard closing(of: innermost.kind) != token.kind else { return nil }
        default: guard isInLineOfDefinition(token, after: innermost, in: source) else { return nil }
        }
        let place = source.location(of: innermost.start)
        let bracket = Character(Unicode.Scalar(innermost.kind.byte))
        return "The \"\(bracket)\" opened at \(place.line):\(place.column) is not closed."
    }

    // The lexer lives inside the closure that borrows the source, and beside the memory of its tokens.
    private static func innermost(before token: Token, in source: Source) -> Token? {
        unsafe source.bytes.withUnsafeBytes { bytes in
            let memory = PoolMemory()
            var lexer = unsafe Lexer(bytes, tokens: memory.tokens, limits: .schema)
            var open: [Token] = []
            while lexer.token.start < token.start, lexer.token.kind != .endOfSource, lexer.token.kind != .malformed {
                switch lexer.token.kind {
                case .openBrace, .openBracket, .openParenthesis: open.append(lexer.token)
                case .closeBrace, .closeBracket, .closeParenthesis:
                    // One of another kind closes nothing.
                    if let last = open.last, closing(of: last.kind) == lexer.token.kind { open.removeLast() }
                default: break
                }
                lexer.advance()
            }
            return open.last
        }
    }

    private static func closing(of opening: Token.Kind) -> Token.Kind {
        switch opening {
        case .openBrace: .closeBrace
        case .openBracket: .closeBracket
        default: .closeParenthesis
        }
    }

    /// Whether the token stands in a line that begins, without a blank before, like a definition, below the bracket.
    private static func isInLineOfDefinition(_ token: Token, after bracket: Token, in source: Source) -> Bool {
        let number = source.location(of: token.start).line
        guard number > source.location(of: bracket.start).line else { return false }
        let word = source.line(number).prefix { $0.isLetter }
        return definitionWords.contains(String(word))
    }

    private static let definitionWords: Set<String> = [
        "type", "interface", "union", "enum", "input", "scalar", "directive", "schema", "extend", "query", "mutation",
        "subscription", "fragment",
    ]
}
