import Buckets

/// How many requests to buckets may be under way. A tenth is kept for operators. Of the rest, the requests of one network
/// take three quarters of all at most, those of its guests a quarter, and those of one identity an eighth.
///
/// A request that waits for the bytes of its client does not count meanwhile: `beginWait` and `endWait` enclose each wait. Requests
/// with such a body are bounded by another `StorageCapacity`, of which each has its place from its beginning to its end.
struct StorageCapacity: Sendable {
    private let countMax: Int
    private(set) var count = 0
    private var byNetwork: [String: Int] = [:]
    private var guestsByNetwork: [String: Int] = [:]
    private var byIdentity: [String: Int] = [:]

    /// - Parameter countMax: Requests of all callers together.
    init(countMax: Int) { self.countMax = countMax }

    /// Begins a request if there is room for it; `end` is to be called if so.
    mutating func begin(_ share: CapacityShare, from network: String) -> Bool {
        guard hasRoom(share, network) else { return false }
        change(share, network, by: 1)
        return true
    }

    /// Ends a request that began with the same arguments.
    mutating func end(_ share: CapacityShare, from network: String) { change(share, network, by: -1) }

    /// A request waits for its client from now on.
    mutating func beginWait(_ share: CapacityShare, from network: String) { change(share, network, by: -1) }

    /// A request goes on, also where others have taken all the room: it has begun, and cannot be refused any more.
    mutating func endWait(_ share: CapacityShare, from network: String) { change(share, network, by: 1) }

    private func hasRoom(_ share: CapacityShare, _ network: String) -> Bool {
        guard share != .operator else { return count < countMax }
        guard count < countMax - countMax / 10, byNetwork[network] ?? 0 < max(1, countMax * 3 / 4) else { return false }
        return switch share {
        case .operator: true
        case .identity(let id): byIdentity[id] ?? 0 < max(1, countMax / 8)
        case .guests: guestsByNetwork[network] ?? 0 < max(1, countMax / 4)
        }
    }

    private mutating func change(_ share: CapacityShare, _ network: String, by change: Int) {
        count += change
        switch share {
        case .operator: return
        case .identity(let id): byIdentity.add(change, to: id)
        case .guests: guestsByNetwork.add(change, to: network)
        }
        byNetwork.add(change, to: network)
    }
}

extension [String: Int] {
    fileprivate mutating func add(_ change: Int, to key: String) {
        let count = (self[key] ?? 0) + change
        self[key] = count == 0 ? nil : count
    }
}
