internal import CSQLite

/// Looks at the budget of the present request while SQLite works, and ends the statement when it is used up.
///
/// What is counted: steps of SQLite's virtual machine, and bytes of which a step by itself says nothing, a step for each
/// `Budget.bytesPerStep`: those that SQL functions look at (`Meter`), and those that are written into an answer.
///
/// Memory safety: SQLite calls the handler on the reader's thread while a statement of the connection runs; the handler is
/// removed in `deinit`, before the object that is its context. Its counters belong to that thread.
final class Progress {
    private let connection: Connection
    private let stepsPerLook: Int
    // One thread uses the reader that this belongs to, and nothing is called while one of these changes.
    @exclusivity(unchecked) private var budget = Budget()
    /// Steps since the present request began, counted at each look.
    @exclusivity(unchecked) private(set) var steps = 0
    /// Bytes that were charged, and are too few for a look yet.
    @exclusivity(unchecked) private var bytesUncounted = 0
    @exclusivity(unchecked) private var verdict: StoreError.Code?
    /// The time, and the thread's time, at the first look of the request.
    @exclusivity(unchecked) private var firstLook: (time: ContinuousClock.Instant, ofThread: Int)?
    /// Ends a worker's turn, and returns when it has the next one, or false when the read is not to go on; nil on an
    /// event loop.
    private var endTurn: (stepsPerTurn: Int, call: () -> TurnEnd)?
    /// The steps at which the turn ends.
    @exclusivity(unchecked) private var turnSteps = Int.max

    init(_ connection: Connection, stepsPerLook: Int32) {
        self.connection = connection
        self.stepsPerLook = Int(stepsPerLook)
        unsafe connection.meter.progress = self
        // The handler's context is this object, unretained: `end` and `deinit` take the handler away before it goes.
        unsafe sqlite3_progress_handler(
            connection.handle, stepsPerLook,
            { context in
                guard let context = unsafe context else { return 0 }
                return unsafe Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue().look() ? 0 : 1
            }, unsafe Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        end()
    }

    /// Starts over with the budget of the next request.
    func begin(_ budget: Budget) {
        unsafe self.budget = budget
        unsafe steps = 0
        unsafe bytesUncounted = 0
        unsafe verdict = nil
        unsafe firstLook = nil
        unsafe turnSteps = endTurn?.stepsPerTurn ?? .max
    }

    /// From now on requests are worked on in turns.
    func takeTurns(of steps: Int, _ endTurn: @escaping () -> TurnEnd) {
        self.endTurn = (steps, endTurn)
    }

    /// Takes the handler away.
    func end() {
        unsafe sqlite3_progress_handler(connection.handle, 0, nil, nil)
        unsafe connection.meter.progress = nil
    }

    /// Charges bytes, before or after they are worked on. False when the work must not go on.
    func charge(_ byteCount: Int) -> Bool {
        unsafe bytesUncounted += byteCount
        guard unsafe bytesUncounted >= Budget.bytesPerLook else { return unsafe verdict == nil }
        unsafe steps += bytesUncounted / Budget.bytesPerStep
        unsafe bytesUncounted %= Budget.bytesPerStep
        return judge()
    }

    /// Whether the work may go on; charges nothing.
    func judge() -> Bool {
        if unsafe verdict != nil { return false }
        if unsafe budget.cancellation?.isCancelled ?? false {
            unsafe verdict = .cancelled
        } else if let max = unsafe budget.stepsMax, unsafe steps > max || isOutOfTime {
            unsafe verdict = .repeatOnWorker
        } else if let deadline = unsafe budget.deadline, ContinuousClock.now > deadline {
            unsafe verdict = .timedOut
        } else if unsafe steps >= turnSteps, let endTurn {
            switch endTurn.call() {
            case .resume: break
            case .interrupt: unsafe verdict = .repeatOnWorker
            case .cancel: unsafe verdict = .cancelled
            }
            unsafe turnSteps = unsafe steps + endTurn.stepsPerTurn
        }
        return unsafe verdict == nil
    }

    /// Whether a request has held its event loop for too long though its steps are few: they may be slow, like those
    /// that copy long texts out of their pages, and none can be counted by bytes before it is done.
    private var isOutOfTime: Bool {
        guard let max = unsafe budget.threadNanosecondsMax else { return false }
        let now = ContinuousClock.now
        guard let firstLook = unsafe firstLook else {
            unsafe firstLook = (now, ThreadClock.nanoseconds)
            return false
        }
        // The thread's own clock is a system call, and never ahead of the other.
        return now - firstLook.time > .nanoseconds(max) && ThreadClock.nanoseconds - firstLook.ofThread > max
    }

    private func look() -> Bool {
        unsafe steps += stepsPerLook
        return judge()
    }

    /// The budget's verdict, if there is one.
    var error: StoreError? {
        unsafe verdict.map { StoreError($0, Self.message(of: $0), sqliteCode: SQLITE_INTERRUPT) }
    }

    private static func message(of verdict: StoreError.Code) -> String {
        switch verdict {
        case .timedOut: "The read passed its deadline (limits.executionSeconds)."
        case .cancelled: "The read was cancelled."
        default: "The read is too long for this thread."
        }
    }

    /// The budget's verdict, if the code says that the statement was interrupted.
    func error(_ code: Int32) -> StoreError? {
        code & 0xff == SQLITE_INTERRUPT ? error : nil
    }
}
