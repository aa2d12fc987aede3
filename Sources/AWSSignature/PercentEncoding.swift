/// RFC 3986 §2.1 as Signature Version 4 uses it: unreserved characters stay, every other byte becomes `%` and two
/// upper-case digits. AWS, "Create a signed AWS API request", `UriEncode`.
enum PercentEncoding {
    private static let upperDigits = Array("0123456789ABCDEF".utf8)

    /// Appends bytes encoded. A path keeps its slashes; a query name or value does not.
    static func append(_ bytes: some Sequence<UInt8>, keepsSlash: Bool, to text: inout [UInt8]) {
        for byte in bytes {
            if isUnreserved(byte) || (keepsSlash && byte == UInt8(ascii: "/")) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(upperDigits[Int(byte >> 4)])
                text.append(upperDigits[Int(byte & 15)])
            }
        }
    }

    /// Encoded text.
    static func encode(_ text: String, keepsSlash: Bool = false) -> String {
        var encoded: [UInt8] = []
        append(text.utf8, keepsSlash: keepsSlash, to: &encoded)
        return String(decoding: encoded, as: UTF8.self)
    }

    /// The bytes that a text stands for; nil when two hexadecimal digits do not follow each `%`. A plus sign is a plus
    /// sign.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next()?.hexadecimalDigit, let low = iterator.next()?.hexadecimalDigit else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
