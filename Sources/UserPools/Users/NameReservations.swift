import Synchronization

/// User names and subs of users that are being created. Of two concurrent requests with the same name, one is refused.
final class NameReservations: Sendable {
    private let names = Mutex<Set<String>>([])

    /// Reserves names, all or none.
    func take(_ wanted: [String]) -> Bool {
        names.withLock { names in
            guard names.isDisjoint(with: wanted) else { return false }
            names.formUnion(wanted)
            return true
        }
    }

    func release(_ taken: [String]) { names.withLock { $0.subtract(taken) } }
}
