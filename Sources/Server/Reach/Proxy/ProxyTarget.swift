import HTTP

/// The host and the port that a CONNECT names (RFC 9110 §9.3.6, RFC 9112 §3.2.3).
struct ProxyTarget: Sendable, Hashable {
    /// A name in lower case without the dot that may end it, or the text of an address without brackets.
    let host: String
    /// The address that the host is; nil for a name.
    let address: IPAddress?
    /// From 1 to 65,535.
    let port: Int

    /// Reads `HOST:PORT`. Nil for anything else: no port or one with leading zeros, user information, a character that no
    /// host name has, an IPv6 address without brackets or with a zone, an IPv4 address written as one of IPv6, and
    /// numbers that some resolvers take for an address, such as `127.1` and `0x7f000001`.
    init?(_ text: Substring) {
        guard text.utf8.count <= Self.bytesMax, let (host, port) = HostPort.parts(of: text) else { return nil }
        self.port = port
        if text.hasPrefix("[") {
            // `IPAddress` accepts one pair of brackets: here it is that of the text.
            guard let address = IPAddress("[\(host)]"), address.text.contains(":") else { return nil }
            (self.host, self.address) = (address.text, address)
            return
        }
        let name = (host.hasSuffix(".") ? host.dropLast() : host[...]).lowercased()
        guard Self.isName(name) else { return nil }
        self.host = name
        guard Self.endsInNumber(name) else {
            address = nil
            return
        }
        guard let address = IPAddress(name) else { return nil }
        self.address = address
    }

    /// As CONNECT has it.
    var text: String { HostPort.text(host, port) }

    /// Of the longest name (RFC 1035 §2.3.4), the dot that ends it, and a port.
    private static let bytesMax = 253 + 1 + 6

    /// RFC 1123 §2.1, and the underscore that some names have.
    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= 253
            && name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                    && label.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                            UInt8(ascii: "-"), UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }

    /// Whether the last label is a number, decimal or hexadecimal: then the whole is an address or nothing (URL Standard,
    /// "ends in a number checker").
    private static func endsInNumber(_ name: String) -> Bool {
        guard let last = name.split(separator: ".").last else { return false }
        if last.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) { return true }
        guard last.hasPrefix("0x") else { return false }
        return last.dropFirst(2).allSatisfy(\.isHexDigit)
    }
}
