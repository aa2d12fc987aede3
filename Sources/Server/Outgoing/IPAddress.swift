#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// An IPv4 or IPv6 address as 128 bits; an IPv4 address stands in its IPv4-mapped form (RFC 4291 §2.5.5.2).
struct IPAddress: Sendable, Hashable {
    /// The 16 bytes, the first one highest.
    let bytes: [UInt8]

    private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    /// RFC 6052 §2.1: the well-known prefix by which IPv6 clients reach IPv4 servers (NAT64).
    private static let translatedPrefix: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]

    /// Reads a literal address; an IPv6 one may have brackets. `nil` for anything else, names included.
    init?(_ text: String) {
        var text = text
        if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
        var v4 = in_addr()
        var v6 = in6_addr()
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            bytes = unsafe Self.mappedPrefix + withUnsafeBytes(of: v4) { unsafe Array($0) }
        } else if unsafe inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = unsafe withUnsafeBytes(of: v6) { unsafe Array($0) }
        } else {
            return nil
        }
    }

    /// The address of a socket address that the resolver returned; `nil` for other families.
    ///
    /// Memory safety: the resolver returns an address of the family that it names.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            bytes =
                unsafe Self.mappedPrefix
                + address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    unsafe withUnsafeBytes(of: address.pointee.sin_addr) { unsafe Array($0) }
                }
        case AF_INET6:
            bytes = unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                unsafe withUnsafeBytes(of: address.pointee.sin6_addr) { unsafe Array($0) }
            }
        default: return nil
        }
    }

    /// Resolves a host name with the system's resolver, for which it waits.
    ///
    /// - Returns: Every address, in the resolver's order (RFC 6724), without repetitions.
    ///
    /// Memory safety: the list is read before it is freed; the addresses are copied.
    static func resolve(_ name: String) throws(ResolutionError) -> [IPAddress] {
        var hints = unsafe addrinfo()
        #if canImport(Glibc)
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else { throw unsafe ResolutionError(reason: String(cString: gai_strerror(code))) }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ai_addr.flatMap({ unsafe IPAddress($0) }),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            unsafe next = unsafe entry.pointee.ai_next
        }
        guard !addresses.isEmpty else { throw ResolutionError(reason: "No address") }
        return addresses
    }

    /// Why a name has no address, in the resolver's words.
    struct ResolutionError: Error {
        let reason: String
    }

    /// As `inet_ntop` writes it; an IPv4 address in four decimal parts.
    var text: String {
        if let bytesV4 { return bytesV4.map(String.init).joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = unsafe inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private var bytesV4: ArraySlice<UInt8>? { bytes.starts(with: Self.mappedPrefix) ? bytes[12...] : nil }

    /// The IPv4 address in its mapped form where NAT64 translates to one; otherwise the address itself.
    private var translated: IPAddress {
        bytes.starts(with: Self.translatedPrefix) ? IPAddress(bytes: Self.mappedPrefix + bytes[12...]) : self
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }
}

extension IPAddress {
    /// What kind of destination an address is.
    enum Scope: Sendable, Hashable {
        /// Unspecified, multicast, broadcast, link-local or a cloud's metadata service: never a destination.
        case special
        /// This machine.
        case loopback
        /// A private network.
        case `private`
        /// Any other.
        case global
    }

    /// By the registries of special-purpose addresses (RFC 6890).
    var scope: Scope {
        let address = translated
        func isIn(_ ranges: [IPRange]) -> Bool { ranges.contains { $0.contains(address) } }
        if isIn(Self.specialRanges) { return .special }
        if isIn(Self.loopbackRanges) { return .loopback }
        return isIn(Self.privateRanges) ? .private : .global
    }

    private static let specialRanges = [
        // "This network", link-local with the metadata services of clouds, multicast, reserved and broadcast.
        "0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4",
        // Unspecified, link-local, multicast, and the metadata service of AWS.
        "::/128", "fe80::/10", "ff00::/8", "fd00:ec2::254/128",
    ].compactMap(IPRange.init)
    private static let loopbackRanges = ["127.0.0.0/8", "::1/128"].compactMap(IPRange.init)
    private static let privateRanges = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7",
    ].compactMap(IPRange.init)
}
