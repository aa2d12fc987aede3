import NIOCore

extension Peer {
    init(_ address: SocketAddress?) {
        guard let address, let ip = address.ipAddress else {
            self.init()
            return
        }
        let port = address.port ?? 0
        self.init(
            isLoopback: HostPort.isLoopback(ip), description: ip.contains(":") ? "[\(ip)]:\(port)" : "\(ip):\(port)")
    }
}
