import NIOCore

extension Peer {
    init(_ address: SocketAddress?) {
        guard let address, let ip = address.ipAddress else {
            self.init()
            return
        }
        // An IPv4 client of an IPv6 socket comes with its address mapped (RFC 4291 §2.5.5.2).
        let isLoopback = ip.hasPrefix("127.") || ip == "::1" || ip.hasPrefix("::ffff:127.")
        let port = address.port ?? 0
        self.init(isLoopback: isLoopback, description: ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)")
    }
}
