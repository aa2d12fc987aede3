package import NIOCore

extension Peer {
    /// The peer at an address; unknown without one.
    package init(_ address: SocketAddress?) {
        guard let address, let ip = address.ipAddress else {
            self.init()
            return
        }
        self.init(isLoopback: HostPort.isLoopback(ip), description: HostPort.text(ip, address.port ?? 0))
    }
}

extension Peer {
    /// The address without the port; of an IPv6 address the first 64 bits alone, since one client has all that begin with
    /// them (RFC 4291 §2.5.4). What is bounded for each client is counted by it.
    public var network: String {
        let host = host
        // An IPv4 address that is written as one of IPv6 counts whole.
        guard host.utf8.first == UInt8(ascii: "["), !host.utf8.contains(UInt8(ascii: ".")) else { return String(host) }
        return Self.groups(of: host.dropFirst().dropLast()).prefix(4).joined(separator: ":")
    }

    /// The groups of an IPv6 address, those included that the text leaves out (RFC 5952).
    private static func groups(of text: Substring) -> [Substring] {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let gap = parts.firstIndex(of: "") else { return parts }
        let tail = parts[gap...].drop { $0.isEmpty }
        return parts[..<gap] + [Substring](repeating: "0", count: max(0, 8 - gap - tail.count)) + tail
    }
}
