import Synchronization

/// What is under way by the network that it came from. One network may use half of a capacity, so that it does not take the
/// places of the others.
final class NetworkShares: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    private let countMax: Int

    /// - Parameter capacity: How much may be under way in all.
    init(capacity: Int) { countMax = max(1, capacity / 2) }

    /// Begins something, which `end` ends; false if the network has its share under way.
    ///
    /// - Parameters:
    ///   - network: The `Peer.network` of the caller; nil for what no network waits for.
    ///   - limit: A smaller share than half.
    func begin(for network: String?, atMost limit: Int = .max) -> Bool {
        guard let network else { return true }
        return counts.withLock { counts in
            let count = counts[network] ?? 0
            guard count < min(countMax, limit) else { return false }
            counts[network] = count + 1
            return true
        }
    }

    func end(for network: String?) {
        guard let network else { return }
        counts.withLock { counts in
            let count = (counts[network] ?? 1) - 1
            counts[network] = count == 0 ? nil : count
        }
    }
}
