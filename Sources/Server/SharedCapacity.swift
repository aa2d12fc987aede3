/// How much may be under way at one time, in operations and in the bytes that they hold. One network may use a part of it, so
/// that it does not take the places of the others.
struct SharedCapacity: Sendable {
    private struct Use: Sendable {
        var count = 0
        var bytes = 0
    }

    private let countMax: Int
    private let bytesMax: Int
    private let networkCountMax: Int
    private let networkBytesMax: Int
    private var all = Use()
    private var byNetwork: [String: Use] = [:]

    /// - Parameters:
    ///   - countMax: Operations of all networks together.
    ///   - bytesMax: Bytes of all networks together.
    ///   - networkCountMax: Operations of one network; half of all, unless given.
    ///   - networkBytesMax: Bytes of one network.
    init(countMax: Int, bytesMax: Int = .max, networkCountMax: Int? = nil, networkBytesMax: Int = .max) {
        (self.countMax, self.bytesMax, self.networkBytesMax) = (countMax, bytesMax, networkBytesMax)
        self.networkCountMax = max(1, networkCountMax ?? countMax / 2)
    }

    /// Operations under way.
    var count: Int { all.count }

    /// Begins an operation if there is room for it; `end` is to be called if so.
    ///
    /// - Parameters:
    ///   - network: The `Peer.network` of the caller; nil of what no network waits for.
    ///   - limit: Operations of this network, if fewer than of others.
    mutating func begin(for network: String?, bytes: Int = 0, atMost limit: Int = .max) -> Bool {
        guard all.count < countMax, bytes <= bytesMax - all.bytes else { return false }
        if let network {
            let use = byNetwork[network] ?? Use()
            guard use.count < min(networkCountMax, limit), bytes <= networkBytesMax - use.bytes else { return false }
            byNetwork[network] = Use(count: use.count + 1, bytes: use.bytes + bytes)
        }
        all = Use(count: all.count + 1, bytes: all.bytes + bytes)
        return true
    }

    /// Adds bytes to an operation under way if there is room for them; `shrink` is to be called if so.
    mutating func grow(for network: String?, by bytes: Int) -> Bool {
        guard bytes <= bytesMax - all.bytes else { return false }
        if let network, let use = byNetwork[network] {
            guard bytes <= networkBytesMax - use.bytes else { return false }
            byNetwork[network]?.bytes += bytes
        }
        all.bytes += bytes
        return true
    }

    /// Takes back bytes that were added, before the operation ends.
    mutating func shrink(for network: String?, by bytes: Int) {
        all.bytes -= bytes
        if let network { byNetwork[network]?.bytes -= bytes }
    }

    /// Ends an operation that began with the same arguments.
    mutating func end(for network: String?, bytes: Int = 0) {
        all = Use(count: all.count - 1, bytes: all.bytes - bytes)
        guard let network, let use = byNetwork[network] else { return }
        byNetwork[network] = use.count == 1 ? nil : Use(count: use.count - 1, bytes: use.bytes - bytes)
    }
}
