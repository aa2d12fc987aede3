internal import Synchronization

/// The single writer: a bounded queue, one thread, and group commit. What waits is taken together, written in one
/// transaction, and answered after its COMMIT, in commit order.
///
/// A write waits in the queue until a transaction is open for it. Until then it can be taken out, which an alarm does
/// when its deadline is past, also while the thread is held up; from then on it is carried out and answered.
final class Writer: Sendable {
    /// Receives the result of a write.
    typealias Completion = @Sendable (Result<WriteResult, StoreError>) -> Void

    /// What a request does in a group's transaction.
    private enum Work {
        case write(Write)
        /// A transaction's body, whose own result its request's completion knows.
        case body(@Sendable (StoreTransaction) throws(StoreError) -> Void)
    }

    private struct Request {
        var work: Work
        var byteCount: Int
        var deadline: ContinuousClock.Instant?
        var executor: any Executor
        var completion: Completion
    }

    private enum Entry {
        case write(Request)
        case job(@Sendable (WriteConnection) -> Void)
    }

    private struct Queue {
        var entries: [Entry] = []
        /// How many of the entries are jobs.
        var jobCount = 0
        /// Writes waiting or at work, and the bytes of their values.
        var count = 0
        var byteCount = 0
        /// When the alarm looks for late writes: not after the earliest deadline of those that wait; nil without any.
        var nextLook: ContinuousClock.Instant?
        /// Why nothing is written any more; nil as long as the database is in its place.
        var loss: StoreError?
        var isClosing = false

        mutating func append(_ entry: Entry) {
            entries.append(entry)
            if case .job = entry { jobCount += 1 }
        }
    }

    private let limits: StoreLimits
    private let commits: CommitCount
    private let checkpointer: Checkpointer
    private let reconnect: @Sendable () throws(StoreError) -> WriteConnection
    private let queue = Monitor(Queue())
    private let alarm = Alarm()
    private let thread = Mutex<StoreThread?>(nil)
    private let sequence = Atomic<UInt64>(0)
    private let lastLogPages = Atomic(0)
    private let folderPath: String
    /// Why the last transaction was not committed, if the disk or the database refused it.
    private let lastFailure = Mutex<StoreError?>(nil)

    /// Starts the thread. It alone uses the connection from here on, and lets go of it when the writer closes; the
    /// folder stays locked until then.
    ///
    /// - Parameter reconnect: Makes another connection when an error has left the present one in doubt.
    init(
        _ connection: sending WriteConnection, in folder: DataFolder, limits: StoreLimits, commits: CommitCount,
        checkpointer: Checkpointer, reconnect: @escaping @Sendable () throws(StoreError) -> WriteConnection
    ) throws(StoreError) {
        self.limits = limits
        folderPath = folder.path
        self.commits = commits
        self.checkpointer = checkpointer
        self.reconnect = reconnect
        try alarm.start { [self] in withdrawLate() }
        let handover = Handover(connection)
        do {
            let started = try StoreThread { [self] in
                withExtendedLifetime(folder) {
                    if let connection = handover.take() { run(connection) }
                }
            }
            thread.withLock { $0 = started }
        } catch {
            alarm.close()
            throw error
        }
    }

    /// Queues a write.
    func submit(
        _ write: Write, deadline: ContinuousClock.Instant? = nil, on executor: any Executor,
        completion: @escaping Completion
    ) {
        let request = Request(
            work: .write(write), byteCount: write.byteCount, deadline: deadline, executor: executor,
            completion: completion)
        let refusal = enqueue(.write(request), byteCount: request.byteCount, deadline: deadline)
        if let refusal { executor.execute { completion(.failure(refusal)) } }
    }

    /// Queues a transaction's body, which runs in a group's transaction as one of its writes. The completion runs on the
    /// executor once that is committed.
    ///
    /// - Parameter byteCount: Bytes that the body holds while it waits, roughly.
    func submit<Success: Sendable>(
        byteCount: Int, deadline: ContinuousClock.Instant?, on executor: any Executor,
        _ body: @escaping @Sendable (StoreTransaction) throws(StoreError) -> Success,
        completion: @escaping @Sendable (Result<Success, StoreError>) -> Void
    ) {
        let outcome = TransactionOutcome<Success>()
        let work = Work.body { transaction throws(StoreError) in outcome.set(try body(transaction)) }
        let request = Request(work: work, byteCount: byteCount, deadline: deadline, executor: executor) { result in
            completion(result.map { _ in outcome.take() })
        }
        let refusal = enqueue(.write(request), byteCount: byteCount, deadline: deadline)
        if let refusal { executor.execute { completion(.failure(refusal)) } }
    }

    /// Queues a job that is a write of its own kind: it runs in a transaction of its own, after what was queued before
    /// it, and counts as one of the writes that may wait. The completion runs on the executor once it is committed.
    func submit<Success: Sendable>(
        on executor: any Executor, completion: @escaping @Sendable (Result<Success, StoreError>) -> Void,
        _ job: @escaping @Sendable (WriteConnection) throws(StoreError) -> Success
    ) {
        let entry = Entry.job { [self] connection in
            let result = Result { () throws(StoreError) in
                try connection.connection.transaction { () throws(StoreError) in try job(connection) }
            }
            commits.raise()
            connection.endStamp()
            lastLogPages.store(connection.logPages, ordering: .relaxed)
            release(count: 1, byteCount: 0)
            executor.execute { completion(result) }
        }
        let refusal = enqueue(entry, byteCount: 0, deadline: nil)
        if let refusal { executor.execute { completion(.failure(refusal)) } }
    }

    /// Queues writes that are carried out together, in a transaction of their own, or not at all. They count as one of the
    /// writes that may wait, with all their bytes. The completion runs on the executor once they are committed or undone.
    func submitTransaction(
        of writes: [Write], on executor: any Executor,
        completion: @escaping @Sendable (Result<[WriteResult], StoreError>) -> Void
    ) {
        let byteCount = writes.reduce(0) { $0 + $1.byteCount }
        let entry = Entry.job { [self] connection in
            let result = Result { () throws(StoreError) in try transact(writes, on: connection) }
            commits.raise()
            connection.endStamp()
            lastLogPages.store(connection.logPages, ordering: .relaxed)
            release(count: 1, byteCount: byteCount)
            if case .failure(let error) = result { remember(error) }
            executor.execute { completion(result) }
        }
        let refusal = enqueue(entry, byteCount: byteCount, deadline: nil)
        if let refusal { executor.execute { completion(.failure(refusal)) } }
    }

    private func transact(_ writes: [Write], on connection: WriteConnection) throws(StoreError) -> [WriteResult] {
        try boundLog(of: connection)
        try connection.beginTransaction()
        do throws(StoreError) {
            var results: [WriteResult] = []
            var last = sequence.load(ordering: .relaxed)
            for write in writes {
                let result = try connection.result(of: write, sequence: last + 1)
                results.append(result)
                guard case .item = result else {
                    connection.rollbackTransaction()
                    return results
                }
                last += 1
            }
            try connection.commitTransaction()
            sequence.store(last, ordering: .releasing)
            return results
        } catch {
            connection.rollbackTransaction()
            throw error
        }
    }

    /// Puts an entry in the queue; or says why there is no place in it.
    private func enqueue(_ entry: Entry, byteCount: Int, deadline: ContinuousClock.Instant?) -> StoreError? {
        var refusal: StoreError?
        var look: ContinuousClock.Instant?
        queue.update { queue in
            if queue.isClosing {
                refusal = StoreError(.closed, "The store is closed.")
            } else if let loss = queue.loss {
                refusal = loss
            } else if queue.count >= limits.writeQueueCountMax
                || queue.byteCount + byteCount > limits.writeQueueBytesMax
            {
                refusal = StoreError(.busy, "Too many writes are waiting.", hint: "Try again in a moment.")
            } else {
                queue.append(entry)
                queue.count += 1
                queue.byteCount += byteCount
                // Deadlines come in order, so the alarm is set once for all writes until it rings: in seconds.
                if let deadline, queue.nextLook.map({ deadline < $0 }) ?? true {
                    queue.nextLook = deadline
                    look = deadline
                }
            }
            return refusal == nil && queue.entries.count == 1
        }
        if let look { alarm.set(look) }
        return refusal
    }

    /// Refuses what waits and all that comes later with this error. From any thread; the first error stays.
    func refuseWrites(_ loss: StoreError) {
        queue.update { queue in
            queue.loss = queue.loss ?? loss
            return true
        }
    }

    /// Finds out whether a write would be carried out now, after those that were queued before it: the writer's thread
    /// takes it, the disk accepts data, and the database's write lock can be had. Nothing is committed, so the log does
    /// not grow, unless the last transaction failed for the disk's or the database's sake: then one page is committed,
    /// to see whether that is over.
    func probe(on executor: any Executor, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        let entry = Entry.job { [self] connection in
            let result = Result { () throws(StoreError) in try probe(connection) }
            release(count: 1, byteCount: 0)
            executor.execute { completion(result) }
        }
        let refusal = enqueue(entry, byteCount: 0, deadline: nil)
        if let refusal { executor.execute { completion(.failure(refusal)) } }
    }

    private func probe(_ connection: WriteConnection) throws(StoreError) {
        try DataFolder.probeDisk(in: folderPath)
        let isFailing = lastFailure.withLock { $0 != nil }
        do throws(StoreError) {
            try connection.beginTransaction()
            if isFailing { try connection.rewriteHeader() }
            try connection.commitTransaction()
        } catch {
            connection.rollbackTransaction()
            throw error
        }
        if isFailing { lastFailure.withLock { $0 = nil } }
    }

    /// Remembers what became of a transaction, for `probe`.
    private func remember(_ failure: StoreError?) {
        switch failure?.code {
        case nil: lastFailure.withLock { $0 = nil }
        case .diskFull, .ioError, .corrupt, .damaged, .notWritable, .other: lastFailure.withLock { $0 = failure }
        // Others keep the lock, or the request was at fault: nothing is known of the disk.
        default: break
        }
    }

    /// Gives back the places of writes that are done.
    private func release(count: Int, byteCount: Int) {
        queue.update { queue in
            queue.count -= count
            queue.byteCount -= byteCount
            return false
        }
    }

    /// Runs a job on the writer's thread, after what was queued before it, and waits for its result.
    func run<Success: Sendable>(
        _ job: @escaping @Sendable (WriteConnection) -> Result<Success, StoreError>
    ) throws(StoreError) -> Success {
        let result = Monitor<Result<Success, StoreError>?>(nil)
        queue.update { queue in
            guard !queue.isClosing else {
                result.update { result in
                    result = .failure(StoreError(.closed, "The store is closed."))
                    return false
                }
                return false
            }
            queue.append(
                .job { connection in
                    let made = job(connection)
                    result.update { result in
                        result = made
                        return true
                    }
                })
            return true
        }
        return try result.wait { $0 }.get()
    }

    /// Refuses new writes, carries out those that wait, and waits for the thread's end.
    func close() {
        queue.update { queue in
            queue.isClosing = true
            return true
        }
        thread.withLock { $0 }?.join()
        alarm.close()
    }

    /// Writes waiting or at work.
    var queueCount: Int { queue.wait { $0.count } }

    /// Pages in the write-ahead log after the last commit.
    var logPages: Int { lastLogPages.load(ordering: .relaxed) }

    /// The sequence of the last write.
    var lastSequence: UInt64 { sequence.load(ordering: .acquiring) }

    // MARK: The thread

    private enum Turn {
        case job(@Sendable (WriteConnection) -> Void)
        case writes
        /// What waits is refused with this error.
        case refusal(StoreError)
    }

    private func run(_ first: WriteConnection) {
        var connection = first
        var isInDoubt = false
        while let turn = nextTurn() {
            if isInDoubt, let other = try? reconnect() { (connection, isInDoubt) = (other, false) }
            switch turn {
            case .job(let job): job(connection)
            case .refusal(let error): refuseWaiting(error)
            case .writes:
                if let error = commitWaiting(on: connection) {
                    isInDoubt = error.leavesConnectionInDoubt || connection.connection.isInTransaction
                }
            }
        }
    }

    /// What is to be done next; nil when the writer is closed and nothing waits. Writes stay in the queue.
    private func nextTurn() -> Turn? {
        queue.wait { queue -> Turn?? in
            switch queue.entries.first {
            case .job(let job)?:
                queue.entries.removeFirst()
                queue.jobCount -= 1
                return .some(.job(job))
            case .write?: return .some(queue.loss.map(Turn.refusal) ?? .writes)
            case nil: return queue.isClosing ? .some(nil) : nil
            }
        }
    }

    private func refuseWaiting(_ error: StoreError) {
        let refused = takeWaiting(countMax: .max, bytesMax: .max)
        release(refused)
        handOver(Array(repeating: .failure(error), count: refused.count), of: refused)
    }

    /// Opens a transaction, carries out in it what waits by then, and hands the results over once they are durable.
    /// - Returns: Why nothing of it was done, if that is so.
    private func commitWaiting(on connection: WriteConnection) -> StoreError? {
        var failure: StoreError?
        var batch: [Request] = []
        var results: [Result<WriteResult, StoreError>] = []
        do {
            try boundLog(of: connection)
            try connection.beginTransaction()
            batch = takeWaiting(countMax: limits.batchCountMax, bytesMax: limits.batchBytesMax)
            results = try perform(batch, on: connection)
        } catch {
            connection.rollbackTransaction()
            // Where none could begin, all waited for the same thing, and none waits for it a second time.
            if batch.isEmpty { batch = takeWaiting(countMax: .max, bytesMax: .max) }
            results = Array(repeating: .failure(error), count: batch.count)
            failure = error
        }
        commits.raise()
        connection.endStamp()
        lastLogPages.store(connection.logPages, ordering: .relaxed)
        remember(failure)
        release(batch)
        notifyObservers(results, of: batch)
        handOver(results, of: batch)
        wakeCheckpointer(for: connection, failure)
        return failure
    }

    /// Takes writes out of the queue, for one transaction: those before the next job, within these bounds, but one at
    /// least. Those that are late are answered instead.
    private func takeWaiting(countMax: Int, bytesMax: Int) -> [Request] {
        let now = ContinuousClock.now
        var taken: [Entry] = []
        queue.update { queue in
            if queue.jobCount == 0, queue.entries.count <= countMax, queue.byteCount <= bytesMax {
                // The whole queue changes hands, however many wait.
                swap(&taken, &queue.entries)
            } else {
                var byteCount = 0
                let end = queue.entries.firstIndex { entry in
                    guard case .write(let request) = entry else { return true }
                    defer { byteCount += request.byteCount }
                    return byteCount >= bytesMax
                }
                let count = min(end ?? queue.entries.count, countMax)
                taken = Array(queue.entries.prefix(count))
                queue.entries.removeFirst(count)
            }
            return false
        }
        var batch: [Request] = []
        batch.reserveCapacity(taken.count)
        var late: [Request] = []
        for case .write(let request) in taken {
            if let deadline = request.deadline, deadline <= now { late.append(request) } else { batch.append(request) }
        }
        fail(late)
        return batch
    }

    /// Takes those writes out of the queue whose deadline is past. On the alarm's thread.
    /// - Returns: When to look again.
    private func withdrawLate() -> ContinuousClock.Instant? {
        let now = ContinuousClock.now
        var late: [Request] = []
        var earliest: ContinuousClock.Instant?
        queue.update { queue in
            queue.entries.removeAll { entry in
                guard case .write(let request) = entry, let deadline = request.deadline else { return false }
                if deadline <= now {
                    late.append(request)
                    return true
                }
                earliest = min(earliest ?? deadline, deadline)
                return false
            }
            // Each look goes through the whole queue: several late writes share one.
            earliest = earliest.map { max($0, now + .milliseconds(20)) }
            queue.nextLook = earliest
            return false
        }
        fail(late)
        return earliest
    }

    private func fail(_ late: [Request]) {
        guard !late.isEmpty else { return }
        release(late)
        let error = StoreError(.timedOut, "The write waited for longer than its request may take.")
        handOver(Array(repeating: .failure(error), count: late.count), of: late)
    }

    private func release(_ requests: [Request]) {
        guard !requests.isEmpty else { return }
        release(count: requests.count, byteCount: requests.reduce(0) { $0 + $1.byteCount })
    }

    /// Before a transaction: past its bound, the log is emptied or nothing is added to it.
    private func boundLog(of connection: WriteConnection) throws(StoreError) {
        guard connection.logPages >= limits.logPagesMax else { return }
        guard checkpointer.emptyLog() else {
            throw StoreError(
                .busy, "The log is as long as it may be, and long reads keep it from being emptied.",
                hint: "Try again in a moment; if that does not help, end other programs that read the database.")
        }
        connection.noteEmptyLog()
    }

    /// After a transaction. A log to which frames are added all the time is never copied to its end by another thread,
    /// and so is never begun anew (SQLite, "Write-Ahead Logging", "Avoiding Excessively Large WAL Files"). At some size
    /// the writer pauses for it. On a full disk a log that was copied is room for the next writes.
    private func wakeCheckpointer(for connection: WriteConnection, _ failure: StoreError?) {
        switch failure?.code {
        case nil where connection.logPages >= 4 * limits.checkpointPages: checkpointer.wakeAndWait()
        case nil where connection.logPages >= limits.checkpointPages: checkpointer.wake()
        case .diskFull: checkpointer.wake()
        default: break
        }
    }

    /// Carries the batch out in the open transaction, and commits it.
    private func perform(
        _ batch: [Request], on connection: WriteConnection
    ) throws(StoreError) -> [Result<WriteResult, StoreError>] {
        var results: [Result<WriteResult, StoreError>] = []
        results.reserveCapacity(batch.count)
        var last = sequence.load(ordering: .relaxed)
        for request in batch {
            do {
                switch request.work {
                case .write(let write):
                    let result = try connection.result(of: write, sequence: last + 1)
                    if case .item = result { last += 1 }
                    results.append(.success(result))
                case .body(let body):
                    try connection.part { () throws(StoreError) in try body(StoreTransaction(connection)) }
                    results.append(.success(Self.bodyIsDone))
                }
            } catch {
                // A full disk or a failing one takes the whole transaction with it.
                guard connection.connection.isInTransaction else { throw error }
                results.append(.failure(error))
            }
        }
        try connection.commitTransaction()
        sequence.store(last, ordering: .releasing)
        return results
    }

    /// The result of a transaction's body, which has no place in the order of items.
    private static let bodyIsDone = WriteResult.item(Item(values: []), sequence: 0)

    private func notifyObservers(_ results: [Result<WriteResult, StoreError>], of batch: [Request]) {
        for (request, result) in zip(batch, results) {
            guard case .write(let write) = request.work, let observer = write.observer,
                case .success(.item(_, let sequence)) = result
            else { continue }
            observer.committed(write, sequence: sequence)
        }
    }

    /// One call per executor, which runs the completions in commit order.
    private func handOver(_ results: [Result<WriteResult, StoreError>], of batch: [Request]) {
        typealias Answer = (completion: Completion, result: Result<WriteResult, StoreError>)
        var deliveries: [(executor: any Executor, answers: [Answer])] = []
        for (request, result) in zip(batch, results) {
            let answer = (request.completion, result)
            // As many executors as the machine has cores: looking through them is quickest.
            if let index = deliveries.firstIndex(where: { $0.executor === request.executor }) {
                deliveries[index].answers.append(answer)
            } else {
                deliveries.append((request.executor, [answer]))
            }
        }
        for (executor, answers) in deliveries {
            executor.execute {
                for answer in answers { answer.completion(answer.result) }
            }
        }
    }
}

extension StoreError {
    /// Whether the connection that met this error had better be replaced. A full disk and a foreign lock are passing;
    /// of what SQLite holds in memory after an error of the disk it promises little.
    fileprivate var leavesConnectionInDoubt: Bool { code != .busy && code != .diskFull }
}

extension Write {
    /// Bytes that the write holds while it waits, roughly.
    fileprivate var byteCount: Int {
        let ofCondition = statementCondition?.byteCount ?? 0
        return switch action {
        case .put(let attributes): ofCondition + bytes(of: attributes.lazy.map(\.value))
        case .update(let key, let attributes):
            ofCondition + bytes(of: key) + bytes(of: attributes.lazy.map(\.value))
        case .delete(let key): ofCondition + bytes(of: key)
        }
    }
}

extension Condition {
    /// Bytes of the condition's nodes and values, roughly.
    fileprivate var byteCount: Int {
        switch self {
        case .and(let parts), .or(let parts): parts.reduce(32) { $0 + $1.byteCount }
        case .not(let part): 32 + part.byteCount
        case .compare(_, _, let value), .contains(_, let value), .notContains(_, let value): 32 + bytes(of: [value])
        case .between(_, let first, let last): 32 + bytes(of: [first, last])
        case .isAny(_, let wanted): 32 + wanted.byteCount
        case .beginsWith(_, let text): 64 + text.utf8.count
        case .attributeExists, .attributeType, .size, .sizeBetween: 32
        }
    }
}

private func bytes(of values: some Sequence<Value>) -> Int {
    values.reduce(0) { if case .text(let text) = $1 { $0 + text.utf8.count + 32 } else { $0 + 32 } }
}
