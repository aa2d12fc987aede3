import Encodings

/// UTF-8 bytes to tokens: `token` is the one the parser looks at, the next ones of its block of bytes are ready.
///
/// The bytes are lent for the length of a parse, and each is read after a comparison with `end`, or lies in a token
/// that was. Sources are at most 4 GiB long, since documents point into them with 32 bits; `Parser` sees to that. Also
/// the memory of the tokens is lent: of two copies of a lexer, only one may go on.
///
/// Memory safety: a block yields at most one token for each of its bytes, and `tokens` has room for that many
/// (`tokenCapacity`), so `current` and `last` stay inside it.
@safe struct Lexer {
    private let bytes: UnsafeRawBufferPointer
    private let base: UnsafeRawPointer
    private let end: Int
    private let limits: ParserLimits
    /// Where the block after the tokens begins, at no token's middle.
    private var position = 0
    /// The tokens up to the last one that is ready.
    private var tokenCount = 0
    private let tokens: UnsafeMutablePointer<Token>
    /// The token looked at, and the last one that is ready.
    private var current: UnsafeMutablePointer<Token>
    private var last: UnsafeMutablePointer<Token>
    /// What is wrong with the malformed token, which is the last one.
    private var malformedFault: SyntaxFault?

    /// How many tokens the lent memory has room for: those of a block.
    static var tokenCapacity: Int { SourceBlock.byteCountMax }

    /// A lexer that looks at the first token.
    init(_ bytes: UnsafeRawBufferPointer, tokens: UnsafeMutablePointer<Token>, limits: ParserLimits) {
        unsafe self.bytes = unsafe bytes
        // An empty array may have no address; nothing is read from the stand-in.
        unsafe base = unsafe bytes.baseAddress ?? UnsafeRawPointer(tokens)
        unsafe self.tokens = unsafe tokens
        self.limits = limits
        end = bytes.count
        unsafe current = unsafe tokens
        unsafe last = unsafe tokens
        unsafe tokens.initialize(to: Token(kind: .endOfSource, start: 0, count: 0))
        takeBlock()
    }

    var depthMax: Int { limits.depthMax }
    @inline(__always) var token: Token { unsafe current.pointee }

    /// Looks at the next token. Past the end of the source, that is the end again.
    @inline(__always) mutating func advance() {
        if unsafe current == last { takeBlock() } else { unsafe current += 1 }
    }

    @inline(__always) private func byte(_ position: Int) -> UInt8 {
        unsafe base.load(fromByteOffset: position, as: UInt8.self)
    }

    /// The byte there, or zero, which is no source character, past the end.
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
        guard token.name.count == count else { return false }
        for offset in 0..<count where unsafe byte(token.start &+ offset) != text.utf8Start[offset] { return false }
        return true
    }
}

// MARK: - Blocks

extension Lexer {
    /// Makes the tokens of the next block that has any ready, and looks at the first.
    @inline(never) private mutating func takeBlock() {
        let previous = unsafe current.pointee
        unsafe current = unsafe tokens
        var next = unsafe tokens
        while unsafe next == tokens { unsafe next = unsafe takeTokens() }
        unsafe last = unsafe next - 1
        let count = unsafe next - tokens
        tokenCount &+= count
        if tokenCount > limits.tokensMax { end(after: count - (tokenCount - limits.tokensMax), of: previous) }
    }

    /// Lets no more than so many tokens of the block pass. The fault names the last one that does.
    private mutating func end(after count: Int, of previous: Token) {
        unsafe last = unsafe tokens + count
        unsafe last.initialize(
            to: malformedToken(
                SyntaxFault(
                    reason: .tooManyTokens(limits.tokensMax), token: count > 0 ? tokens[count - 1] : previous)))
    }

    /// Takes the tokens of a block, and gives the place after the last of them.
    private mutating func takeTokens() -> UnsafeMutablePointer<Token> {
        var next = unsafe tokens
        guard position < end else {
            unsafe next.initialize(to: Token(kind: .endOfSource, start: end, count: 0))
            return unsafe next + 1
        }
        let start = position
        let base = unsafe base + start
        let block = unsafe SourceBlock(bytes, at: start)
        var starts = block.starts
        position = min(start &+ SourceBlock.byteCountMax, end)
        while starts != 0 {
            let place = starts.trailingZeroBitCount
            let first = unsafe base.load(fromByteOffset: place, as: UInt8.self)
            if isNameStart(first) {
                let nameCount = block.nameCount(at: place)
                unsafe next.initialize(to: Token(kind: .name, start: start &+ place, count: nameCount))
                if place &+ nameCount == SourceBlock.byteCountMax { unsafe lengthenName(next) }
            } else if isPunctuator(first) {
                unsafe next.initialize(to: Token(kind: Token.Kind(byte: first), start: start &+ place, count: 1))
            } else {
                let blockEnd = position
                position = start &+ place
                if unsafe takeOtherToken(first, into: next) {
                    unsafe next += 1
                    if unsafe next[-1].kind == .malformed { return unsafe next }
                }
                // The block's other tokens begin after it.
                guard position < blockEnd else { return unsafe next }
                starts &= UInt64.max &<< UInt64(position &- start)
                position = blockEnd
                continue
            }
            unsafe next += 1
            starts &= starts &- 1
        }
        return unsafe next
    }

    /// Goes on with a name at the end of the block.
    @inline(never) private mutating func lengthenName(_ token: UnsafeMutablePointer<Token>) {
        while isNameContinue(byteOrZero(position)) { position &+= 1 }
        unsafe token.pointee = unsafe Token(kind: .name, start: token.pointee.start, end: position)
    }

    /// Takes the token at `position` that is neither name nor punctuator, a malformed one if there is none, and steps
    /// over it. False where only ignored characters stand.
    @inline(never)
    private mutating func takeOtherToken(_ first: UInt8, into token: UnsafeMutablePointer<Token>) -> Bool {
        do throws(SyntaxFault) {
            guard let other = try otherToken(first) else { return false }
            unsafe token.initialize(to: other)
        } catch {
            unsafe token.initialize(to: malformedToken(error))
        }
        return true
    }

    private mutating func malformedToken(_ fault: SyntaxFault) -> Token {
        malformedFault = fault
        return Token(kind: .malformed, start: fault.token.start, end: fault.token.end)
    }

    private mutating func otherToken(_ first: UInt8) throws(SyntaxFault) -> Token? {
        switch first {
        case UInt8(ascii: "\""): return try takeString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try takeNumber()
        case UInt8(ascii: "."):
            guard byteOrZero(position + 1) == first, byteOrZero(position + 2) == first else {
                throw malformed(
                    "Unexpected \".\".", hint: "Spreads are written \"...\"; a number starts with a digit.")
            }
            position += 3
            return Token(kind: .spread, start: position - 3, end: position)
        case UInt8(ascii: "'"):
            throw malformed("A single quote begins nothing.", hint: "Strings stand in double quotes.")
        default:
            let start = position
            try skipIgnored()
            guard position > start else { throw malformed("This character begins no token.", hint: nil) }
            return nil
        }
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
        guard let length = unsafe UTF8Sequence.length(at: position, in: bytes) else {
            throw malformed("The text is not UTF-8 here.", hint: nil)
        }
        position += length
    }
}

// MARK: - Numbers (spec §2.9.1, §2.9.2)

extension Lexer {
    private mutating func takeNumber() throws(SyntaxFault) -> Token {
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
        return Token(kind: kind, start: start, end: position)
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

    private mutating func takeString() throws(SyntaxFault) -> Token {
        if isTripleQuote(position) { return try takeBlockString() }
        let start = position
        var hasEscapes = false
        position += 1
        while position < end {
            switch byte(position) {
            case Self.quote:
                position += 1
                return Token(kind: .string, start: start, end: position, hasEscapes: hasEscapes)
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

    private mutating func takeBlockString() throws(SyntaxFault) -> Token {
        let start = position
        var hasEscapes = false
        position += 3
        while position < end {
            switch byte(position) {
            case Self.quote where isTripleQuote(position):
                position += 3
                return Token(kind: .blockString, start: start, end: position, hasEscapes: hasEscapes)
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
    /// A fault at the token looked at, or what is wrong with the token itself.
    func fault(_ reason: SyntaxFault.Reason) -> SyntaxFault {
        if token.kind == .malformed, let malformedFault { return malformedFault }
        return SyntaxFault(reason: reason, token: token)
    }

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
