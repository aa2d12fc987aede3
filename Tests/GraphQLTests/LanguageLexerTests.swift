import Testing

@testable import GraphQL

@Suite("Lexer")
struct LanguageLexerTests {
    private static let names: [(kind: Token.Kind, name: String)] = [
        (.bang, "bang"), (.dollar, "dollar"), (.ampersand, "ampersand"), (.openParenthesis, "openParenthesis"),
        (.closeParenthesis, "closeParenthesis"), (.spread, "spread"), (.colon, "colon"), (.equals, "equals"),
        (.at, "at"), (.openBracket, "openBracket"), (.closeBracket, "closeBracket"), (.openBrace, "openBrace"),
        (.pipe, "pipe"), (.closeBrace, "closeBrace"), (.name, "name"), (.int, "int"), (.float, "float"),
        (.string, "string"), (.blockString, "blockString"),
    ]

    /// The tokens of a text as "kind:text".
    static func tokens(of text: String) throws -> [String] {
        let bytes = Array(text.utf8)
        var memory = PoolMemory()
        return try unsafe bytes.withUnsafeBytes { try unsafe self.tokens(of: $0, in: &memory) }
    }

    private static func tokens(of bytes: UnsafeRawBufferPointer, in memory: inout PoolMemory) throws -> [String] {
        var lexer = unsafe Lexer(bytes, tokens: memory.tokens, limits: .request)
        var tokens: [String] = []
        while lexer.token.kind != .endOfSource {
            if lexer.token.kind == .malformed { throw lexer.fault(.trailing) }
            let kind = names.first { $0.kind == lexer.token.kind }?.name ?? "?"
            tokens.append(
                unsafe "\(kind):" + String(decoding: bytes[lexer.token.start..<lexer.token.end], as: UTF8.self))
            lexer.advance()
        }
        return tokens
    }

    @Test("the lexer distinguishes every kind of token")
    func kinds() throws {
        let text = #"! $ & ( ) ... : = @ [ ] { | } _n4me -1 0 1.5 1e3 -0.1E-2 "s" """ b """"#
        #expect(
            try Self.tokens(of: text) == [
                "bang:!", "dollar:$", "ampersand:&", "openParenthesis:(", "closeParenthesis:)", "spread:...", "colon::",
                "equals:=", "at:@", "openBracket:[", "closeBracket:]", "openBrace:{", "pipe:|", "closeBrace:}",
                "name:_n4me", "int:-1", "int:0", "float:1.5", "float:1e3", "float:-0.1E-2", #"string:"s""#,
                #"blockString:""" b """"#,
            ])
    }

    @Test("space, line ends, commas, comments and byte order marks are skipped")
    func ignored() throws {
        #expect(
            try Self.tokens(of: "\u{FEFF}a,,\t b\r\nc # é😀, {\r,d\u{FEFF}#end") == [
                "name:a", "name:b", "name:c", "name:d",
            ])
    }

    @Test("tokens need no space between them")
    func adjacent() throws {
        #expect(
            try Self.tokens(of: "a1{b:1.5[c\"\"]}") == [
                "name:a1", "openBrace:{", "name:b", "colon::", "float:1.5", "openBracket:[", "name:c", "string:\"\"",
                "closeBracket:]", "closeBrace:}",
            ])
    }

    @Test("tokens are the same wherever in a block they stand")
    func blocks() throws {
        let part = ##"ab1{c:-12.5e1,d:"é}{"#x"## + "\n" + ##"...e """f"{"" g"""[$h_]} "##
        let tokens = [
            "name:ab1", "openBrace:{", "name:c", "colon::", "float:-12.5e1", "name:d", "colon::", #"string:"é}{""#,
            "spread:...", "name:e", #"blockString:"""f"{"" g""""#, "openBracket:[", "dollar:$", "name:h_",
            "closeBracket:]", "closeBrace:}",
        ]
        for place in 0..<130 {
            let spaces = String(repeating: " ", count: place)
            let name = String(repeating: "n", count: place + 1)
            #expect(try Self.tokens(of: spaces + part + part + spaces) == tokens + tokens, "\(place) spaces")
            #expect(try Self.tokens(of: name + " " + part + name) == ["name:" + name] + tokens + ["name:" + name])
        }
    }

    @Test(
        "strings are decoded",
        arguments: [
            (#""""#, ""), (#""a é😀""#, "a é😀"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u00e9\uD83D\uDE00\u{1F600}\u{00000041}\u{0}""#, "é😀😀A\u{0}"), ("\"tab\there\"", "tab\there"),
            (#""""""""#, ""), (#""""a""""#, "a"), ("\"\"\" a \"\"\"", " a "),
            (#""""\n \u0041 \ """"#, #"\n \u0041 \ "#),
            ("\"\"\"\n    a\n      b\n\n    c\n  \"\"\"", "a\n  b\n\nc"), ("\"\"\"a\n  b\n\tc\"\"\"", "a\n b\nc"),
            ("\"\"\"\r\n  a\r  b\r\n\"\"\"", "a\nb"), (#""""say \""" twice \""" """"#, #"say """ twice """ "#),
            ("\"\"\"\n\n  \n\t\"\"\"", ""), ("\"\"\"\n  \"in\" \"\"x\n\"\"\"", #""in" ""x"#),
        ])
    func strings(_ text: String, _ value: String) throws {
        let document = try Parser.parse(Source("{ f(a: \(text)) }"))
        guard case .string(let range) = document.arguments[0].value.kind else {
            Issue.record("not a string")
            return
        }
        #expect(document.string(range) == value)
    }

    @Test(
        "bytes that form no token are refused where they stand",
        arguments: [
            ("{ a ? }", 4), ("{ a . }", 4), ("{ a .. }", 4), ("{ 'a' }", 2), ("{ a(b: 01) }", 8), ("{ a(b: -) }", 8),
            ("{ a(b: 1.) }", 9), ("{ a(b: 1e) }", 9), ("{ a(b: 1.2.3) }", 10), ("{ a(b: 1x) }", 8),
            ("{ a(b: 1._) }", 9),
            ("{ a(b: 0x1) }", 8), ("{ a(b: \"x", 9), ("{ a(b: \"x\n\") }", 9), ("{ a(b: \"\\x\") }", 8),
            ("{ a(b: \"\\u12\") }", 12), ("{ a(b: \"\\u{}\") }", 11), ("{ a(b: \"\\u{110000}\") }", 18),
            ("{ a(b: \"\\u{D800}\") }", 16), ("{ a(b: \"\\uD800\") }", 14), ("{ a(b: \"\\uDE00\") }", 14),
            ("{ a(b: \"\\uD83D\\u0041\") }", 20), ("{ a(b: \"\\u{FFFFFFFFFFFFFFFF1}\") }", 29),
            ("{ a(b: \"\"\"x) }", 14),
            ("{ a(b: \"\"\"x\"\") }", 16), ("{ a \u{0} }", 4), ("{ a # \u{7}\n }", 6), ("{ é }", 2),
            ("{ a(b: \"\u{1}\") }", 8),
        ])
    func refuses(_ text: String, _ offset: Int) {
        let error = #expect(throws: SyntaxError.self) { try Parser.parse(Source(text)) }
        #expect(error?.kind == .malformedToken)
        #expect(error?.offset == offset, "\(error?.message ?? "")")
    }

    @Test(
        "bytes that are no UTF-8 are refused in strings, in comments and outside",
        arguments: ["{ a(b: \"?\") }", "{ a # ?\n }", "{ a ? }"])
    func refusesBytes(_ text: String) {
        let bytes = Array(text.utf8).map { $0 == UInt8(ascii: "?") ? 0xFF : $0 }
        let error = #expect(throws: SyntaxError.self) { try Parser.parse(Source(bytes)) }
        #expect(error?.kind == .malformedToken)
    }

    @Test("the number of tokens is bounded")
    func tokensMax() throws {
        let limits = ParserLimits(tokensMax: 4, depthMax: 10)
        _ = try Parser.parse(Source("{a}"), limits: limits)
        let error = #expect(throws: SyntaxError.self) { try Parser.parse(Source("{a b}"), limits: limits) }
        #expect(error?.kind == .limit && error?.message == "The text has more than 4 tokens.")
        #expect(throws: SyntaxError.self) { try Parser.parse(Source(String(repeating: "#\n", count: 100_000))) }
    }
}

@Suite("Source")
struct LanguageSourceTests {
    @Test("lines end with LF, CR LF or CR, and columns count UTF-16 code units")
    func locations() {
        let source = Source("ab\ncd\r\nef\rg\n\n\u{E9}\u{1F600}h")
        let expected: [(Character, Int, Int)] = [
            ("a", 1, 1), ("b", 1, 2), ("c", 2, 1), ("d", 2, 2), ("e", 3, 1), ("f", 3, 2), ("g", 4, 1), ("h", 6, 4),
        ]
        for (character, line, column) in expected {
            let offset = source.bytes.firstIndex(of: character.asciiValue ?? 0) ?? -1
            #expect(source.location(of: offset) == SourceLocation(line: line, column: column), "\(character)")
        }
        #expect(source.location(of: 10_000) == SourceLocation(line: 6, column: 5))
        #expect((1...7).map(source.line) == ["ab", "cd", "ef", "g", "", "\u{E9}\u{1F600}h", ""])
    }

    @Test("a cursor finds the places and lines that a source has, in any order of the offsets")
    func cursor() {
        for text in ["ab\ncd\r\nef\rg\n\n\u{E9}\u{1F600}h", "\u{FEFF}{ a }\r", "", "\n"] {
            let source = Source(text)
            let offsets = Array(0...source.bytes.count + 1)
            var cursor = SourceCursor(source)
            for offset in offsets + [3, 3] + offsets.reversed() + [0, 7, 2, 100] {
                let location = source.location(of: offset)
                #expect(cursor.location(of: offset) == location && cursor.line() == source.line(location.line))
            }
        }
    }

    @Test("a byte order mark has no width")
    func byteOrderMark() {
        let source = Source("\u{FEFF}{ a }")
        #expect(source.location(of: 3) == SourceLocation(line: 1, column: 1))
        #expect(source.line(1) == "{ a }")
    }

    @Test("an empty source has one empty line")
    func empty() {
        #expect(Source("").location(of: 0) == SourceLocation(line: 1, column: 1) && Source("").line(1) == "")
    }

    @Test("the tokens of a text have their ranges, and strings their characters")
    func sourceTokens() throws {
        let source = Source("# a\n\"x\\n\" type T @d(n: -1.5) {\r\n  \"\"\"\n  é\n  \"\"\" a: [B!],}")
        let tokens = try Parser.tokens(of: source)
        let texts = tokens.map { String(decoding: source.bytes[$0.start..<$0.end], as: UTF8.self) }
        #expect(
            texts == [
                "\"x\\n\"", "type", "T", "@", "d", "(", "n", ":", "-1.5", ")", "{", "\"\"\"\n  é\n  \"\"\"", "a", ":",
                "[",
                "B", "!", "]", "}",
            ])
        #expect(tokens.map(\.kind).prefix(4) == [.string, .name, .name, .punctuator(UInt8(ascii: "@"))])
        #expect(tokens.compactMap { $0.stringValue(in: source) } == ["x\n", "é"])
        #expect(throws: SyntaxError.self) { try Parser.tokens(of: Source("type \"")) }
    }
}
