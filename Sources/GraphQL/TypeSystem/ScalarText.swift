import Encodings

/// The texts that AppSync's scalars accept (reference: appsync-protocol, "Scalars"). Each test reads bytes once and
/// keeps nothing.
///
/// The forms are those of Java's formatters (ISO_OFFSET_DATE and its kin), with capital `T` and `Z` only.
///
/// Memory safety: the bytes are borrowed for the call. They are read through collection methods, or at positions that were
/// compared with the count; no slice is kept.
enum ScalarText {
    /// `2019-02-28`, `1970-01-01Z`, `1970-01-01+05:30`.
    static func isDate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = unsafe Reader(bytes)
        return reader.date() && (reader.atEnd || reader.offset()) && reader.atEnd
    }

    /// `12:00`, `12:00:30.5`, `12:00+02:00`.
    static func isTime(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = unsafe Reader(bytes)
        return reader.time() && (reader.atEnd || reader.offset()) && reader.atEnd
    }

    /// `2019-02-28T12:00Z`; the offset is not optional.
    static func isDateTime(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = unsafe Reader(bytes)
        return reader.date() && reader.skip("T") && reader.time() && reader.offset() && reader.atEnd
    }

    /// HTML, "Valid e-mail address": atext and dots, `@`, labels of up to 63 letters, digits and inner hyphens.
    static func isEmail(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let at = unsafe bytes.firstIndex(of: UInt8(ascii: "@")), at > 0 else { return false }
        guard unsafe bytes[..<at].allSatisfy({ isAlphanumeric($0) || ".!#$%&'*+/=?^_`{|}~-".utf8.contains($0) }) else {
            return false
        }
        let labels = unsafe bytes[(at + 1)...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return unsafe labels.allSatisfy { label in
            guard let first = unsafe label.first, let last = unsafe label.last, unsafe label.count <= 63 else {
                return false
            }
            return unsafe isAlphanumeric(first) && isAlphanumeric(last)
                && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// A scheme and something after it, without blanks; AppSync refuses `//` inside a path.
    static func isURL(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let colon = unsafe bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, unsafe isLetter(bytes[0]) else {
            return false
        }
        guard unsafe bytes[..<colon].allSatisfy({ isAlphanumeric($0) || "+-.".utf8.contains($0) }) else { return false }
        var rest = unsafe bytes[(colon + 1)...]
        guard unsafe !rest.isEmpty,
            unsafe rest.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"<>\"\\^`{|}".utf8.contains($0) })
        else {
            return false
        }
        let slash = UInt8(ascii: "/")
        if unsafe rest.starts(with: [slash, slash]) {
            unsafe rest = unsafe rest.dropFirst(2)
            let authorityEnd = unsafe rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
            // `file:///etc` is the one kind of URL whose authority is empty by design.
            guard unsafe authorityEnd > rest.startIndex || bytes[..<colon].elementsEqual("file".utf8) else {
                return false
            }
            unsafe rest = unsafe rest[authorityEnd...]
        }
        let path = unsafe rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return unsafe !zip(path, path.dropFirst()).contains { $0 == slash && $1 == slash }
    }

    /// E.164 with a leading `+`, or ten digits of the North American plan; blanks, hyphens and parentheses may stand
    /// between. AppSync asks libphonenumber; this is its shape without its tables.
    static func isPhone(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var digits: [UInt8] = []
        let isInternational = unsafe bytes.first == UInt8(ascii: "+")
        for index in (isInternational ? 1 : 0)..<bytes.count {
            let byte = unsafe bytes[index]
            guard !" -()".utf8.contains(byte) else { continue }
            guard isDigit(byte), digits.count < 16 else { return false }
            digits.append(byte - UInt8(ascii: "0"))
        }
        guard isInternational else { return digits.count == 10 && digits[0] >= 2 && digits[3] >= 2 }
        return (7...15).contains(digits.count) && digits[0] != 0
    }

    /// `10.0.0.1`, `10.0.0.0/8`, `::1`, `2001:db8::/32`, `::ffff:10.0.0.1`.
    static func isIPAddress(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let slash = unsafe bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        let address = unsafe bytes[..<slash]
        let isVersion6 = unsafe address.contains(UInt8(ascii: ":"))
        guard unsafe isVersion6 ? isIPv6(address) : isIPv4(address) else { return false }
        guard slash < bytes.endIndex else { return true }
        return unsafe number(bytes[(slash + 1)...], digitsMax: 3).map { $0 <= (isVersion6 ? 128 : 32) } ?? false
    }

    private typealias Bytes = Slice<UnsafeRawBufferPointer>

    private static func isIPv4(_ bytes: Bytes) -> Bool {
        let parts = unsafe bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return unsafe parts.count == 4
            && parts.allSatisfy { unsafe number($0, digitsMax: 3).map { $0 <= 255 } ?? false }
    }

    /// RFC 4291 §2.2: eight groups, one run of zeros may be `::`, the last two may be an IPv4 address.
    private static func isIPv6(_ bytes: Bytes) -> Bool {
        let colon = UInt8(ascii: ":")
        guard unsafe bytes.count <= 45 else { return false }
        guard
            let gap = unsafe bytes.indices.dropLast().first(where: {
                unsafe bytes[$0] == colon && bytes[$0 + 1] == colon
            })
        else {
            return unsafe groups(bytes, mayEndWithIPv4: true) == 8
        }
        guard let head = unsafe gap == bytes.startIndex ? 0 : groups(bytes[..<gap], mayEndWithIPv4: false),
            let tail = unsafe gap + 2 == bytes.endIndex ? 0 : groups(bytes[(gap + 2)...], mayEndWithIPv4: true)
        else { return false }
        return head + tail <= 7
    }

    /// How many groups of 16 bits stand there, between single colons; `nil` where something else does.
    private static func groups(_ bytes: Bytes, mayEndWithIPv4: Bool) -> Int? {
        let parts = unsafe bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard let last = unsafe parts.last else { return nil }
        let endsWithIPv4 = unsafe mayEndWithIPv4 && isIPv4(last)
        let isValid = unsafe parts.dropLast(endsWithIPv4 ? 1 : 0).allSatisfy {
            unsafe (1...4).contains($0.count) && $0.allSatisfy(isHexadecimal)
        }
        return unsafe isValid ? parts.count + (endsWithIPv4 ? 1 : 0) : nil
    }

    private static func number(_ bytes: Bytes, digitsMax: Int) -> Int? {
        guard unsafe (1...digitsMax).contains(bytes.count), unsafe bytes.allSatisfy(isDigit) else { return nil }
        return unsafe bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }
    private static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }

    /// Reads the parts of dates and times from left to right.
    ///
    /// It lives inside the call that borrows the bytes, and compares each position with their count.
    @safe private struct Reader {
        private let bytes: UnsafeRawBufferPointer
        private var position = 0

        init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = unsafe bytes }

        var atEnd: Bool { unsafe position == bytes.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard unsafe position < bytes.count, unsafe bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func number(digits: Int, in range: ClosedRange<Int>) -> Int? {
            guard unsafe position + digits <= bytes.count else { return nil }
            var value = 0
            for index in position..<(position + digits) {
                let byte = unsafe bytes[index]
                guard isDigit(byte) else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            position += digits
            return range.contains(value) ? value : nil
        }

        mutating func date() -> Bool {
            guard let year = number(digits: 4, in: 0...9999), skip("-"), let month = number(digits: 2, in: 1...12),
                skip("-")
            else { return false }
            return number(digits: 2, in: 1...CivilDate.dayCount(ofMonth: month, year: year)) != nil
        }

        /// `hh:mm[:ss[.fraction]]`, the fraction of one to nine digits.
        mutating func time() -> Bool {
            guard number(digits: 2, in: 0...23) != nil, skip(":"), number(digits: 2, in: 0...59) != nil else {
                return false
            }
            guard skip(":") else { return true }
            guard number(digits: 2, in: 0...59) != nil else { return false }
            guard skip(".") else { return true }
            let start = position
            while unsafe position < bytes.count, unsafe isDigit(bytes[position]) { position += 1 }
            return (1...9).contains(position - start)
        }

        /// `Z`, or `+hh:mm[:ss]` within Java's bound of 18 hours.
        mutating func offset() -> Bool {
            if skip("Z") { return true }
            guard skip("+") || skip("-"), let hours = number(digits: 2, in: 0...18), skip(":"),
                let minutes = number(digits: 2, in: 0...59)
            else { return false }
            var seconds = 0
            if skip(":") {
                guard let value = number(digits: 2, in: 0...59) else { return false }
                seconds = value
            }
            return hours < 18 || minutes + seconds == 0
        }
    }
}
