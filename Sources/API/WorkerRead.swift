import Synchronization
import Tables

extension GraphQLAPI {
    /// Runs a read on a worker. If the worker interrupts it, it restarts from its beginning.
    /// - Parameters:
    ///   - workSoFar: What the request has cost before.
    ///   - body: The read. What it throws is the result.
    ///   - finish: Called on the executor with the result, and with what the request has cost in all attempts.
    /// - Returns: The error if the queue of the workers is full; nil if the read is queued.
    func readOnWorker<Value: Sendable>(
        for client: ReadClient, deadline: ContinuousClock.Instant, workSoFar: AnswerWork = AnswerWork(),
        on executor: any Executor, body: @escaping @Sendable (Reader) throws(StoreError) -> Value,
        finish: @escaping @Sendable (Result<Value, StoreError>, AnswerWork) -> Void
    ) -> StoreError? {
        guard let workers else { preconditionFailure("only live reads go on at workers, and those have them") }
        let work = Mutex(workSoFar)
        let isQueued = workers.run(for: client, queuedMax: options.limits.workerQueueCountMax) { lent in
            let result: Result<Value, StoreError>
            do throws(StoreError) {
                let reader = try lent.get()
                guard ContinuousClock.now < deadline else { throw StoreError(.timedOut, "Execution timed out.") }
                reader.beginRequest(budget: .worker(deadline: deadline))
                defer { reader.endTurn() }
                // Also of a read that fails or is interrupted; `endTurn` resets what the reader counts.
                defer { work.withLock { $0.add(reader) } }
                result = .success(try body(reader))
            } catch {
                if error.code == .repeatOnWorker { return .interrupted }
                result = .failure(error)
            }
            let total = work.withLock { $0 }
            // Copying a large answer takes milliseconds; other connections have their turn between two copies.
            executor.executeAfterReads { finish(result, total) }
            return .ended
        }
        return isQueued ? nil : StoreError(.busy, "Too many reads are waiting for a worker.")
    }
}
