import Tables

/// Gathered rows that a worker completes.
///
/// Unchecked Sendable. Proof: when the loop hands the rows over it has gathered the last of them and completes nothing of
/// them until the worker has called it back; the handover is a queue, which orders the memory of the two threads. No one
/// writes to them any more.
struct LentRows: @unchecked Sendable {
    let rows: GatheredRows

    init(_ rows: GatheredRows) { self.rows = rows }
}

extension Completion.Source {
    /// The source of a worker: what its reader reads, or the rows that were gathered before.
    init(reader: Reader, gathered: LentRows?) {
        self = gathered.map { .gathered($0.rows, .reader(reader)) } ?? .live(reader, nil)
    }
}

extension LoopContext {
    /// Begins the completion of gathered rows: within a budget of the loop's own reader, if there is one.
    func beginCompletion(_ budget: Budget, deadline: ContinuousClock.Instant) -> Completion.GatheredBudget {
        guard case .live(let reader) = reads else { return .deadline(deadline) }
        beginRequest(budget, by: reader)
        return .reader(reader)
    }
}
