import JSON

/// A token (spec §2.1.6): its kind and its range in the source.
struct Token {
    /// A punctuator's number is its byte, so that no table is needed to find it.
    struct Kind: Equatable {
        let byte: UInt8

        static var endOfSource: Kind { Kind(byte: 0) }
        static var name: Kind { Kind(byte: 1) }
        static var int: Kind { Kind(byte: 2) }
        static var float: Kind { Kind(byte: 3) }
        static var string: Kind { Kind(byte: 4) }
        static var blockString: Kind { Kind(byte: 5) }
        static var bang: Kind { Kind(byte: UInt8(ascii: "!")) }
        static var dollar: Kind { Kind(byte: UInt8(ascii: "$")) }
        static var ampersand: Kind { Kind(byte: UInt8(ascii: "&")) }
        static var openParenthesis: Kind { Kind(byte: UInt8(ascii: "(")) }
        static var closeParenthesis: Kind { Kind(byte: UInt8(ascii: ")")) }
        static var spread: Kind { Kind(byte: UInt8(ascii: ".")) }
        static var colon: Kind { Kind(byte: UInt8(ascii: ":")) }
        static var equals: Kind { Kind(byte: UInt8(ascii: "=")) }
        static var at: Kind { Kind(byte: UInt8(ascii: "@")) }
        static var openBracket: Kind { Kind(byte: UInt8(ascii: "[")) }
        static var closeBracket: Kind { Kind(byte: UInt8(ascii: "]")) }
        static var openBrace: Kind { Kind(byte: UInt8(ascii: "{")) }
        static var pipe: Kind { Kind(byte: UInt8(ascii: "|")) }
        static var closeBrace: Kind { Kind(byte: UInt8(ascii: "}")) }
    }

    var kind: Kind
    var start: Int
    var end: Int
    /// Whether a string's backslashes need decoding.
    var hasEscapes = false

    var name: Name { Name(start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: end &- start)) }

    var string: StringRange {
        let quotes = kind == .blockString ? 3 : 1
        return StringRange(
            start: UInt32(truncatingIfNeeded: start + quotes),
            count: UInt32(truncatingIfNeeded: end - start - 2 * quotes),
            isBlock: kind == .blockString, hasEscapes: hasEscapes)
    }
}

/// What a lexer or parser throws: small, without text of its own; `SyntaxError` is made of it once, at the face.
struct SyntaxFault: Error {
    enum Reason {
        /// The grammar wants this here.
        case expected(StaticString)
        /// The same after a whole document.
        case trailing
        /// The bytes form no token.
        case malformed(StaticString, hint: StaticString?)
        case tooManyTokens(Int)
        case tooDeep(Int)
    }

    var reason: Reason
    var token: Token
}

/// UTF-8 bytes to tokens, one at a time: `token` is the one the parser looks at.
///
/// The bytes are lent for the length of a parse, and each is read behind a comparison with `end`, or lies in a token
/// that was. Sources are at most 4 GiB long, since documents point into them with 32 bits; `Parser` sees to that.
struct Lexer {
    private let bytes: UnsafeRawBufferPointer
    private let base: UnsafeRawPointer
    private let end: Int
    private let limits: ParserLimits
    private var position = 0
    private var tokenCount = 0
    private(set) var token = Token(kind: .endOfSource, start: 0, end: 0)

    /// A lexer that looks at the first token.
    init(_ bytes: UnsafeRawBufferPointer, base: UnsafeRawPointer, limits: ParserLimits) throws(SyntaxFault) {
        self.bytes = bytes
        self.base = base
        self.limits = limits
        end = bytes.count
        try advance()
    }

    var depthMax: Int { limits.depthMax }

    @inline(__always) private func byte(_ position: Int) -> UInt8 {
        base.load(fromByteOffset: position, as: UInt8.self)
    }

    /// The byte there, or zero, which is no source character, behind the end.
    @inline(__always) private func byteOrZero(_ position: Int) -> UInt8 {
        position < end ? byte(position) : 0
    }

    /// Whether the token is this word.
    @inline(__always) func isKeyword(_ word: StaticString) -> Bool {
        token.kind == .name && isTokenText(word)
    }

    /// Whether the token is written like this.
    @inline(__always) func isTokenText(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard token.end &- token.start == count else { return false }
        for offset in 0..<count where byte(token.start &+ offset) != text.utf8Start[offset] { return false }
        return true
    }

    /// Looks at the next token.
    mutating func advance() throws(SyntaxFault) {
        tokenCount &+= 1
        guard tokenCount <= limits.tokensMax else { throw tooManyTokens }
        try takeToken()
    }

    @inline(__always) private mutating func takeToken() throws(SyntaxFault) {
        position = endOfSpace(from: position)
        guard position < end else { return token = Token(kind: .endOfSource, start: end, end: end) }
        let first = byte(position)
        if isNameStart(first) {
            let start = position
            position = endOfName(from: start &+ 1)
            token = Token(kind: .name, start: start, end: position)
        } else if isPunctuator(first) {
            take(Token.Kind(byte: first))
        } else {
            try takeOtherToken(first)
        }
    }

    @inline(never) private mutating func takeOtherToken(_ first: UInt8) throws(SyntaxFault) {
        switch first {
        case UInt8(ascii: "\""): try takeString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try takeNumber()
        case UInt8(ascii: "."):
            guard byteOrZero(position + 1) == first, byteOrZero(position + 2) == first else {
                throw malformed("A point stands alone.", hint: "Spreads have three points; numbers begin with a digit.")
            }
            take(.spread, length: 3)
        case UInt8(ascii: "'"):
            throw malformed("A single quote begins nothing.", hint: "Strings stand in double quotes.")
        default:
            let start = position
            try skipIgnored()
            guard position > start else { throw malformed("This character begins no token.", hint: nil) }
            try takeToken()
        }
    }

    @inline(__always) private mutating func take(_ kind: Token.Kind, length: Int = 1) {
        token = Token(kind: kind, start: position, end: position &+ length)
        position &+= length
    }

    /// Where the name ends that goes on there.
    @inline(__always) private func endOfName(from start: Int) -> Int {
        var next = start
        while next &+ 8 <= end {
            let count = EightBytes(base, at: next).nameCount
            next &+= count
            if count < 8 { return next }
        }
        while next < end && isNameContinue(byte(next)) { next &+= 1 }
        return next
    }

    /// Behind the spaces, line feeds and commas that stand there: none or one behind most tokens, which is guessed well,
    /// and an indentation behind others, which is not.
    @inline(__always) private func endOfSpace(from start: Int) -> Int {
        var next = start
        guard next < end, isSpace(byte(next)) else { return next }
        next &+= 1
        guard next < end, isSpace(byte(next)) else { return next }
        next &+= 1
        while next &+ 8 <= end {
            let count = EightBytes(base, at: next).ignoredCount
            next &+= count
            if count < 8 { return next }
        }
        while next < end && isSpace(byte(next)) { next &+= 1 }
        return next
    }

    /// Skips what is ignored (spec §2.1.7): white space, line ends, commas, comments and byte order marks.
    private mutating func skipIgnored() throws(SyntaxFault) {
        while position < end {
            switch byte(position) {
            case UInt8(ascii: "\r"), UInt8(ascii: "\t"): position &+= 1
            case let byte where isSpace(byte): position &+= 1
            case UInt8(ascii: "#"): try skipComment()
            case 0xEF where byteOrZero(position + 1) == 0xBB && byteOrZero(position + 2) == 0xBF: position &+= 3
            default: return
            }
        }
    }

    /// Skips to the line's end (spec §2.1.4). Also comments hold source characters only.
    private mutating func skipComment() throws(SyntaxFault) {
        while position < end {
            switch byte(position) {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return
            case UInt8(ascii: "\t"), 0x20..<0x80: position += 1
            default: try skipCharacterBeyondASCII()
            }
        }
    }

    private mutating func skipCharacterBeyondASCII() throws(SyntaxFault) {
        guard byte(position) >= 0x80 else {
            throw malformed("A control character stands in the text.", hint: nil)
        }
        guard let length = UTF8Sequence.length(at: position, in: bytes) else {
            throw malformed("The text is not UTF-8 here.", hint: nil)
        }
        position += length
    }
}

// MARK: - Numbers (spec §2.9.1, §2.9.2)

extension Lexer {
    private mutating func takeNumber() throws(SyntaxFault) {
        let start = position
        var kind = Token.Kind.int
        if byte(position) == UInt8(ascii: "-") { position += 1 }
        if byteOrZero(position) == UInt8(ascii: "0") {
            position += 1
            if isDigit(byteOrZero(position)) {
                throw malformed("A number begins with a zero.", hint: "Write it without leading zeros.")
            }
        } else {
            try takeDigits()
        }
        if byteOrZero(position) == UInt8(ascii: ".") {
            kind = .float
            position += 1
            try takeDigits()
        }
        if byteOrZero(position) | 0x20 == UInt8(ascii: "e") {
            kind = .float
            position += 1
            if byteOrZero(position) == UInt8(ascii: "+") || byteOrZero(position) == UInt8(ascii: "-") { position += 1 }
            try takeDigits()
        }
        // "A Name or a point must not follow" (spec §2.9.1, lookahead).
        if isNameStart(byteOrZero(position)) || byteOrZero(position) == UInt8(ascii: ".") {
            throw malformed("A number runs into what follows it.", hint: "Put a space between them.")
        }
        token = Token(kind: kind, start: start, end: position)
    }

    private mutating func takeDigits() throws(SyntaxFault) {
        guard isDigit(byteOrZero(position)) else { throw malformed("A number lacks a digit here.", hint: nil) }
        while isDigit(byteOrZero(position)) { position += 1 }
    }
}

// MARK: - Strings (spec §2.9.4)

extension Lexer {
    private static var quote: UInt8 { UInt8(ascii: "\"") }
    private static var backslash: UInt8 { UInt8(ascii: "\\") }

    private func isTripleQuote(_ position: Int) -> Bool {
        byteOrZero(position) == Self.quote && byteOrZero(position + 1) == Self.quote
            && byteOrZero(position + 2) == Self.quote
    }

    private mutating func takeString() throws(SyntaxFault) {
        if isTripleQuote(position) { return try takeBlockString() }
        let start = position
        var hasEscapes = false
        position += 1
        while position < end {
            switch byte(position) {
            case Self.quote:
                position += 1
                token = Token(kind: .string, start: start, end: position, hasEscapes: hasEscapes)
                return
            case Self.backslash:
                hasEscapes = true
                try skipEscape()
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                throw malformed(
                    "A string does not end on its line.", hint: "Close it, or use three quotes for several lines.")
            case UInt8(ascii: "\t"), 0x20..<0x80: position += 1
            default: try skipCharacterBeyondASCII()
            }
        }
        throw malformed("A string does not end.", hint: "Close it with a double quote.")
    }

    private mutating func takeBlockString() throws(SyntaxFault) {
        let start = position
        var hasEscapes = false
        position += 3
        while position < end {
            switch byte(position) {
            case Self.quote where isTripleQuote(position):
                position += 3
                token = Token(kind: .blockString, start: start, end: position, hasEscapes: hasEscapes)
                return
            case Self.backslash where isTripleQuote(position + 1):
                hasEscapes = true
                position += 4
            case UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x20..<0x80: position += 1
            default: try skipCharacterBeyondASCII()
            }
        }
        throw malformed("A block string does not end.", hint: "Close it with three double quotes.")
    }

    private mutating func skipEscape() throws(SyntaxFault) {
        switch byteOrZero(position + 1) {
        case Self.quote, Self.backslash, UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            position += 2
            let value = try takeEscapedScalar()
            switch value {
            case 0xD800...0xDBFF
            where byteOrZero(position) == Self.backslash && byteOrZero(position + 1) == UInt8(ascii: "u"):
                position += 2
                guard case 0xDC00...0xDFFF = try takeFourDigits() else { throw unpairedSurrogate }
            case 0xD800...0xDFFF: throw unpairedSurrogate
            case 0x110000...: throw malformed("An escape is beyond U+10FFFF.", hint: nil)
            default: break
            }
        default:
            throw malformed("A backslash is followed by no known escape.", hint: "Write a backslash itself as \\\\.")
        }
    }

    private var unpairedSurrogate: SyntaxFault {
        malformed("An escape is half of a surrogate pair.", hint: "Write the character itself, or \\u{…}.")
    }

    /// Four digits, or any number of them in braces; the latter can name no surrogate.
    private mutating func takeEscapedScalar() throws(SyntaxFault) -> UInt32 {
        guard byteOrZero(position) == UInt8(ascii: "{") else { return try takeFourDigits() }
        position += 1
        var value: UInt32 = 0
        var digitCount = 0
        while let digit = hexadecimalValue(byteOrZero(position)) {
            // Clamped above U+10FFFF, so that no number of digits overflows.
            value = min(value << 4 | digit, 0x110000)
            digitCount += 1
            position += 1
        }
        guard digitCount > 0, byteOrZero(position) == UInt8(ascii: "}") else {
            throw malformed("An escape is not \\u{ and hexadecimal digits and }.", hint: nil)
        }
        position += 1
        if case 0xD800...0xDFFF = value { throw unpairedSurrogate }
        return value
    }

    private mutating func takeFourDigits() throws(SyntaxFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = hexadecimalValue(byteOrZero(position)) else {
                throw malformed("An escape is not \\u and four hexadecimal digits.", hint: nil)
            }
            value = value << 4 | digit
            position += 1
        }
        return value
    }
}

// MARK: - Faults

extension Lexer {
    /// A fault at the token looked at.
    func fault(_ reason: SyntaxFault.Reason) -> SyntaxFault { SyntaxFault(reason: reason, token: token) }

    private var tooManyTokens: SyntaxFault { @inline(never) get { fault(.tooManyTokens(limits.tokensMax)) } }

    /// A fault at the byte reached.
    private func malformed(_ message: StaticString, hint: StaticString?) -> SyntaxFault {
        let place = Token(kind: .endOfSource, start: min(position, end), end: min(position, end))
        return SyntaxFault(reason: .malformed(message, hint: hint), token: place)
    }
}

// MARK: - Classes of bytes

@inline(__always) private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

@inline(__always) private func isNameStart(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
}

/// Whether the byte is a punctuator of its own (spec §2.1.8): `! $ & ( ) : = @ [ ] { | }`.
@inline(__always) private func isPunctuator(_ byte: UInt8) -> Bool {
    let low: UInt64 = 0x2400_0352_0000_0000
    let high: UInt64 = 0x3800_0000_2800_0001
    return byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
}

/// Whether the byte is ignored, and one of the frequent ones.
@inline(__always) private func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: ",")
}

@inline(__always) private func isNameContinue(_ byte: UInt8) -> Bool { isNameStart(byte) || isDigit(byte) }

private func hexadecimalValue(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
}
