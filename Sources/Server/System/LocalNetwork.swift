import NIOCore

/// The network that this machine is in.
enum LocalNetwork {
    /// The machine's address of IPv4 by which devices of its network reach it; nil where it has none.
    static var address: String? {
        let devices = (try? System.enumerateDevices()) ?? []
        return preferred(
            of: devices.filter { $0.pointToPointDestinationAddress == nil }.compactMap(\.address?.ipAddress))
    }

    /// The first address of a home's network, or else of another private one (RFC 1918 §3), or else any that is neither
    /// loopback nor link-local (RFC 3927). 172.16.0.0/12 comes last of the private ones: containers have their bridges there.
    static func preferred(of addresses: [String]) -> String? {
        let usable = addresses.filter { text in
            text.contains(".") && !text.contains(":") && !["127.", "169.254.", "0."].contains { text.hasPrefix($0) }
        }
        func isContainers(_ text: String) -> Bool {
            let parts = text.split(separator: ".").compactMap { Int($0) }
            return parts.count == 4 && parts[0] == 172 && (16...31).contains(parts[1])
        }
        return usable.first { $0.hasPrefix("192.168.") } ?? usable.first { $0.hasPrefix("10.") }
            ?? usable.first { !isContainers($0) } ?? usable.first
    }
}
