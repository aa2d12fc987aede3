internal import CSQLite
internal import Synchronization

/// Copies the write-ahead log into the database when it has grown, on a thread and a connection of its own, so that no
/// COMMIT waits for it.
final class Checkpointer: Sendable {
    /// Checkpoints are counted; the thread works while more were asked for than have begun.
    private struct State {
        var asked: UInt64 = 0
        var begun: UInt64 = 0
        var ended: UInt64 = 0
        var isClosing = false
    }

    private let state = Monitor(State())
    private let thread = Mutex<StoreThread?>(nil)

    /// Starts the thread. It alone uses the connection from here on.
    init(_ connection: sending Connection) throws(StoreError) {
        let handover = Handover(connection)
        let started = try StoreThread { [self] in
            if let connection = handover.take() { run(connection) }
        }
        thread.withLock { $0 = started }
    }

    /// Asks for a checkpoint. Asking again before it begins asks for no second one.
    func wake() {
        state.update { state in
            state.asked = state.begun + 1
            return true
        }
    }

    /// Asks for a checkpoint and waits for its end.
    func wakeAndWait() {
        var ticket: UInt64 = 0
        state.update { state in
            ticket = state.begun + 1
            state.asked = ticket
            return true
        }
        state.wait { state in state.ended >= ticket || state.isClosing ? () : nil }
    }

    /// Waits for the end of the thread, and of its connection.
    func close() {
        state.update { state in
            state.isClosing = true
            return true
        }
        thread.withLock { $0 }?.join()
    }

    /// How many checkpoints were run.
    var count: UInt64 { state.wait { $0.ended } }

    private func run(_ connection: Connection) {
        while waitForWork() {
            connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
            state.update { state in
                state.ended += 1
                return true
            }
        }
        // At the end the log is emptied, unless a reader is still at it, which is not waited for.
        sqlite3_busy_timeout(connection.handle, 0)
        connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
    }

    private func waitForWork() -> Bool {
        state.wait { state in
            if state.isClosing { return false }
            guard state.asked > state.begun else { return nil }
            state.begun += 1
            return true
        }
    }
}

extension Connection {
    /// Copies the log into the database, as far as readers let it. What could not be copied is copied the next time.
    fileprivate func checkpoint(_ mode: Int32) {
        sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
    }
}
