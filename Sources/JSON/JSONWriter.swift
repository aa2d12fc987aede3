/// Writes JSON as bytes into one growing buffer.
///
/// The caller is responsible for the grammar: commas, colons and braces are appended as they are. `mark` and
/// `rewind` take back what was written since, so that the null propagation of GraphQL is a truncation.
///
/// The buffer belongs to one owner (the type cannot be copied) and grows by doubling; what bounds it is the bound of
/// what is written into it. `reset` keeps the memory for the next answer.
///
/// Memory safety: `base` has `capacity` bytes, of which the first `written` are initialized; it is allocated in `init` and
/// `grow` and freed in `deinit` and `grow`, by the one owner. Every store follows a `reserve` of at least as many bytes.
@safe public struct JSONWriter: ~Copyable {
    @usableFromInline var base: UnsafeMutableRawPointer
    /// Bytes of the buffer, which stays as large as it has grown.
    public internal(set) var capacity: Int

    @usableFromInline var written = 0

    /// How many bytes were written.
    @inlinable public var count: Int { written }

    /// An empty writer with room for this many bytes before it must grow.
    public init(capacity: Int) {
        self.capacity = max(capacity, 64)
        unsafe base = .allocate(byteCount: self.capacity, alignment: 8)
    }

    deinit { unsafe base.deallocate() }

    /// Forgets what was written and keeps the memory.
    @inlinable public mutating func reset() { written = 0 }
}

// The buffer has exactly one owner, since the type is not copyable and hands its pointer out only for the length of a
// call; to send the writer is to send that ownership.
extension JSONWriter: @unchecked Sendable {}

// MARK: - What was written

extension JSONWriter {
    /// The place reached so far, to `rewind` to.
    @inlinable public func mark() -> Int { written }

    /// Takes back all that was written since `mark`.
    @inlinable public mutating func rewind(to mark: Int) {
        precondition(mark >= 0 && mark <= written, "A mark is a place already written.")
        written = mark
    }

    /// The bytes written so far, lent for the length of the call.
    @inlinable public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: base, count: written))
    }

    /// A copy of the bytes written so far.
    public var bytes: [UInt8] { unsafe withBytes { unsafe [UInt8]($0) } }
}

// MARK: - Raw bytes

extension JSONWriter {
    /// Appends one byte as it is.
    @inlinable public mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe base.storeBytes(of: byte, toByteOffset: written, as: UInt8.self)
        written += 1
    }

    /// Appends bytes as they are.
    @inlinable public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        unsafe (base + written).copyMemory(from: source, byteCount: bytes.count)
        written += bytes.count
    }

    /// Appends bytes as they are.
    @inlinable public mutating func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe append($0) }
    }

    /// Appends a part of some bytes as they are.
    @inlinable public mutating func append(_ bytes: [UInt8], in range: Range<Int>) {
        unsafe bytes.withUnsafeBytes { unsafe append(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Appends text as it is, for example `"{\"data\":"`.
    @inlinable public mutating func append(_ text: StaticString) {
        precondition(text.hasPointerRepresentation, "Raw text is a literal of more than one scalar.")
        unsafe append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Makes room for so many bytes after those written.
    @inlinable mutating func reserve(_ byteCount: Int) {
        if capacity - written < byteCount { grow(byteCount) }
    }

    @inline(never) @usableFromInline mutating func grow(_ byteCount: Int) {
        capacity = max(capacity * 2, written + byteCount)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        unsafe larger.copyMemory(from: base, byteCount: written)
        unsafe base.deallocate()
        unsafe base = unsafe larger
    }
}

// MARK: - Values

extension JSONWriter {
    /// Writes `null`.
    @inlinable public mutating func writeNull() { append("null") }

    /// Writes `true` or `false`.
    @inlinable public mutating func write(_ bool: Bool) { bool ? append("true") : append("false") }

    /// Writes an integer's digits.
    @inlinable public mutating func write(_ integer: Int64) {
        reserve(20)  // As long as -9223372036854775808.
        if integer < 0 {
            unsafe base.storeBytes(of: UInt8(ascii: "-"), toByteOffset: written, as: UInt8.self)
            written += 1
        }
        var rest = integer.magnitude
        var digitCount = 1
        var bound: UInt64 = 10
        while rest >= bound, digitCount < 19 {
            digitCount += 1
            bound &*= 10
        }
        var position = written + digitCount
        written = position
        repeat {
            position -= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            unsafe base.storeBytes(
                of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit), toByteOffset: position, as: UInt8.self)
            rest = quotient
        } while rest != 0
    }

    /// Writes the shortest text that reads back as the same double; an integral one keeps its point (`5.0`).
    ///
    /// JSON has no infinity and no NaN (RFC 8259 §6): callers refuse them before; here they become `null`.
    public mutating func write(_ double: Double) {
        guard double.isFinite else { return writeNull() }
        if !writeShortDecimal(double) { writeText(double.description) }
    }

    /// Writes a value without any space.
    public mutating func write(_ value: JSONValue) {
        switch value {
        case .null: writeNull()
        case .bool(let bool): write(bool)
        case .number(let text): writeText(text)
        case .string(let text): writeString(text)
        case .array(let elements):
            append(UInt8(ascii: "["))
            for (position, element) in elements.enumerated() {
                if position > 0 { append(UInt8(ascii: ",")) }
                write(element)
            }
            append(UInt8(ascii: "]"))
        case .object(let object): write(object)
        }
    }

    /// Writes an object without any space.
    public mutating func write(_ object: JSONObject) {
        append(UInt8(ascii: "{"))
        for (position, member) in object.enumerated() {
            if position > 0 { append(UInt8(ascii: ",")) }
            writeString(member.key)
            append(UInt8(ascii: ":"))
            write(member.value)
        }
        append(UInt8(ascii: "}"))
    }

    private mutating func writeText(_ text: String) {
        var text = text
        text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a double that has at most six decimals and fifteen digits; says false, and writes nothing, for others.
    ///
    /// Worked example: 2.5 → k = 1, m = 25, and 25 / 10 == 2.5. Since m and 10ᵏ are exact and division rounds
    /// correctly, m / 10ᵏ is the double nearest to the decimal that is written; with at most fifteen digits and the
    /// smallest k there is no shorter one. This spares `description`, which is dear, for most stored numbers.
    private mutating func writeShortDecimal(_ double: Double) -> Bool {
        let magnitude = double.magnitude
        guard magnitude < 1e9, magnitude >= 1e-3 || magnitude == 0 else { return false }
        var power: Int64 = 1
        for decimals in 0...6 {
            let digits = Int64(magnitude * Double(power) + 0.5)
            if Double(digits) / Double(power) == magnitude {
                if double.sign == .minus { append(UInt8(ascii: "-")) }
                let (whole, fraction) = digits.quotientAndRemainder(dividingBy: power)
                write(whole)
                append(UInt8(ascii: "."))
                writeFraction(fraction, digitCount: max(decimals, 1))
                return true
            }
            power *= 10
        }
        return false
    }

    private mutating func writeFraction(_ fraction: Int64, digitCount: Int) {
        reserve(digitCount)
        var rest = fraction
        for position in stride(from: written + digitCount - 1, through: written, by: -1) {
            unsafe base.storeBytes(of: UInt8(ascii: "0") + UInt8(rest % 10), toByteOffset: position, as: UInt8.self)
            rest /= 10
        }
        written += digitCount
    }
}

// MARK: - Strings

extension JSONWriter {
    /// Writes a string in quotes, escaped.
    @inlinable public mutating func writeString(_ text: String) {
        var text = text
        text.withUTF8 { unsafe writeString(UnsafeRawBufferPointer($0)) }
    }

    /// Writes UTF-8 in quotes, escaped: `"`, `\` and what is below U+0020 (RFC 8259 §7), all else as it is.
    ///
    /// Memory safety: room for the bytes and two quotes is reserved; `position` stays below `length`, and a step of eight bytes
    /// begins at `length - 8` at the latest, in both buffers.
    @inlinable public mutating func writeString(_ utf8: UnsafeRawBufferPointer) {
        let length = utf8.count
        reserve(length + 2)
        let target = unsafe base + written + 1
        unsafe base.storeBytes(of: UInt8(ascii: "\""), toByteOffset: written, as: UInt8.self)
        var position = 0
        if length >= 8, let source = utf8.baseAddress {
            // The last step takes the last eight bytes, though it has seen some of them, instead of one after the other.
            while position < length {
                position = min(position, length &- 8)
                let word = unsafe (source + position).loadUnaligned(as: UInt64.self)
                if SWAR.bytesToEscape(word) != 0 { break }
                unsafe (target + position).storeBytes(of: word, as: UInt64.self)
                position &+= 8
            }
        }
        while position < length {
            let byte = unsafe utf8[position]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                written &+= 1 &+ position
                return unsafe writeEscaped(UnsafeRawBufferPointer(rebasing: utf8[position...]))
            }
            unsafe target.storeBytes(of: byte, toByteOffset: position, as: UInt8.self)
            position &+= 1
        }
        unsafe target.storeBytes(of: UInt8(ascii: "\""), toByteOffset: length, as: UInt8.self)
        written &+= length &+ 2
    }

    /// The rest of a string that needs escapes, and its closing quote.
    @inline(never) @usableFromInline mutating func writeEscaped(_ rest: UnsafeRawBufferPointer) {
        for index in rest.indices {
            let byte = unsafe rest[index]
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\n"): append("\\n")
            case UInt8(ascii: "\r"): append("\\r")
            case UInt8(ascii: "\t"): append("\\t")
            case 0x08: append("\\b")
            case 0x0C: append("\\f")
            case 0..<0x20:
                append("\\u00")
                append(UInt8(ascii: "0") + byte >> 4)
                append(byte & 15 < 10 ? UInt8(ascii: "0") + byte & 15 : UInt8(ascii: "a") + byte & 15 - 10)
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }
}
