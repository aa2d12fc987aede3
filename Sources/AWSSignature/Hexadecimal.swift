/// Bytes as hexadecimal digits.
enum Hexadecimal {
    private static let lowerDigits = Array("0123456789abcdef".utf8)

    /// Two lower-case digits for each byte.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        for byte in bytes {
            digits.append(lowerDigits[Int(byte >> 4)])
            digits.append(lowerDigits[Int(byte & 15)])
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes of a text; nil when it holds anything but digits, of either case, or half a byte.
    static func bytes(of text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 {
            guard let digit = character.hexadecimalDigit else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return high == nil ? bytes : nil
    }
}
