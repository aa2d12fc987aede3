import Tables

/// What records are read by: a batch reader, used on the executor's one thread alone. Hence the unchecked `Sendable`: `run`
/// goes to that thread before it touches anything.
final class RecordReads: @unchecked Sendable {
    private let reader: any BatchReader
    private let executor: any Executor
    private var fetches: [RecordQuery.Shape: Fetch] = [:]

    init(_ store: any Store, _ executor: any Executor) throws(StoreError) {
        self.executor = executor
        switch try store.makeReads(on: executor) {
        case .live(let reader): self.reader = SQLiteBatchReader(reader, on: executor)
        case .batched(let reader): self.reader = reader
        }
    }

    /// Rows with where each stands.
    struct Page: Sendable {
        var rows: [[Value]] = []
        var positions: [Position] = []
    }

    func run(_ query: RecordQuery) async throws(CognitoError) -> Page {
        let result: Result<Page, StoreError> = await withCheckedContinuation { continuation in
            executor.execute { [self] in
                let batch = BatchFetch(
                    fetch(for: query), keys: [BatchFetch.Key(query.key, sort: query.sort)], after: query.after,
                    rowsMax: query.limit)
                reader.run([.fetch(batch)], deadline: .now + .seconds(Self.secondsMax)) { result in
                    continuation.resume(returning: Self.page(of: result, columnCount: query.table.table.columns.count))
                }
            }
        }
        switch result {
        case .success(let page): return page
        case .failure(let error): throw CognitoError(error)
        }
    }

    /// Seconds that a read may take.
    private static let secondsMax = 10

    private func fetch(for query: RecordQuery) -> Fetch {
        if let fetch = fetches[query.shape] { return fetch }
        let fetch = query.makeFetch()
        fetches[query.shape] = fetch
        return fetch
    }

    private static func page(
        of result: Result<[BatchOutcome], StoreError>, columnCount: Int
    ) -> Result<Page, StoreError> {
        Result { () throws(StoreError) in
            var page = Page()
            switch try result.get().first {
            case .rows(let batch)?:
                let cursor = BatchCursor(batch, key: 0)
                while try cursor.next() {
                    page.rows.append((0..<columnCount).map { cursor.value($0) })
                    page.positions.append(cursor.position)
                }
            case .refused(let error)?: throw error
            default: break
            }
            return page
        }
    }
}
