import JSON
import Testing

@Suite("JSONReader")
struct JSONReaderTests {
    @Test(
        "what RFC 8259 calls a JSON text is read",
        arguments: [
            ("null", nil), ("true", true), (" false\t\r\n", false), ("0", 0), ("\"\"", ""), ("[]", []), ("{}", [:]),
            ("[1,\"a\",[null],{\"b\":true}]", [1, "a", [nil], ["b": true]]),
            (" { \"a\" : [ 1 , 2 ] , \"b\" : { } } ", ["a": [1, 2], "b": [:]]),
            ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{C}\n\r\t"),
            ("\"\\u00e9\\uD83D\\uDE00\\u0000x\"", "é😀\u{0}x"),
            ("\"é😀\u{7F}\u{FEFF}\u{FFFF}\"", "é😀\u{7F}\u{FEFF}\u{FFFF}"),
            (
                "\"a string longer than eight bytes, then é and \\n escapes\"",
                "a string longer than eight bytes, then é and \n escapes"
            ),
            ("{\"\\u0061\":1,\"a\":2}", ["a": 2]),
        ] as [(String, JSONValue)])
    func accepts(_ text: String, _ value: JSONValue) throws {
        #expect(try JSONReader.read(text) == value)
    }

    @Test(
        "a number keeps its text",
        arguments: ["0", "-0", "12", "-1.50", "1e5", "1E+05", "0.1e-7", "123456789012345678901234567890", "1e400"])
    func keepsNumbers(_ text: String) throws {
        #expect(try JSONReader.read(text) == .number(text))
    }

    @Test(
        "what RFC 8259 does not allow is refused, at the byte where it goes wrong",
        arguments: [
            ("", 0), (" ", 1), ("nul", 0), ("nulL", 0), ("True", 0), ("NaN", 0), ("Infinity", 0), ("-Infinity", 1),
            ("+1", 0), (".5", 0), ("5.", 2), ("1.e1", 2), ("-", 1), ("1e", 2), ("1e+", 3), ("01", 1), ("-01", 2),
            ("0x1", 1), ("1 2", 2), ("1,", 1), ("[", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3),
            ("[1,,2]", 3), ("]", 0), ("[1}", 2), ("{", 1), ("{\"a\"}", 4), ("{\"a\":}", 5), ("{\"a\":1,}", 7),
            ("{a:1}", 1), ("{'a':1}", 1), ("{\"a\":1 \"b\":2}", 7), ("{\"a\" 1}", 5), ("{1:1}", 1), ("{\"a\":1]", 6),
            ("\"", 1), ("\"abc", 4), ("\"\\", 1), ("\"\\x\"", 1), ("\"\\u12\"", 1), ("\"\\u12G4\"", 1),
            ("\"\\uD800\"", 1), ("\"\\uDC00\"", 1), ("\"\\uD800\\u0041\"", 1), ("\"\\uD800\\n\"", 1),
            ("\"a\nb\"", 2), ("\"a\tb\"", 2), ("\"\u{0}\"", 1), ("\"\u{1F}\"", 1), ("// c\n1", 0), ("/**/1", 0),
            ("\u{FEFF}1", 0), ("\u{A0}1", 0), ("1\u{0}", 1), ("[1]]", 3), ("{}{}", 2), ("tru\u{65}e", 4),
        ])
    func refuses(_ text: String, _ offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONReader.read(text) }
        #expect(error?.offset == offset, "\(error?.message ?? "")")
    }

    @Test(
        "bytes that are no UTF-8 are refused inside strings and outside",
        arguments: [
            [0x22, 0x80, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xE0, 0x80, 0x80, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
            [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], [0x22, 0xFF, 0x22], [0x22, 0xE2, 0x82],
            [0x22, 0xF0, 0x9F, 0x98, 0x41, 0x22],
            [0xFF], [0x31, 0x00], [0xEF, 0xBB, 0xBF, 0x31],
        ] as [[UInt8]])
    func refusesBytes(_ bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONReader.read(bytes) }
    }

    @Test("the last of two members with one name wins, at the position of the first")
    func duplicates() throws {
        let value = try JSONReader.read("{\"a\":1,\"b\":2,\"a\":3}")
        #expect(value.description == "{\"a\":3,\"b\":2}")
    }

    @Test("nesting is bounded, and by whatever bound is asked for")
    func depth() throws {
        let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        _ = try JSONReader.read(nested(64))
        #expect(throws: JSONError("The text is nested deeper than 64 levels.", offset: 64)) {
            try JSONReader.read(nested(65))
        }
        #expect(throws: JSONError.self) { try JSONReader.read(String(repeating: "{\"a\":", count: 100_000)) }
        _ = try JSONReader.read(nested(3), depthMax: 3)
        #expect(throws: JSONError.self) { try JSONReader.read(nested(4), depthMax: 3) }
    }

    @Test("a large object is read in linear time and keeps its order")
    func largeObject() throws {
        let members = (0..<20_000).map { "\"key\($0 % 15_000)\":\($0)" }.joined(separator: ",")
        let object = try #require(try JSONReader.read("{" + members + "}").objectValue)
        #expect(object.count == 15_000)
        #expect(object["key3"] == 15_003 && object["key14999"] == 14_999)
        #expect(object.keys.prefix(2) == ["key0", "key1"])
    }

    @Test(
        "a relaxed text may have comments and a comma after the last element",
        arguments: [
            ("// first\n{ /* name */ \"a\": 1, // one\n}", ["a": 1]), ("[1, 2, /**/ ]", [1, 2]),
            ("/* * / */ null // end", nil), ("[ // empty\n]", []),
        ] as [(String, JSONValue)])
    func relaxed(_ text: String, _ value: JSONValue) throws {
        #expect(try JSONReader.readRelaxed(text) == value)
        #expect(throws: JSONError.self) { try JSONReader.read(text) }
    }

    @Test(
        "a relaxed text is not lenient otherwise",
        arguments: ["[1,,]", "[,]", "{,}", "/* open", "/ 1", "{a: 1}", "[1 2]", "#\n1"])
    func relaxedRefuses(_ text: String) {
        #expect(throws: JSONError.self) { try JSONReader.readRelaxed(text) }
    }

    @Test("an error says what was expected and what was found")
    func messages() {
        #expect(throws: JSONError("Expected \",\" or \"}\", found \"]\".", offset: 6)) {
            try JSONReader.read("{\"a\":1]")
        }
        #expect(throws: JSONError("Expected a value, found the end of the text.", offset: 0)) {
            try JSONReader.read("")
        }
        #expect(throws: JSONError("Expected a value, found the byte 0x1.", offset: 0)) { try JSONReader.read("\u{1}") }
    }
}

@Suite("JSONScanner")
struct JSONScannerTests {
    private func scan<Result>(_ text: String, _ body: (inout JSONScanner) throws -> Result) throws -> Result {
        try unsafe Array(text.utf8).withUnsafeBytes {
            var scanner = unsafe JSONScanner($0)
            return try body(&scanner)
        }
    }

    @Test("a name that is a word in escapes is that word, and a longer one is none")
    func escapedNames() throws {
        let escape = #"\u0061"#
        for count in 1...5 {
            let text = "{\"\(String(repeating: escape, count: count))\": 1}"
            let isWord = try scan(text) { scanner in
                try scanner.beginObject()
                return try scanner.nextKey().map { scanner.isEqual($0, "aaa") }
            }
            #expect(isWord == (count == 3))
        }
    }

    @Test("members are read one after the other, and those that are not needed are skipped")
    func members() throws {
        let text = #" {"skip": [1, {"x": "]"}], "qu\u0065ry": "{ a\n }", "more": {}, "last": -1.5e3 } "#
        let found = try scan(text) { scanner in
            var found: [String] = []
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if scanner.isEqual(key, "query") {
                    found.append(scanner.string(try scanner.readString()))
                } else if scanner.isEqual(key, "last") {
                    found.append(scanner.text(try scanner.readNumber()))
                } else {
                    found.append(scanner.text(try scanner.skipValue()))
                }
            }
            try scanner.finish()
            return found
        }
        #expect(found == [#"[1, {"x": "]"}]"#, "{ a\n }", "{}", "-1.5e3"])
    }

    @Test(
        "what is skipped is checked as strictly as what is read",
        arguments: ["[1,]", "{\"a\":tru}", "\"\\uD800\"", "01", "[\"\n\"]"])
    func skipping(_ text: String) {
        #expect(throws: JSONError.self) {
            try scan(text) {
                try $0.skipValue(); try $0.finish()
            }
        }
    }

    @Test("the kind of the next value is known without reading it")
    func kinds() throws {
        let kinds = try scan("[{}, [], \"\", -1, 0, true, false, null]") { scanner in
            var kinds: [JSONKind] = []
            try scanner.beginArray()
            while try scanner.nextElement() {
                kinds.append(try scanner.peekKind())
                try scanner.skipValue()
            }
            return kinds
        }
        #expect(kinds == [.object, .array, .string, .number, .number, .bool, .bool, .null])
    }

    @Test("a string is decoded into a buffer that is used again")
    func buffer() throws {
        var buffer = Array("x".utf8)
        try scan(#""a\u00e9\ud83d\ude00\/b""#) { $0.append(try $0.readString(), to: &buffer) }
        #expect(String(decoding: buffer, as: UTF8.self) == "xaé😀/b")
    }

    @Test("asking for another kind than there is is an error, not a crash")
    func wrongKind() {
        #expect(throws: JSONError.self) { try scan("1") { try $0.beginObject() } }
        #expect(throws: JSONError.self) { try scan("{}") { try $0.beginArray() } }
        #expect(throws: JSONError.self) { try scan("nope") { try $0.readNull() } }
        #expect(throws: JSONError.self) { try scan("nope") { try $0.readBool() } }
        #expect(throws: JSONError.self) { try scan("") { try $0.readString() } }
    }

    @Test("members are removed in time in proportion to their number", .timeLimit(.minutes(1)))
    func removedMembers() {
        var object = JSONObject((0..<50_000).map { ("k\($0)", JSONValue.number("\($0)")) })
        object.removeMembers(named: Set((1..<50_000).map { ExactText("k\($0)") } + ["none"]))
        #expect(object == ["k0": 0])
        object["k1"] = 1
        #expect(object.keys == ["k0", "k1"])
    }
}
