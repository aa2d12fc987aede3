/// Bytes as text: base64 (RFC 4648 §4) and base64url (§5).
public enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlDigits = Array(digits[..<62]) + Array("-_".utf8)

    /// Base64 with padding.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text = encode(bytes, digits)
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Base64url without padding.
    public static func encodeURL(_ bytes: [UInt8]) -> String {
        String(decoding: encode(bytes, urlDigits), as: UTF8.self)
    }

    private static func encode(_ bytes: [UInt8], _ digits: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(digits[Int(bits >> bitCount & 63)])
            }
        }
        if bitCount > 0 { text.append(digits[Int(bits << (6 - bitCount) & 63)]) }
        return text
    }

    /// The bytes of base64url without padding; nil when a character is no digit of it, or bits are left over that no
    /// encoder writes. So each byte sequence has one text.
    public static func decodeURL(_ text: String) -> [UInt8]? {
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") }),
            let bytes = decode(text.utf8),
            encodeURL(Array(bytes.suffix(bytes.count % 3))) == text.suffix(text.utf8.count % 4)
        else { return nil }
        return bytes
    }

    /// The bytes of a text as clients write it: either alphabet, with padding, without, or with too little; nil when it
    /// holds anything else, or ends within a byte.
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        // The sequences of other modules are not specialized here: their iterators cost a call for each byte.
        text.withContiguousStorageIfAvailable { unsafe decodeEach(of: $0) } ?? decodeEach(of: text)
    }

    private static func decodeEach(of text: some Sequence<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.underestimatedCount / 4 * 3 + 3)
        var bits: UInt32 = 0
        var digitCount = 0
        var paddingCount = 0
        for character in text {
            if character == UInt8(ascii: "=") {
                paddingCount += 1
                continue
            }
            guard paddingCount == 0, let digit = value(of: character) else { return nil }
            bits = bits << 6 | digit
            digitCount += 1
            // Each digit from the second on of a group of four completes a byte: 12, 18 and 24 bits hold 1, 2 and 3.
            switch digitCount % 4 {
            case 2: decoded.append(UInt8(truncatingIfNeeded: bits >> 4))
            case 3: decoded.append(UInt8(truncatingIfNeeded: bits >> 2))
            case 0: decoded.append(UInt8(truncatingIfNeeded: bits))
            default: break
            }
        }
        guard digitCount % 4 != 1, paddingCount <= 2 else { return nil }
        return decoded
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
