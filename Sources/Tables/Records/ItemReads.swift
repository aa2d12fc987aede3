/// Reads items of the server's own tables from tasks, in batches on the one thread of an executor.
///
/// Proof: reader and fetches are used on that thread alone; `run` goes to it before it touches them.
package final class ItemReads: @unchecked Sendable {
    private let reader: any BatchReader
    private let executor: any Executor
    /// Each holds its table, so that no other table has its identifier.
    private var fetches: [ItemQuery.Shape: Fetch] = [:]

    /// - Parameter executor: One thread that is none of an event loop's: reads run on it.
    package init(_ store: any Store, on executor: any Executor) throws(StoreError) {
        self.executor = executor
        switch try store.makeReads(on: executor) {
        case .live(let reader): self.reader = SQLiteBatchReader(reader, on: executor)
        case .batched(let reader): self.reader = reader
        }
    }

    /// Seconds that one read may take.
    private static let secondsMax = 10

    /// Rows of a query in its order, `limit` of them at most, of one snapshot. They are the first key of the batch.
    package func run(_ query: ItemQuery) async -> Result<ItemBatch, StoreError> {
        await withCheckedContinuation { continuation in
            executor.execute { [self] in
                let batch = BatchFetch(
                    fetch(for: query), keys: [BatchFetch.Key(query.key, sort: query.sort)],
                    filter: query.filter?.values ?? [], after: query.after, rowsMax: query.limit)
                reader.run([.fetch(batch)], deadline: .now + .seconds(Self.secondsMax)) { result in
                    continuation.resume(returning: Self.rows(of: result))
                }
            }
        }
    }

    private static func rows(of result: Result<[BatchOutcome], StoreError>) -> Result<ItemBatch, StoreError> {
        Result { () throws(StoreError) in
            switch try result.get().first {
            case .rows(let batch)?: return batch
            case .refused(let error)?: throw error
            default: preconditionFailure("a fetch is answered with rows")
            }
        }
    }

    private func fetch(for query: ItemQuery) -> Fetch {
        // There are as many filters as people make.
        guard query.filter == nil else { return query.makeFetch() }
        let shape = query.shape
        if let fetch = fetches[shape] { return fetch }
        let fetch = query.makeFetch()
        fetches[shape] = fetch
        return fetch
    }
}
