/// Which calls of operators run, and which wait for a thread.
///
/// One operator can use neither all threads nor all places: others can always call, owners have threads that other operators
/// cannot use, and a caller by `operators.sock` has one that nobody else can use, so that an operator can be revoked while
/// others keep the server busy. Its owner guards it by a lock.
struct OperatorCallQueue<Work: Sendable>: Sendable {
    private struct Entry {
        let share: OperatorCallShare
        let work: Work
    }

    /// In the order in which they came.
    private var waiting: [Entry] = []
    private var running: [OperatorCallShare: Int] = [:]
    private var runningCount = 0

    /// Calls that run or wait.
    var count: Int { runningCount + waiting.count }

    /// Adds a call that waits.
    ///
    /// - Returns: False if the caller, or all together, have too many.
    mutating func add(_ work: Work, of share: OperatorCallShare) -> Bool {
        guard count < OperatorCallLimits.callsMax(of: share.rank) else { return false }
        let own = running[share, default: 0] + waiting.count { $0.share == share }
        guard share.rank == .socket || own < OperatorCallLimits.callsOfOperatorMax else { return false }
        waiting.append(Entry(share: share, work: work))
        return true
    }

    /// Takes the first call that may run; `end` is to be called after it.
    mutating func begin() -> (share: OperatorCallShare, work: Work)? {
        guard let place = waiting.firstIndex(where: { mayRun($0.share) }) else { return nil }
        let entry = waiting.remove(at: place)
        running[entry.share, default: 0] += 1
        runningCount += 1
        return (entry.share, entry.work)
    }

    mutating func end(_ share: OperatorCallShare) {
        let left = running[share, default: 0] - 1
        running[share] = left > 0 ? left : nil
        runningCount -= 1
    }

    private func mayRun(_ share: OperatorCallShare) -> Bool {
        guard runningCount < OperatorCallLimits.threadsMax(of: share.rank) else { return false }
        return share.rank == .socket || running[share, default: 0] < OperatorCallLimits.threadsOfOperatorMax
    }
}
