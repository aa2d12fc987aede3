/// How many connections a forward proxy has, in all and of each network.
struct ConnectionCounts: Sendable {
    private let limits: ProxyLimits
    private(set) var count = 0
    private var counts: [String: Int] = [:]

    init(_ limits: ProxyLimits) { self.limits = limits }

    /// Takes a place; false where there is none.
    ///
    /// - Parameter network: Nil for this machine, which is counted in all alone.
    mutating func acquire(_ network: String?) -> Bool {
        guard count < limits.connectionsMax else { return false }
        if let network {
            guard counts[network, default: 0] < limits.connectionsPerNetworkMax else { return false }
            counts[network, default: 0] += 1
        }
        count += 1
        return true
    }

    /// Gives a place back that was taken.
    mutating func release(_ network: String?) {
        count -= 1
        guard let network, let own = counts[network] else { return }
        counts[network] = own > 1 ? own - 1 : nil
    }
}
