/// Bounds the operations under way and the bytes that they hold, in all and for each network. One network may use half of the
/// operations that the others leave: one alone at most half of all, and each of two busy ones a third. So there is always room for
/// an operation of another network.
struct SharedCapacity: Sendable {
    private struct Use: Sendable {
        var count = 0
        var bytes = 0
    }

    private let countMax: Int
    private let bytesMax: Int
    private let networkCountMax: Int?
    private let networkBytesMax: Int
    private var all = Use()
    private var byNetwork: [String: Use] = [:]

    /// - Parameters:
    ///   - countMax: Operations of all networks together.
    ///   - bytesMax: Bytes of all networks together.
    ///   - networkCountMax: Operations of one network; half of those that the others leave, unless given.
    ///   - networkBytesMax: Bytes of one network.
    init(countMax: Int, bytesMax: Int = .max, networkCountMax: Int? = nil, networkBytesMax: Int = .max) {
        (self.countMax, self.bytesMax, self.networkBytesMax) = (countMax, bytesMax, networkBytesMax)
        self.networkCountMax = networkCountMax
    }

    /// Operations under way.
    var count: Int { all.count }

    /// Operations of a network under way.
    func count(of network: String) -> Int { byNetwork[network]?.count ?? 0 }

    /// Whether an operation with the same arguments would begin.
    func hasRoom(for network: String?, bytes: Int = 0, atMost limit: Int = .max) -> Bool {
        guard all.count < countMax, bytes <= bytesMax - all.bytes else { return false }
        guard let network else { return true }
        let use = byNetwork[network] ?? Use()
        let share = networkCountMax ?? half(of: countMax - (all.count - use.count))
        return use.count < min(share, limit) && bytes <= networkBytesMax - use.bytes
    }

    /// Begins an operation if there is room for it; `end` is to be called if so.
    ///
    /// - Parameters:
    ///   - network: The `Peer.network` of the caller; nil of what no network waits for.
    ///   - limit: Operations of this network, if fewer than of others.
    mutating func begin(for network: String?, bytes: Int = 0, atMost limit: Int = .max) -> Bool {
        guard hasRoom(for: network, bytes: bytes, atMost: limit) else { return false }
        change(network, count: 1, bytes: bytes)
        return true
    }

    /// Rounded up, so that the last place is for a network that has none.
    private func half(of places: Int) -> Int { places - places / 2 }

    /// Adds bytes if there is room for them; `shrink` is to be called if so. They may belong to an operation under way, or to
    /// a request whose operation has not begun.
    mutating func grow(for network: String?, by bytes: Int) -> Bool {
        guard bytes <= bytesMax - all.bytes else { return false }
        if let network, bytes > networkBytesMax - (byNetwork[network]?.bytes ?? 0) { return false }
        change(network, count: 0, bytes: bytes)
        return true
    }

    /// Takes back bytes that were added.
    mutating func shrink(for network: String?, by bytes: Int) { change(network, count: 0, bytes: -bytes) }

    /// Ends an operation that began with the same arguments.
    mutating func end(for network: String?, bytes: Int = 0) { change(network, count: -1, bytes: -bytes) }

    private mutating func change(_ network: String?, count: Int, bytes: Int) {
        all = Use(count: all.count + count, bytes: all.bytes + bytes)
        guard let network else { return }
        let use = byNetwork[network] ?? Use()
        let changed = Use(count: use.count + count, bytes: use.bytes + bytes)
        byNetwork[network] = changed.count == 0 && changed.bytes == 0 ? nil : changed
    }
}
