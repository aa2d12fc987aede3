internal import Synchronization

/// The stamps of changes, and the gate that keeps them and the starts of syncs in order
/// (reference: datastore-sync, "Stamps and starts").
///
/// What it promises: a change that a sync did not see has a stamp not below the sync's start. So a device that asks for
/// the changes since that start misses none, however long the transaction takes and wherever the clock goes.
///
/// All changes of a transaction have one stamp, taken while it alone may write: so stamps never decrease in the order of
/// the commits. A start is never later than the stamp in flight, and taken while the snapshot is pinned, under the lock
/// that the writer needs to begin a stamp and, after its commit was announced, to end it.
final class Stamps: Sendable {
    private struct State {
        /// The latest stamp or start given out.
        var last: Int64
        /// The stamp of the transaction under way.
        var inFlight: Int64?
    }

    let clock: WallClock
    let tombstoneSeconds: Int64
    private let state: Mutex<State>

    /// - Parameter last: The latest stamp in the store.
    init(_ clock: WallClock, after last: Int64, tombstoneSeconds: Int64) {
        self.clock = clock
        self.tombstoneSeconds = tombstoneSeconds
        state = Mutex(State(last: last))
    }

    /// The stamp of the transaction that is open. On the writer's thread.
    func begin() -> Int64 {
        state.withLock { state in
            let stamp = max(clock.milliseconds(), state.last)
            (state.last, state.inFlight) = (stamp, stamp)
            return stamp
        }
    }

    /// The transaction's end was announced, or it was undone. On the writer's thread.
    func end() {
        state.withLock { $0.inFlight = nil }
    }

    /// Calls the body with the start of a sync, while no stamp begins or ends. The body begins the snapshot, and reads.
    ///
    /// The start is never in the future, for a device does not believe that; a clock that stepped back makes it earlier
    /// than it could be, and what the device knows comes again.
    func withStart<Success: Sendable>(
        _ body: (Int64) throws(StoreError) -> Success
    ) throws(StoreError) -> Success {
        try state.withLock { (state) throws(StoreError) -> Success in
            let now = clock.milliseconds()
            let start = min(state.inFlight ?? now, now)
            state.last = max(state.last, start)
            return try body(start)
        }
    }
}

extension Catalog {
    /// The latest stamp in the store; 0 without any.
    func lastStamp(on connection: Connection) throws(StoreError) -> Int64 {
        var last: Int64 = 0
        for table in tables {
            guard let versioning = table.versioning else { continue }
            last = max(last, versioning.deltaHorizon)
            guard versioning.isOn else { continue }
            // Found at the end of the index on it.
            let latest = try connection.rows(
                "SELECT max(\(table.lastChangedAt)) FROM \(table.storedName.quoted)", columns: 1)
            last = max(last, latest.first?.integer(0) ?? 0)
        }
        return last
    }
}
