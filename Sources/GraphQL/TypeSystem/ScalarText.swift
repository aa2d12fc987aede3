import Encodings

/// The texts that AppSync's scalars accept (reference: appsync-protocol, "Scalars"). Each test reads bytes once and
/// keeps nothing.
///
/// The forms are those of Java's formatters (ISO_OFFSET_DATE and its kin), with capital `T` and `Z` only.
enum ScalarText {
    /// `2019-02-28`, `1970-01-01Z`, `1970-01-01+05:30`.
    static func isDate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = Reader(bytes)
        return reader.date() && (reader.atEnd || reader.offset()) && reader.atEnd
    }

    /// `12:00`, `12:00:30.5`, `12:00+02:00`.
    static func isTime(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = Reader(bytes)
        return reader.time() && (reader.atEnd || reader.offset()) && reader.atEnd
    }

    /// `2019-02-28T12:00Z`; the offset is not optional.
    static func isDateTime(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = Reader(bytes)
        return reader.date() && reader.skip("T") && reader.time() && reader.offset() && reader.atEnd
    }

    /// HTML, "Valid e-mail address": atext and dots, `@`, labels of up to 63 letters, digits and inner hyphens.
    static func isEmail(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let at = bytes.firstIndex(of: UInt8(ascii: "@")), at > 0 else { return false }
        guard bytes[..<at].allSatisfy({ isAlphanumeric($0) || ".!#$%&'*+/=?^_`{|}~-".utf8.contains($0) }) else {
            return false
        }
        let labels = bytes[(at + 1)...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            guard let first = label.first, let last = label.last, label.count <= 63 else { return false }
            return isAlphanumeric(first) && isAlphanumeric(last)
                && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// A scheme and something after it, without blanks; AppSync refuses `//` inside a path.
    static func isURL(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, isLetter(bytes[0]) else { return false }
        guard bytes[..<colon].allSatisfy({ isAlphanumeric($0) || "+-.".utf8.contains($0) }) else { return false }
        var rest = bytes[(colon + 1)...]
        guard !rest.isEmpty, rest.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"<>\"\\^`{|}".utf8.contains($0) }) else {
            return false
        }
        let slash = UInt8(ascii: "/")
        if rest.starts(with: [slash, slash]) {
            rest = rest.dropFirst(2)
            let authorityEnd = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
            // `file:///etc` is the one kind of URL whose authority is empty by design.
            guard authorityEnd > rest.startIndex || bytes[..<colon].elementsEqual("file".utf8) else { return false }
            rest = rest[authorityEnd...]
        }
        let path = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        return !zip(path, path.dropFirst()).contains { $0 == slash && $1 == slash }
    }

    /// E.164 with a leading `+`, or ten digits of the North American plan; blanks, hyphens and parentheses may stand
    /// between. AppSync asks libphonenumber; this is its shape without its tables.
    static func isPhone(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var digits: [UInt8] = []
        let isInternational = bytes.first == UInt8(ascii: "+")
        for byte in bytes.dropFirst(isInternational ? 1 : 0) where !" -()".utf8.contains(byte) {
            guard isDigit(byte), digits.count < 16 else { return false }
            digits.append(byte - UInt8(ascii: "0"))
        }
        guard isInternational else { return digits.count == 10 && digits[0] >= 2 && digits[3] >= 2 }
        return (7...15).contains(digits.count) && digits[0] != 0
    }

    /// `10.0.0.1`, `10.0.0.0/8`, `::1`, `2001:db8::/32`, `::ffff:10.0.0.1`.
    static func isIPAddress(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        let address = bytes[..<slash]
        let isVersion6 = address.contains(UInt8(ascii: ":"))
        guard isVersion6 ? isIPv6(address) : isIPv4(address) else { return false }
        guard slash < bytes.endIndex else { return true }
        return number(bytes[(slash + 1)...], digitsMax: 3).map { $0 <= (isVersion6 ? 128 : 32) } ?? false
    }

    private typealias Bytes = Slice<UnsafeRawBufferPointer>

    private static func isIPv4(_ bytes: Bytes) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { number($0, digitsMax: 3).map { $0 <= 255 } ?? false }
    }

    /// RFC 4291 §2.2: eight groups, one run of zeros may be `::`, the last two may be an IPv4 address.
    private static func isIPv6(_ bytes: Bytes) -> Bool {
        let colon = UInt8(ascii: ":")
        guard bytes.count <= 45 else { return false }
        guard let gap = bytes.indices.dropLast().first(where: { bytes[$0] == colon && bytes[$0 + 1] == colon }) else {
            return groups(bytes, mayEndWithIPv4: true) == 8
        }
        guard let head = gap == bytes.startIndex ? 0 : groups(bytes[..<gap], mayEndWithIPv4: false),
            let tail = gap + 2 == bytes.endIndex ? 0 : groups(bytes[(gap + 2)...], mayEndWithIPv4: true)
        else { return false }
        return head + tail <= 7
    }

    /// How many groups of 16 bits stand there, between single colons; `nil` where something else does.
    private static func groups(_ bytes: Bytes, mayEndWithIPv4: Bool) -> Int? {
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard let last = parts.last else { return nil }
        let endsWithIPv4 = mayEndWithIPv4 && isIPv4(last)
        let isValid = parts.dropLast(endsWithIPv4 ? 1 : 0).allSatisfy {
            (1...4).contains($0.count) && $0.allSatisfy(isHexadecimal)
        }
        return isValid ? parts.count + (endsWithIPv4 ? 1 : 0) : nil
    }

    private static func number(_ bytes: Bytes, digitsMax: Int) -> Int? {
        guard (1...digitsMax).contains(bytes.count), bytes.allSatisfy(isDigit) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }
    private static func isHexadecimal(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }

    /// Reads the parts of dates and times from left to right.
    private struct Reader {
        private let bytes: UnsafeRawBufferPointer
        private var position = 0

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        var atEnd: Bool { position == bytes.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func number(digits: Int, in range: ClosedRange<Int>) -> Int? {
            guard position + digits <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[position..<(position + digits)] {
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
            while position < bytes.count, isDigit(bytes[position]) { position += 1 }
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
