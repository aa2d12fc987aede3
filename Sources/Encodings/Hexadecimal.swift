/// Bytes as hexadecimal digits (RFC 4648 §8).
public enum Hexadecimal {
    private static let lowerDigits = Array("0123456789abcdef".utf8)

    /// Two lower-case digits for each byte.
    public static func text(of bytes: some Sequence<UInt8>) -> String {
        // The sequences of other modules are not specialized here: their iterators cost a call for each byte.
        bytes.withContiguousStorageIfAvailable { unsafe textOfEach($0) } ?? textOfEach(bytes)
    }

    private static func textOfEach(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            digits.append(lowerDigits[Int(byte >> 4)])
            digits.append(lowerDigits[Int(byte & 15)])
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes of a text; nil when it holds anything but digits, of either case, or half a byte.
    public static func bytes(of text: some StringProtocol) -> [UInt8]? {
        text.utf8.withContiguousStorageIfAvailable { unsafe bytesOfEach($0) } ?? bytesOfEach(text.utf8)
    }

    private static func bytesOfEach(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.underestimatedCount / 2)
        var high: UInt8?
        for character in text {
            guard let digit = value(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil ? bytes : nil
    }

    /// Sixteen bytes as a UUID is written (RFC 9562 §4): groups of 8, 4, 4, 4 and 12 digits.
    public static func uuid(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array(text(of: bytes).utf8)
        precondition(digits.count == 32, "a UUID has 16 bytes")
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
            .map { String(decoding: digits[$0], as: UTF8.self) }.joined(separator: "-")
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
