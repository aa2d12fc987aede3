/// How many connections a forward proxy has, in all and of each network.
struct ConnectionCounts: Sendable {
    private let limits: ProxyLimits
    private(set) var count = 0
    private var counts: [String: Int] = [:]

    init(_ limits: ProxyLimits) { self.limits = limits }

    /// Counts a connection; false if there are too many.
    ///
    /// - Parameter network: Nil for this machine, which is counted only in all.
    mutating func acquire(_ network: String?) -> Bool {
        guard count < limits.connectionsMax else { return false }
        if let network {
            guard counts[network, default: 0] < limits.connectionsPerNetworkMax else { return false }
            counts[network, default: 0] += 1
        }
        count += 1
        return true
    }

    /// Ends the count of a connection that was counted.
    mutating func release(_ network: String?) {
        count -= 1
        guard let network, let own = counts[network] else { return }
        counts[network] = own > 1 ? own - 1 : nil
    }
}
