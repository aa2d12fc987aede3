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
        /// Whether the next one is to empty the log, and whether the last one did what it was asked for.
        var empties = false
        var isDone = false
        var isClosing = false
        /// Whether the log was emptied at the end.
        var hasEmptiedLog = false
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
    func wakeAndWait() { _ = wakeAndWait(empties: false) }

    /// Empties the log, for which it waits for those who read from it, as long as a connection waits for a lock. For
    /// the writer, between two transactions.
    /// - Returns: Whether the log is empty.
    func emptyLog() -> Bool { wakeAndWait(empties: true) }

    private func wakeAndWait(empties: Bool) -> Bool {
        var ticket: UInt64 = 0
        state.update { state in
            ticket = state.begun + 1
            state.asked = ticket
            state.empties = empties
            return true
        }
        return state.wait { state in
            if state.ended >= ticket { return state.isDone }
            return state.isClosing ? false : nil
        }
    }

    /// Waits for the end of the thread, and of its connection.
    func close() {
        state.update { state in
            state.isClosing = true
            return true
        }
        thread.withLock { $0 }?.join()
    }

    /// Whether all of the log was copied into the database at the end: known when it is closed.
    var hasEmptiedLog: Bool { state.wait { $0.hasEmptiedLog } }

    /// How many checkpoints were run.
    var count: UInt64 { state.wait { $0.ended } }

    private func run(_ connection: Connection) {
        while let empties = waitForWork() {
            let isDone = connection.checkpoint(empties ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE)
            state.update { state in
                state.ended += 1
                state.isDone = isDone
                return true
            }
        }
        // At the end the log is emptied, unless a reader is still at it, which is not waited for.
        unsafe sqlite3_busy_timeout(connection.handle, 0)
        let isDone = connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
        state.update { state in
            state.hasEmptiedLog = isDone
            return false
        }
    }

    /// Whether the next checkpoint empties the log; nil when there is none any more.
    private func waitForWork() -> Bool? {
        state.wait { state -> Bool?? in
            if state.isClosing { return .some(nil) }
            guard state.asked > state.begun else { return nil }
            state.begun += 1
            defer { state.empties = false }
            return .some(state.empties)
        }
    }
}

extension Connection {
    /// Copies the log into the database, as far as readers let it. What could not be copied is copied the next time.
    /// - Returns: Whether all was done that the mode promises.
    fileprivate func checkpoint(_ mode: Int32) -> Bool {
        unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil) == SQLITE_OK
    }
}
