import Encodings

/// Reads JSON text value by value, so that parts that are not needed are checked and never built.
///
///     try scanner.beginObject()
///     while let key = try scanner.nextKey() {
///         if scanner.isEqual(key, "query") { query = try scanner.readString() } else { try scanner.skipValue() }
///     }
///     try scanner.finish()
///
/// The grammar is RFC 8259's without leniency: UTF-8 is checked, an escaped half of a surrogate pair is refused, and
/// nesting is bounded. The bytes are lent: a scanner lives no longer than they do.
///
/// Memory safety: every read follows a comparison of its position with `bytes.count`, or lies in a `JSONText` or range that
/// this scanner has returned for the same bytes. The caller keeps the bytes until the last call.
@safe public struct JSONScanner {
    /// The byte reached.
    public private(set) var position = 0
    private let bytes: UnsafeRawBufferPointer
    private let depthMax: Int
    private let isRelaxed: Bool
    private var depth = 0
    /// Whether a value was just finished, so that a comma must come before a next one.
    private var isBehindValue = false

    /// A scanner before the first value; `depthMax` counts arrays and objects inside one another.
    ///
    /// Relaxed means for files that people write: comments (`//` and `/* */`) and a comma after the last element.
    public init(_ bytes: UnsafeRawBufferPointer, depthMax: Int = 64, isRelaxed: Bool = false) {
        unsafe self.bytes = unsafe bytes
        self.depthMax = depthMax
        self.isRelaxed = isRelaxed
    }

    /// What the value is that comes next.
    public mutating func peekKind() throws(JSONError) -> JSONKind {
        try skipSpace()
        switch byteOrZero(position) {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        default: throw unexpected("a value")
        }
    }

    /// Checks that nothing but space follows the value that was read.
    public mutating func finish() throws(JSONError) {
        try skipSpace()
        guard unsafe position == bytes.count else { throw unexpected("the end of the text") }
    }
}

// MARK: - Objects and arrays

extension JSONScanner {
    /// Steps into an object; `nextKey` until it is nil.
    public mutating func beginObject() throws(JSONError) { try begin(UInt8(ascii: "{"), "an object") }

    /// Steps into an array; `nextElement` until it is false.
    public mutating func beginArray() throws(JSONError) { try begin(UInt8(ascii: "["), "an array") }

    /// The name of the object's next member, whose value must then be read or skipped; nil after the last.
    public mutating func nextKey() throws(JSONError) -> JSONText? {
        guard try nextMember(before: UInt8(ascii: "}")) else { return nil }
        guard byteOrZero(position) == UInt8(ascii: "\"") else { throw unexpected("a name in double quotes") }
        let key = try readString()
        try skipSpace()
        guard byteOrZero(position) == UInt8(ascii: ":") else { throw unexpected("\":\"") }
        position += 1
        isBehindValue = false
        return key
    }

    /// Whether the array has one more element, which must then be read or skipped.
    public mutating func nextElement() throws(JSONError) -> Bool { try nextMember(before: UInt8(ascii: "]")) }

    private mutating func begin(_ open: UInt8, _ expectation: StaticString) throws(JSONError) {
        try skipSpace()
        guard byteOrZero(position) == open else { throw unexpected(expectation) }
        guard depth < depthMax else { throw error("The text is nested deeper than \(depthMax) levels.") }
        depth += 1
        position += 1
        isBehindValue = false
    }

    /// Steps to the next member or, saying false, over the closing bracket.
    private mutating func nextMember(before close: UInt8) throws(JSONError) -> Bool {
        try skipSpace()
        if isBehindValue, byteOrZero(position) != close {
            guard byteOrZero(position) == UInt8(ascii: ",") else {
                throw unexpected(close == UInt8(ascii: "}") ? "\",\" or \"}\"" : "\",\" or \"]\"")
            }
            position += 1
            try skipSpace()
            if byteOrZero(position) == close, !isRelaxed { throw unexpected("a value behind the comma") }
        }
        isBehindValue = byteOrZero(position) == close
        guard isBehindValue else { return true }
        depth -= 1
        position += 1
        return false
    }
}

// MARK: - Values

extension JSONScanner {
    /// Reads a string, leaving it where it stands.
    public mutating func readString() throws(JSONError) -> JSONText {
        try skipSpace()
        guard byteOrZero(position) == UInt8(ascii: "\"") else { throw unexpected("a string") }
        let start = position + 1
        position = start
        var hasEscapes = false
        skipPlainWords()
        while true {
            guard unsafe position < bytes.count else { throw error("A string does not end.") }
            let byte = unsafe bytes[position]
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                isBehindValue = true
                return JSONText(range: start..<position - 1, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try skipEscape()
                skipPlainWords()
            case 0..<0x20: throw error("A control character stands in a string; write it as an escape.")
            case 0x80...:
                guard let length = unsafe UTF8Sequence.length(at: position, in: bytes) else {
                    throw error("The text is not UTF-8 here.")
                }
                position += length
            default: position += 1
            }
        }
    }

    /// Reads a number and gives the range of its text.
    public mutating func readNumber() throws(JSONError) -> Range<Int> {
        try skipSpace()
        let start = position
        if byteOrZero(position) == UInt8(ascii: "-") { position += 1 }
        if byteOrZero(position) == UInt8(ascii: "0") {
            position += 1
        } else {
            try skipDigits()
        }
        if byteOrZero(position) == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if byteOrZero(position) | 0x20 == UInt8(ascii: "e") {
            position += 1
            if byteOrZero(position) == UInt8(ascii: "+") || byteOrZero(position) == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
        isBehindValue = true
        return start..<position
    }

    /// Reads `true` or `false`.
    public mutating func readBool() throws(JSONError) -> Bool {
        try skipSpace()
        let value = byteOrZero(position) == UInt8(ascii: "t")
        try skipWord(value ? "true" : "false")
        return value
    }

    /// Reads `null`.
    public mutating func readNull() throws(JSONError) {
        try skipSpace()
        try skipWord("null")
    }

    /// Checks one value of any kind, and gives the range of its text.
    @discardableResult public mutating func skipValue() throws(JSONError) -> Range<Int> {
        let kind = try peekKind()
        let start = position
        switch kind {
        case .object:
            try beginObject()
            while try nextKey() != nil { try skipValue() }
        case .array:
            try beginArray()
            while try nextElement() { try skipValue() }
        case .string: _ = try readString()
        case .number: _ = try readNumber()
        case .bool: _ = try readBool()
        case .null: try readNull()
        }
        return start..<position
    }

    /// Reads one value of any kind.
    public mutating func readValue() throws(JSONError) -> JSONValue {
        switch try peekKind() {
        case .object: return .object(try readObject())
        case .array:
            try beginArray()
            var elements: [JSONValue] = []
            while try nextElement() { elements.append(try readValue()) }
            return .array(elements)
        case .string: return .string(string(try readString()))
        case .number: return .number(text(try readNumber()))
        case .bool: return .bool(try readBool())
        case .null:
            try readNull()
            return .null
        }
    }

    /// Reads one object.
    public mutating func readObject() throws(JSONError) -> JSONObject {
        try beginObject()
        var object = JSONObject()
        while let key = try nextKey() { object[string(key)] = try readValue() }
        return object
    }
}

// MARK: - What was read

extension JSONScanner {
    /// The bytes of a range as text.
    public func text(_ range: Range<Int>) -> String {
        unsafe String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }

    /// The characters of a string that was read.
    public func string(_ text: JSONText) -> String {
        if !text.hasEscapes { return self.text(text.range) }
        var buffer: [UInt8] = []
        buffer.reserveCapacity(text.range.count)
        append(text, to: &buffer)
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Appends the UTF-8 of a string that was read, its escapes decoded, for instance to a buffer that is used again.
    public func append(_ text: JSONText, to buffer: inout [UInt8]) {
        guard text.hasEscapes else { return unsafe buffer.append(contentsOf: bytes[text.range]) }
        var position = text.range.lowerBound
        while true {
            let rest = unsafe bytes[position..<text.range.upperBound]
            guard let backslash = unsafe rest.firstIndex(of: UInt8(ascii: "\\")) else {
                return unsafe buffer.append(contentsOf: rest)
            }
            unsafe buffer.append(contentsOf: bytes[position..<backslash])
            let escape = unsafe bytes[backslash + 1]
            position = backslash + 2
            switch escape {
            case UInt8(ascii: "b"): buffer.append(0x08)
            case UInt8(ascii: "f"): buffer.append(0x0C)
            case UInt8(ascii: "n"): buffer.append(0x0A)
            case UInt8(ascii: "r"): buffer.append(0x0D)
            case UInt8(ascii: "t"): buffer.append(0x09)
            case UInt8(ascii: "u"): buffer.append(contentsOf: utf8(ofEscapeAt: &position))
            default: buffer.append(escape)  // A quote, a backslash, a slash.
            }
        }
    }

    /// Whether a string that was read is this word. A name written with escapes is compared decoded.
    public func isEqual(_ text: JSONText, _ word: StaticString) -> Bool {
        if text.hasEscapes {
            // An escape of six bytes stands for one byte of a word: a longer name is not decoded.
            guard text.range.count <= 6 * word.utf8CodeUnitCount else { return false }
            return string(text).isExactly(word.description)
        }
        guard text.range.count == word.utf8CodeUnitCount else { return false }
        for offset in 0..<text.range.count where unsafe bytes[text.range.lowerBound + offset] != word.utf8Start[offset]
        {
            return false
        }
        return true
    }

    /// The scalar after `\\u`: four digits, or twice that for a surrogate pair, which `skipEscape` has checked.
    private func utf8(ofEscapeAt position: inout Int) -> UTF8.EncodedScalar {
        var value = fourDigits(at: position) ?? 0
        position += 4
        if value & 0xFC00 == 0xD800 {
            // U+1F600 is \uD83D\uDE00: ten bits from each half, above 0x10000.
            value = 0x10000 + (value & 0x3FF) << 10 + (fourDigits(at: position + 2) ?? 0) & 0x3FF
            position += 6
        }
        return Unicode.Scalar(value).flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter
    }
}

// MARK: - Bytes

extension JSONScanner {
    /// The byte there, or zero, which JSON has no place for, past the end.
    private func byteOrZero(_ position: Int) -> UInt8 { unsafe position < bytes.count ? bytes[position] : 0 }

    private mutating func skipSpace() throws(JSONError) {
        while unsafe position < bytes.count {
            switch unsafe bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            case UInt8(ascii: "/") where isRelaxed: try skipComment()
            default: return
            }
        }
    }

    private mutating func skipComment() throws(JSONError) {
        switch byteOrZero(position + 1) {
        case UInt8(ascii: "/"):
            while unsafe position < bytes.count, unsafe bytes[position] != UInt8(ascii: "\n") { position += 1 }
        case UInt8(ascii: "*"):
            var end = position + 2
            while !(byteOrZero(end) == UInt8(ascii: "*") && byteOrZero(end + 1) == UInt8(ascii: "/")) {
                guard unsafe end < bytes.count else { throw error("A comment does not end.") }
                end += 1
            }
            position = end + 2
        default: throw unexpected("a comment")
        }
    }

    /// Skips eight bytes at a time while none of them ends the string, begins an escape or needs a check. Tried at the
    /// start and after an escape only: text beyond ASCII would fail it again and again.
    private mutating func skipPlainWords() {
        while unsafe position &+ 8 <= bytes.count {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            guard (SWAR.bytesToEscape(word) | word & SWAR.highs) == 0 else { return }
            position &+= 8
        }
    }

    private mutating func skipDigits() throws(JSONError) {
        guard isDigit(byteOrZero(position)) else { throw unexpected("a digit") }
        while isDigit(byteOrZero(position)) { position += 1 }
    }

    private mutating func skipWord(_ word: StaticString) throws(JSONError) {
        for offset in 0..<word.utf8CodeUnitCount where unsafe byteOrZero(position + offset) != word.utf8Start[offset] {
            throw unexpected(word)
        }
        position += word.utf8CodeUnitCount
        isBehindValue = true
    }

    private mutating func skipEscape() throws(JSONError) {
        switch byteOrZero(position + 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            guard let value = fourDigits(at: position + 2) else { throw error("An escape lacks its four digits.") }
            switch value {
            case 0xD800...0xDBFF:
                let isPair =
                    byteOrZero(position + 6) == UInt8(ascii: "\\") && byteOrZero(position + 7) == UInt8(ascii: "u")
                guard isPair, case 0xDC00...0xDFFF = fourDigits(at: position + 8) ?? 0 else {
                    throw error("An escape is half of a surrogate pair.")
                }
                position += 12
            case 0xDC00...0xDFFF: throw error("An escape is half of a surrogate pair.")
            default: position += 6
            }
        default: throw error("A backslash is followed by no known escape.")
        }
    }

    private func fourDigits(at position: Int) -> UInt32? {
        var value: UInt32 = 0
        for offset in 0..<4 {
            let digit: UInt8
            switch byteOrZero(position + offset) {
            case let byte where isDigit(byte): digit = byte - UInt8(ascii: "0")
            case let byte where byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f"):
                digit = byte | 0x20 - UInt8(ascii: "a") + 10
            default: return nil
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private func error(_ message: String) -> JSONError { JSONError(message, offset: position) }

    private func unexpected(_ expectation: StaticString) -> JSONError {
        let found =
            switch byteOrZero(position) {
            case _ where unsafe position >= bytes.count: "the end of the text"
            case let byte where byte > 0x20 && byte < 0x7F: "\"\(Character(Unicode.Scalar(byte)))\""
            case let byte: "the byte 0x" + String(byte, radix: 16, uppercase: true)
            }
        return error("Expected \(expectation), found \(found).")
    }
}
