/// Text to documents (spec §2, §3): the entry point of this folder.
public enum Parser {
    /// Parses operations and fragments.
    ///
    /// Definitions of a schema are let through as `nonExecutableDefinitions`, for validation has the better words.
    public static func parse(_ source: Source, limits: ParserLimits = .request) throws(SyntaxError) -> Document {
        do {
            return try withLexer(source, limits) { lexer, memory throws(SyntaxFault) in
                var parser = ExecutableParser(lexer, source: source, in: &memory)
                return try parser.document()
            }
        } catch {
            throw error.error(in: source)
        }
    }

    /// Parses the definitions of a schema out of all sources, in order. Never gives up: a faulty definition is left
    /// out and reported, and reading goes on at the next line that begins with a definition's first word.
    ///
    /// Without places two documents are equal when they say the same.
    public static func parseTypeSystem(
        _ sources: [Source], limits: ParserLimits = .schema, keepingPlaces: Bool = true
    ) -> (document: TypeSystemDocument, errors: [SyntaxError]) {
        var document = TypeSystemDocument(sources: keepingPlaces ? sources : [])
        var errors: [SyntaxError] = []
        for (index, source) in sources.enumerated() {
            do {
                try withLexer(source, limits) { lexer, _ throws(SyntaxFault) in
                    var parser = TypeSystemParser(lexer, source: source, sourceIndex: keepingPlaces ? index : nil)
                    let result = parser.definitions()
                    document.definitions += result.definitions
                    errors += result.faults.map { $0.error(in: source) }
                }
            } catch {
                errors.append(error.error(in: source))
            }
        }
        return (document, errors)
    }

    /// The tokens of a text, in order. What lies between them is ignored: white space, line ends, commas and comments.
    public static func tokens(
        of source: Source, limits: ParserLimits = .schema
    ) throws(SyntaxError) -> [SourceToken] {
        do {
            return try withLexer(source, limits) { lexer, _ throws(SyntaxFault) in
                var lexer = lexer
                var tokens: [SourceToken] = []
                while lexer.token.kind != .endOfSource {
                    guard lexer.token.kind != .malformed else { throw lexer.fault(.trailing) }
                    tokens.append(SourceToken(lexer.token))
                    lexer.advance()
                }
                return tokens
            }
        } catch {
            throw error.error(in: source)
        }
    }

    // The lexer lives inside the closure that borrows the source, and beside the memory of its tokens.
    private static func withLexer<Result>(
        _ source: Source, _ limits: ParserLimits, _ body: (Lexer, inout PoolMemory) throws(SyntaxFault) -> Result
    ) throws(SyntaxFault) -> Result {
        precondition(source.bytes.count < UInt32.max, "A request body and a schema are bounded far below 4 GiB.")
        return try unsafe source.bytes.withUnsafeBufferPointer { (bytes) throws(SyntaxFault) -> Result in
            var memory = PoolMemory()
            return try unsafe body(Lexer(UnsafeRawBufferPointer(bytes), tokens: memory.tokens, limits: limits), &memory)
        }
    }
}

extension SyntaxFault {
    /// The fault with its words.
    func error(in source: Source) -> SyntaxError {
        switch reason {
        case .expected(let expectation):
            SyntaxError(
                "Expected \(expectation), found \(found(in: source)).",
                hint: OpenBrackets.hint(for: token, in: source), kind: .unexpectedToken, source: source,
                offset: token.start)
        case .trailing:
            SyntaxError(
                "Expected a definition or the end of the text, found \(found(in: source)).",
                hint: "Is there a brace too many before?", kind: .trailingTokens, source: source, offset: token.start)
        case .malformed(let message, let hint):
            SyntaxError(
                message.description, hint: hint?.description, kind: .malformedToken, source: source,
                offset: token.start)
        case .tooManyTokens(let limit):
            SyntaxError(
                "The text has more than \(limit) tokens.", kind: .limit, source: source, offset: token.start)
        case .tooDeep(let limit):
            SyntaxError(
                "The text is nested deeper than \(limit) levels.", kind: .limit, source: source, offset: token.start)
        }
    }

    private func found(in source: Source) -> String {
        let textBytesMax = 40
        let isLong = token.end - token.start > textBytesMax
        let bytes = source.bytes[token.start..<min(token.end, token.start + textBytesMax)]
        let text = String(decoding: bytes, as: UTF8.self) + (isLong ? "…" : "")
        return switch token.kind {
        case .endOfSource: "the end of the text"
        case .name: "the name \"\(text)\""
        case .int, .float: "the number \(text)"
        case .string, .blockString: "the string \(text)"
        default: "\"\(text)\""
        }
    }
}
