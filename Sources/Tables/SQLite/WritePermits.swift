internal import Synchronization

/// The permits of a store's tables, by their SQLite names.
final class WritePermits: Sendable {
    private let permits = Mutex<[String: WritePermit]>([:])

    /// The permit for plans that are made from now on.
    func permit(for storedName: String) -> WritePermit {
        permits.withLock { permits in
            if let permit = permits[storedName] { return permit }
            let permit = WritePermit()
            permits[storedName] = permit
            return permit
        }
    }

    /// Refuses the writes of all plans that were made until now.
    func revoke(_ storedName: String) {
        permits.withLock { $0.removeValue(forKey: storedName) }?.revoke()
    }
}
