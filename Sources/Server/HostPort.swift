/// A host name or address with an optional port, as in `Host` (RFC 9110 §7.2) and in an origin (RFC 6454 §6.2).
///
/// It refers to the request's bytes and lives for one call. Nothing here allocates.
struct HostPort {
    /// The name without its port and without the dot that may end a fully qualified name; not empty.
    private let name: Slice<UnsafeRawBufferPointer>

    /// Reads `HOST` or `HOST:PORT`; nil for an empty host. What is neither a name nor an address matches nothing below.
    init?(_ bytes: Slice<UnsafeRawBufferPointer>) {
        var digits = bytes.endIndex
        while digits > bytes.startIndex, Self.isDigit(bytes[digits - 1]) { digits -= 1 }
        let hasPort = digits > bytes.startIndex && bytes[digits - 1] == UInt8(ascii: ":")
        var name = hasPort ? bytes[..<(digits - 1)] : bytes
        if name.last == UInt8(ascii: ".") { name.removeLast() }
        guard !name.isEmpty else { return nil }
        self.name = name
    }

    /// Whether this is an address and no name. Digits and dots are always an address (URL Standard, "ends in a number
    /// checker"), and no name has brackets, so DNS resolves neither.
    var isAddress: Bool { isAddressV4 || isAddressV6 }

    /// Whether this is the name or an address of the loopback interface (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291
    /// §2.5.3).
    var isLoopback: Bool {
        equals("localhost") || (hasSuffix(".localhost") && isName) || equals("[::1]")
            || (hasPrefix("127.") && isAddressV4)
    }

    /// Whether this is the name, which is in lower case, or one that its wildcard stands for: `*.example.test` is for
    /// one label, as in certificates (RFC 6125 §6.4.3).
    func matches(_ pattern: [UInt8]) -> Bool {
        guard pattern.first == UInt8(ascii: "*") else { return equals(pattern) }
        guard let dot = name.firstIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return false }
        return Self.areEqual(name[dot...], pattern.dropFirst())
    }

    /// Whether this has the bytes of a host name alone (RFC 1123 §2.1), and the underscore of some.
    private var isName: Bool {
        name.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: Self.isDigit(byte)
            }
        }
    }

    private var isAddressV4: Bool { name.allSatisfy { Self.isDigit($0) || $0 == UInt8(ascii: ".") } }

    private var isAddressV6: Bool {
        guard name.count > 2, name.first == UInt8(ascii: "["), name.last == UInt8(ascii: "]") else { return false }
        return name.dropFirst().dropLast().allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"),
                UInt8(ascii: "."):
                true
            default: Self.isDigit(byte)
            }
        }
    }

    private func equals(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { Self.areEqual(name, $0) }
    }

    private func equals(_ text: [UInt8]) -> Bool { Self.areEqual(name, text) }

    private func hasPrefix(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { Self.areEqual(name.prefix($0.count), $0) }
    }

    /// Whether the name is longer than the text and ends with it.
    private func hasSuffix(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { name.count > $0.count && Self.areEqual(name.suffix($0.count), $0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether the bytes are the text, which is in lower case, in any case.
    private static func areEqual(_ bytes: Slice<UnsafeRawBufferPointer>, _ text: some Collection<UInt8>) -> Bool {
        guard bytes.count == text.count else { return false }
        return zip(bytes, text).allSatisfy { byte, other in
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            return (isUpper ? byte | 0x20 : byte) == other
        }
    }
}
