/// Percent-encoding (RFC 3986 §2.1).
public enum Percent {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// A text as a component of a query: all but letters, digits and `-._~` escaped.
    public static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        append(text.utf8, keepsSlash: false, to: &encoded)
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Appends bytes encoded.
    ///
    /// - Parameter keepsSlash: Whether slashes stay, as in a path.
    public static func append(_ bytes: some Sequence<UInt8>, keepsSlash: Bool, to text: inout [UInt8]) {
        // The sequences of other modules are not specialized here: their iterators cost a call for each byte.
        let appended: Void? = bytes.withContiguousStorageIfAvailable {
            unsafe appendEach(of: $0, keepsSlash: keepsSlash, to: &text)
        }
        if appended == nil { appendEach(of: bytes, keepsSlash: keepsSlash, to: &text) }
    }

    private static func appendEach(of bytes: some Sequence<UInt8>, keepsSlash: Bool, to text: inout [UInt8]) {
        for byte in bytes {
            if isUnreserved(byte) || (keepsSlash && byte == UInt8(ascii: "/")) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
        }
    }

    /// The bytes that a text stands for; nil if a `%` is not followed by two hexadecimal digits.
    ///
    /// - Parameter plus: What a `+` stands for: a space in forms, itself elsewhere.
    public static func decodeStrictly(
        _ text: some Sequence<UInt8>, plus: UInt8 = UInt8(ascii: "+")
    ) -> [UInt8]? {
        text.withContiguousStorageIfAvailable { unsafe decodeEach(of: $0, plus: plus) }
            ?? decodeEach(of: text, plus: plus)
    }

    private static func decodeEach(of text: some Sequence<UInt8>, plus: UInt8) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.underestimatedCount)
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte == UInt8(ascii: "+") ? plus : byte)
                continue
            }
            guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// A text with its escapes decoded; what is no escape stands for itself.
    ///
    /// - Parameter plusIsSpace: Whether a plus sign stands for a space, as in forms of browsers.
    public static func decode(_ text: some Sequence<UInt8>, plusIsSpace: Bool = false) -> String {
        let bytes = Array(text)
        var (decoded, index): ([UInt8], Int) = ([], 0)
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(plusIsSpace && bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// A text with its escapes decoded; what is no escape stands for itself.
    public static func decode(_ text: String) -> String { decode(text.utf8) }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
