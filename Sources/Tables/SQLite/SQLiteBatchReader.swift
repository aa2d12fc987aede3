/// Runs waves on a read connection of SQLite's, whose rows are copied. SQLite needs no waves: they are for requests that wait
/// for something else between two levels, and they show that whatever is completed of live rows is completed alike of
/// gathered ones.
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
        var outcomes: [BatchOutcome] = []
        for request in wave {
            do throws(StoreError) {
                switch request {
                case .fetch(let fetch): outcomes.append(.rows(try rows(of: fetch)))
                case .beginSync(let table): outcomes.append(.syncStart(try reader.beginSync(of: table)))
                case .deltaHorizon(let table): outcomes.append(.deltaHorizon(try reader.deltaHorizon(of: table)))
                }
            } catch {
                guard error.code == .invalidRequest else { throw error }
                outcomes.append(.refused(error))
            }
        }
        return outcomes
    }

    private func rows(of fetch: BatchFetch) throws(StoreError) -> ItemBatch {
        var builder = ItemBatch.Builder(columnCount: fetch.fetch.columns.count)
        for key in fetch.keys {
            let cursor = try open(fetch, key)
            defer { cursor.close() }
            var matchCount = 0
            while matchCount < fetch.matchesMax, try cursor.next() {
                if cursor.matches { matchCount += 1 }
                builder.append(cursor)
            }
            builder.endKey()
        }
        return builder.batch()
    }

    private func open(_ fetch: BatchFetch, _ key: BatchFetch.Key) throws(StoreError) -> Cursor {
        if fetch.fetch.shape.access == .item {
            return try reader.item(fetch.fetch, key: key.values.map { .value($0) }, filter: fetch.filter)
        }
        return try reader.open(
            fetch.fetch, partitionKey: key.values.first.map { .value($0) }, sort: key.sort, after: fetch.after,
            filter: fetch.filter, limit: fetch.rowsMax)
    }

    /// Proof: the executor runs its work on the one loop that uses the reader and made the completion.
    private struct Handover: @unchecked Sendable {
        let value: () -> Void
    }
}
