/// The parameters of a form (`application/x-www-form-urlencoded`) or of a query. Of equal names the last counts.
///
/// Lenient, because clients are: a value is what stands after the first `=`, an escape that is none stands for itself
/// (reference: auth, "Hosted pages").
struct FormParameters: Sendable {
    private var values: [String: String] = [:]
    /// Parameters that are read; more are left out.
    static let countMax = 200

    /// - Parameter plusIsSpace: Whether a plus sign stands for a space, as browsers write it.
    init(_ bytes: some Sequence<UInt8>, plusIsSpace: Bool = true) {
        for part in Array(bytes).split(separator: UInt8(ascii: "&")).prefix(Self.countMax) {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let value = end < part.endIndex ? part[(end + 1)...] : []
            values[Self.decode(part[..<end], plusIsSpace)] = Self.decode(value, plusIsSpace)
        }
    }

    init(_ text: String, plusIsSpace: Bool = true) { self.init(Array(text.utf8), plusIsSpace: plusIsSpace) }

    subscript(name: String) -> String? { values[name] }

    /// The values by name.
    var dictionary: [String: String] { values }

    /// A text with its escapes decoded.
    static func decode(_ bytes: some Sequence<UInt8>, _ plusIsSpace: Bool = false) -> String {
        let bytes = Array(bytes)
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

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
