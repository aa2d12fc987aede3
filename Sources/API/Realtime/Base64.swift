/// Base64 as clients write it: either alphabet (RFC 4648 §4 and §5), with padding, without, or with too little.
enum Base64 {
    /// The bytes that the text stands for; nil when it holds anything else, or ends within a byte.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
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
