internal import Synchronization

/// The single writer: a bounded queue, one thread, and group commit. What waits is taken together, written in one
/// transaction, and answered after its COMMIT, in commit order.
final class Writer: Sendable {
    /// What a write's caller is told, and where.
    typealias Completion = @Sendable (Result<WriteResult, StoreError>) -> Void

    private struct Request {
        var write: Write
        var byteCount: Int
        var executor: any Executor
        var completion: Completion
    }

    private enum Entry {
        case write(Request)
        case job(@Sendable (WriteConnection) -> Void)
    }

    private struct Queue {
        var entries: [Entry] = []
        /// Writes waiting or at work, and the bytes of their values.
        var count = 0
        var byteCount = 0
        var isClosing = false
    }

    private let limits: StoreLimits
    private let commits: CommitCount
    private let checkpointer: Checkpointer
    private let queue = Monitor(Queue())
    private let thread = Mutex<StoreThread?>(nil)
    private let sequence = Atomic<UInt64>(0)
    private let lastLogPages = Atomic(0)

    /// Starts the thread. It alone uses the connection from here on, and lets go of it when the writer closes; the
    /// folder stays locked until then.
    init(
        _ connection: sending WriteConnection, in folder: DataFolder, limits: StoreLimits, commits: CommitCount,
        checkpointer: Checkpointer
    ) throws(StoreError) {
        self.limits = limits
        self.commits = commits
        self.checkpointer = checkpointer
        let handover = Handover(connection)
        let started = try StoreThread { [self] in
            withExtendedLifetime(folder) {
                if let connection = handover.take() { run(connection) }
            }
        }
        thread.withLock { $0 = started }
    }

    /// Queues a write.
    func submit(_ write: Write, on executor: any Executor, completion: @escaping Completion) {
        let request = Request(
            write: write, byteCount: write.byteCount, executor: executor, completion: completion)
        let refusal = enqueue(byteCount: request.byteCount) { .write(request) }
        if let refusal { executor.execute { completion(.failure(refusal)) } }
    }

    /// Queues a job that is a write of its own kind: it runs in a transaction of its own, after what was queued before
    /// it, and counts as one of the writes that may wait. The completion runs on the executor once it is committed.
    func submit(
        on executor: any Executor, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void,
        _ job: @escaping @Sendable (WriteConnection) throws(StoreError) -> Void
    ) {
        let refusal = enqueue(byteCount: 0) {
            .job { [self] connection in
                let result = Result { () throws(StoreError) in
                    try connection.connection.transaction { () throws(StoreError) in try job(connection) }
                }
                commits.raise()
                release(count: 1, byteCount: 0, logPages: connection.logPages)
                executor.execute { completion(result) }
            }
        }
        if let refusal { executor.execute { completion(.failure(refusal)) } }
    }

    /// Puts an entry in the queue; or says why there is no place in it.
    private func enqueue(byteCount: Int, _ makeEntry: () -> Entry) -> StoreError? {
        var refusal: StoreError?
        queue.update { queue in
            if queue.isClosing {
                refusal = StoreError(.closed, "The store is closed.")
            } else if queue.count >= limits.writeQueueCountMax
                || queue.byteCount + byteCount > limits.writeQueueBytesMax
            {
                refusal = StoreError(.busy, "Too many writes are waiting.", hint: "Try again in a moment.")
            } else {
                queue.entries.append(makeEntry())
                queue.count += 1
                queue.byteCount += byteCount
            }
            return refusal == nil && queue.entries.count == 1
        }
        return refusal
    }

    /// Gives back the places of writes that are done, and notes how long the log has become by them.
    private func release(count: Int, byteCount: Int, logPages: Int) {
        lastLogPages.store(logPages, ordering: .relaxed)
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
            queue.entries.append(
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
    }

    /// Writes waiting or at work.
    var queueCount: Int { queue.wait { $0.count } }

    /// Pages in the write-ahead log after the last commit.
    var logPages: Int { lastLogPages.load(ordering: .relaxed) }

    /// The sequence of the last write.
    var lastSequence: UInt64 { sequence.load(ordering: .acquiring) }

    // MARK: The thread

    private func run(_ connection: WriteConnection) {
        var batch: [Request] = []
        while let entries = nextEntries() {
            var byteCount = 0
            for entry in entries {
                switch entry {
                case .job(let job):
                    commit(&batch, on: connection)
                    byteCount = 0
                    job(connection)
                case .write(let request):
                    batch.append(request)
                    byteCount += request.byteCount
                    if batch.count >= limits.batchCountMax || byteCount >= limits.batchBytesMax {
                        commit(&batch, on: connection)
                        byteCount = 0
                    }
                }
            }
            commit(&batch, on: connection)
        }
    }

    /// All that waits; nil when the writer is closed and nothing does.
    private func nextEntries() -> [Entry]? {
        queue.wait { queue -> [Entry]?? in
            guard queue.entries.isEmpty else {
                defer { queue.entries = [] }
                return .some(queue.entries)
            }
            return queue.isClosing ? .some(nil) : nil
        }
    }

    /// Carries out the batch in one transaction, and hands its results over once they are durable.
    private func commit(_ batch: inout [Request], on connection: WriteConnection) {
        guard !batch.isEmpty else { return }
        let results: [Result<WriteResult, StoreError>]
        do {
            results = try perform(batch, on: connection)
        } catch {
            results = Array(repeating: .failure(error), count: batch.count)
        }
        commits.raise()
        let byteCount = batch.reduce(0) { $0 + $1.byteCount }
        release(count: batch.count, byteCount: byteCount, logPages: connection.logPages)
        handOver(results, of: batch)
        batch.removeAll(keepingCapacity: true)
        // A log to which frames are added all the time is never copied to its end by another thread, and so is never
        // begun anew (SQLite, "Write-Ahead Logging", "Avoiding Excessively Large WAL Files"). At some size it pauses.
        if connection.logPages >= 4 * limits.checkpointPages {
            checkpointer.wakeAndWait()
        } else if connection.logPages >= limits.checkpointPages {
            checkpointer.wake()
        }
    }

    private func perform(
        _ batch: [Request], on connection: WriteConnection
    ) throws(StoreError) -> [Result<WriteResult, StoreError>] {
        var results: [Result<WriteResult, StoreError>] = []
        results.reserveCapacity(batch.count)
        var last = sequence.load(ordering: .relaxed)
        try connection.beginTransaction()
        for request in batch {
            do {
                if let item = try connection.perform(request.write) {
                    last += 1
                    results.append(.success(.item(item, sequence: last)))
                } else {
                    results.append(.success(.conditionFailed))
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

extension Write {
    /// Bytes that the write holds while it waits, roughly.
    fileprivate var byteCount: Int {
        func bytes(_ values: some Sequence<Value>) -> Int {
            values.reduce(0) { if case .text(let text) = $1 { $0 + text.utf8.count + 32 } else { $0 + 32 } }
        }
        return switch action {
        case .put(let attributes): bytes(attributes.lazy.map(\.value))
        case .update(let key, let attributes): bytes(key) + bytes(attributes.lazy.map(\.value))
        case .delete(let key): bytes(key)
        }
    }
}
