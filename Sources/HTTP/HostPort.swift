/// A host name or address with an optional port: `Host` (RFC 9110 §7.2), and what follows the scheme of an origin
/// (RFC 6454 §6.2). The one place that decides what a loopback host is.
///
/// It refers to the caller's bytes and lives for one call. Nothing here allocates.
///
/// Memory safety: it is used inside the call that borrows the bytes; indexes stay between `startIndex` and `endIndex`.
@safe public struct HostPort {
    /// The name without its port, without the brackets of an IPv6 address, and without the dot that may end a fully
    /// qualified name; not empty.
    private let name: Slice<UnsafeRawBufferPointer>
    /// Whether the name is an IPv6 address.
    private let isAddressV6: Bool

    /// Reads `HOST` or `HOST:PORT`; nil for an empty host, and for brackets that hold no IPv6 address or are followed by
    /// anything but a port. What is neither a name nor an address matches nothing below.
    public init?(_ bytes: Slice<UnsafeRawBufferPointer>) {
        var digits = unsafe bytes.endIndex
        while unsafe digits > bytes.startIndex, unsafe Self.isDigit(bytes[digits - 1]) { digits -= 1 }
        let hasPort = unsafe digits > bytes.startIndex && bytes[digits - 1] == UInt8(ascii: ":")
        if unsafe bytes.first == UInt8(ascii: "[") {
            guard let end = unsafe bytes.firstIndex(of: UInt8(ascii: "]")),
                unsafe end + 1 == bytes.endIndex || (hasPort && end + 2 == digits)
            else { return nil }
            unsafe self.init(addressV6: bytes[bytes.startIndex..<end].dropFirst())
        } else {
            unsafe self.init(name: hasPort ? bytes[..<(digits - 1)] : bytes)
        }
    }

    private init?(name: Slice<UnsafeRawBufferPointer>) {
        var name = unsafe name
        if unsafe name.last == UInt8(ascii: ".") { unsafe name.removeLast() }
        guard unsafe !name.isEmpty else { return nil }
        unsafe (self.name, isAddressV6) = unsafe (name, false)
    }

    private init?(addressV6 name: Slice<UnsafeRawBufferPointer>) {
        guard unsafe !name.isEmpty, unsafe name.allSatisfy(Self.isPartOfAddressV6) else { return nil }
        unsafe (self.name, isAddressV6) = unsafe (name, true)
    }

    /// Whether this is an address and no name. Digits and dots are always an address (URL Standard, "ends in a number
    /// checker"), and no name has brackets, so DNS resolves neither.
    public var isAddress: Bool { isAddressV6 || isAddressV4 }

    /// Whether this is the name or an address of the loopback interface (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291
    /// §2.5.3). An IPv4 client of an IPv6 socket has its address mapped (RFC 4291 §2.5.5.2).
    public var isLoopback: Bool {
        guard !isAddressV6 else { return equals("::1") || hasPrefix("::ffff:127.") }
        return equals("localhost") || (hasSuffix(".localhost") && isName) || (hasPrefix("127.") && isAddressV4)
    }

    /// Whether a name or an address without a port is of the loopback interface; an IPv6 address may have brackets.
    public static func isLoopback(_ host: String) -> Bool {
        var host = host
        return host.withUTF8 { text in
            let bytes = unsafe UnsafeRawBufferPointer(text)[...]
            let isBareV6 = unsafe bytes.first != UInt8(ascii: "[") && bytes.contains(UInt8(ascii: ":"))
            return unsafe (isBareV6 ? HostPort(addressV6: bytes) : HostPort(bytes))?.isLoopback ?? false
        }
    }

    /// `HOST:PORT`, as URLs have it.
    ///
    /// - Parameter host: A name or an address. One of IPv6 gets brackets, if it has none (RFC 3986 §3.2.2).
    public static func text(_ host: String, _ port: Int) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The host, without brackets, and the port of `HOST:PORT`. Nil for anything else: no port or one with leading zeros, no host,
    /// and an address of IPv6 without brackets.
    ///
    /// - Parameter portMin: 0 where that stands for a free port.
    public static func parts(of text: Substring, portMin: Int = 1) -> (host: String, port: Int)? {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let (host, digits) = (text[..<colon], text[text.index(after: colon)...])
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(isDigit),
            digits == "0" || digits.first != "0",
            let port = Int(digits), (portMin...65_535).contains(port)
        else { return nil }
        guard host.first == "[" else { return host.isEmpty || host.contains(":") ? nil : (String(host), port) }
        let address = host.dropFirst().dropLast()
        return host.last == "]" && !address.isEmpty ? (String(address), port) : nil
    }

    /// The host without the brackets that an IPv6 address has in URLs.
    public static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// Whether this is the name, which is in lower case, or one that its wildcard stands for: `*.example.test` is for
    /// one label, as in certificates (RFC 6125 §6.4.3).
    public func matches(_ pattern: [UInt8]) -> Bool {
        guard pattern.first == UInt8(ascii: "*") else { return unsafe Self.areEqual(name, pattern) }
        guard let dot = unsafe name.firstIndex(of: UInt8(ascii: ".")), unsafe dot > name.startIndex else {
            return false
        }
        return unsafe Self.areEqual(name[dot...], pattern.dropFirst())
    }

    /// Whether this is a name below a domain, which is in lower case and begins with a dot here.
    public func isBelow(_ domain: StaticString) -> Bool { hasSuffix(domain) }

    /// The last byte of the name, in lower case: lets callers reject most names cheaply.
    public var lastByte: UInt8 { unsafe (name.last ?? 0).lowercased }

    /// The name in lower case, without a port and without the dot that may end it.
    public var lowercasedName: String { unsafe String(decoding: name.lazy.map(\.lowercased), as: UTF8.self) }

    /// Whether this has only the bytes of a host name (RFC 1123 §2.1), and the underscore of some.
    private var isName: Bool {
        unsafe name.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: Self.isDigit(byte)
            }
        }
    }

    private var isAddressV4: Bool { unsafe name.allSatisfy { Self.isDigit($0) || $0 == UInt8(ascii: ".") } }

    private static func isPartOfAddressV6(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"),
            UInt8(ascii: "."):
            true
        default: isDigit(byte)
        }
    }

    private func equals(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { unsafe Self.areEqual(name, $0) }
    }

    private func hasPrefix(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { unsafe Self.areEqual(name.prefix($0.count), $0) }
    }

    /// Whether the name is longer than the text and ends with it.
    private func hasSuffix(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { unsafe name.count > $0.count && Self.areEqual(name.suffix($0.count), $0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Whether the bytes are the text, which is in lower case, in any case.
    private static func areEqual(_ bytes: Slice<UnsafeRawBufferPointer>, _ text: some Collection<UInt8>) -> Bool {
        guard unsafe bytes.count == text.count else { return false }
        return unsafe zip(bytes, text).allSatisfy { byte, other in
            let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            return (isUpper ? byte | 0x20 : byte) == other
        }
    }
}
