/// Runs waves on a read connection of SQLite's, whose rows are copied. SQLite needs no waves: they show that whatever
/// is completed of live rows is completed alike of gathered ones.
///
/// All fetches of a wave are run on the reader's own loop, one after the other, in one snapshot.
public final class SQLiteBatchReader: BatchReader {
    private let reader: Reader
    private let executor: any Executor

    /// A batch reader over a connection of the loop whose work `executor` runs.
    public init(_ reader: Reader, on executor: any Executor) {
        (self.reader, self.executor) = (reader, executor)
    }

    /// Runs the wave at once; the completion is called in a later turn of the loop.
    public func run(
        _ wave: [BatchRequest], deadline: ContinuousClock.Instant,
        completion: @escaping (Result<[BatchOutcome], StoreError>) -> Void
    ) {
        let result: Result<[BatchOutcome], StoreError>
        do throws(StoreError) {
            result = .success(try outcomes(of: wave, deadline: deadline))
        } catch { result = .failure(error) }
        // Not within this call: a request with many levels would fill the stack.
        let handover = Handover(value: { completion(result) })
        executor.execute { handover.value() }
    }

    private func outcomes(
        of wave: [BatchRequest], deadline: ContinuousClock.Instant
    ) throws(StoreError) -> [BatchOutcome] {
        reader.beginRequest(budget: .worker(deadline: deadline))
        defer { reader.endTurn() }
        return try reader.outcomes(of: wave)
    }

    /// Proof: the executor runs its work on the one loop that uses the reader and made the completion.
    private struct Handover: @unchecked Sendable {
        let value: () -> Void
    }
}
