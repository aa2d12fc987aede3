import Encodings

/// Percent-encoding (RFC 3986 §2.1).
enum Percent {
    /// A text as a component of a query: all but letters, digits and `-._~` escaped.
    static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if byte.isDigit || byte.isLowercaseLetter || byte.isUppercaseLetter || "-._~".utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// A text with its escapes decoded; what is no escape stands for itself.
    static func decode(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var (decoded, index): ([UInt8], Int) = ([], 0)
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let byte = Hexadecimal.bytes(of: String(decoding: bytes[index + 1...index + 2], as: UTF8.self))
            {
                decoded += byte
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
