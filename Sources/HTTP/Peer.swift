/// Who is at the other end of a connection.
public struct Peer: Sendable, Equatable {
    /// Whether the connection came from this machine, over the loopback interface.
    public let isLoopback: Bool
    /// `UInt32.max`, which no user has, for nil: a request with an optional here would be moved by a call of memcpy.
    private let user: UInt32
    /// Address and port, for the log.
    public let description: String
    /// The user of the process at the other end of a Unix-domain socket, as the system reports it; nil for every other
    /// connection.
    public var localUser: UInt32? { user == .max ? nil : user }

    /// The address without the port.
    public var address: String { String(host) }

    /// The same. Looked for by bytes, because each request to buckets has it.
    var host: Substring {
        description[..<(description.utf8.lastIndex(of: UInt8(ascii: ":")) ?? description.endIndex)]
    }

    /// The same without the brackets of an IPv6 address.
    public var ipAddress: String {
        let address = address
        return address.hasPrefix("[") ? String(address.dropFirst().dropLast()) : address
    }

    /// A peer by what is known of it.
    public init(isLoopback: Bool = false, description: String = "unknown", localUser: UInt32? = nil) {
        self.isLoopback = isLoopback
        self.description = description
        user = localUser ?? .max
    }
}
