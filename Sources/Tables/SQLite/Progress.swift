internal import CSQLite

/// Looks at the budget of the present request while SQLite works, and ends the statement when it is used up.
final class Progress {
    private let connection: Connection
    private let stepsPerLook: Int
    private var budget = Budget()
    /// Steps of SQLite's virtual machine since the present request began, counted at each look.
    private(set) var steps = 0
    private var verdict: StoreError.Code?

    init(_ connection: Connection, stepsPerLook: Int32) {
        self.connection = connection
        self.stepsPerLook = Int(stepsPerLook)
        // The handler's context is this object, unretained: `end` and `deinit` take the handler away before it goes.
        sqlite3_progress_handler(
            connection.handle, stepsPerLook,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue().look() ? 0 : 1
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        end()
    }

    /// Starts over with the budget of the next request.
    func begin(_ budget: Budget) {
        self.budget = budget
        steps = 0
        verdict = nil
    }

    /// Takes the handler away.
    func end() {
        sqlite3_progress_handler(connection.handle, 0, nil, nil)
    }

    /// Whether the work may go on.
    private func look() -> Bool {
        steps += stepsPerLook
        if budget.cancellation?.isCancelled ?? false {
            verdict = .cancelled
        } else if let max = budget.stepsMax, steps > max {
            verdict = .movedOff
        } else if let deadline = budget.deadline, ContinuousClock.now > deadline {
            verdict = .timedOut
        }
        return verdict == nil
    }

    /// The budget's verdict, if the code says that the statement was interrupted.
    func error(_ code: Int32) -> StoreError? {
        guard code & 0xff == SQLITE_INTERRUPT, let verdict else { return nil }
        return StoreError(verdict, "The read passed the budget of its request.", sqliteCode: code)
    }
}
