@testable import Tables

extension Reader {
    /// The outcomes of a wave that is run on this connection.
    func outcomes(of wave: [BatchRequest]) throws -> [BatchOutcome] {
        var result: Result<[BatchOutcome], StoreError>?
        SQLiteBatchReader(self, on: TestExecutor()).run(wave, deadline: .now + .seconds(60)) { result = $0 }
        return try result?.get() ?? []
    }

    /// The rows of a fetch that is run as the only one of a wave.
    func batch(_ fetch: BatchFetch) throws -> ItemBatch {
        switch try outcomes(of: [.fetch(fetch)]).first {
        case .rows(let batch)?: return batch
        case .refused(let error)?: throw error
        default: throw StoreError(.other, "A fetch had another outcome.")
        }
    }

    /// All rows, page by page, each page a wave.
    func batchedPages(
        _ first: Fetch, _ next: Fetch, _ partitionKey: Value?, _ sort: SortCondition?, filter: [Value], limit: Int
    ) throws -> [[Value]] {
        var rows: [[Value]] = []
        var position: Position?
        while true {
            let fetch = position == nil ? first : next
            let key = BatchFetch.Key([partitionKey].compactMap { $0 }, sort: sort)
            let cursor = BatchCursor(
                try batch(BatchFetch(fetch, keys: [key], filter: filter, after: position, rowsMax: limit)), key: 0)
            var count = 0
            while try cursor.next() {
                count += 1
                if cursor.matches { rows.append(fetch.columns.indices.map(cursor.value)) }
            }
            if count < limit { return rows }
            position = cursor.position
        }
    }
}
