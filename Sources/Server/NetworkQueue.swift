/// A queue of operations with a bound on those under way, of which one network has at most half. The next operation is of the network
/// with the fewest under way, so a network that sends many delays its own and not those of others.
///
/// The caller of `admit` bounds how many wait.
struct NetworkQueue: Sendable {
    private struct Waiting: Sendable {
        let network: String
        let start: @Sendable () -> Void
    }

    private var underWay: SharedCapacity
    /// In the order in which they were admitted.
    private var waiting: [Waiting] = []

    /// - Parameter countMax: Operations of all networks that are carried out at one time.
    init(countMax: Int) { underWay = SharedCapacity(countMax: countMax, networkCountMax: max(1, countMax / 2)) }

    /// Counts an operation that can begin, and keeps one that has to wait. `end` is to be called when it has ended.
    ///
    /// - Parameter start: Begins an operation that has waited.
    /// - Returns: Whether the operation is to begin now.
    mutating func admit(for network: String, start: @escaping @Sendable () -> Void) -> Bool {
        if underWay.begin(for: network) { return true }
        waiting.append(Waiting(network: network, start: start))
        return false
    }

    /// An operation has ended.
    ///
    /// - Returns: Begins the one that takes its place; nil if none waits that may begin.
    mutating func end(for network: String) -> (@Sendable () -> Void)? {
        underWay.end(for: network)
        let index = waiting.nextTurn {
            underWay.hasRoom(for: $0.network) ? underWay.count(of: $0.network) : nil
        }
        guard let index else { return nil }
        let next = waiting.remove(at: index)
        let isBegun = underWay.begin(for: next.network)
        precondition(isBegun, "there is room for what was chosen")
        return next.start
    }
}

extension Collection {
    /// What is next of those that wait, in their order: of those that may begin, the first one of the network with the fewest
    /// under way.
    ///
    /// - Parameter underWay: How many of its network are under way; nil of one that may not begin.
    func nextTurn(_ underWay: (Element) -> Int?) -> Index? {
        var next: (index: Index, count: Int)?
        for index in indices {
            guard let count = underWay(self[index]), count < next?.count ?? .max else { continue }
            next = (index, count)
            if count == 0 { break }
        }
        return next?.index
    }
}
