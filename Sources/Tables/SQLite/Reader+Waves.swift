extension Reader {
    /// Runs the requests of a wave one after the other, in the request that has begun on this reader.
    ///
    /// - Returns: An outcome for each request, in their order.
    public func outcomes(of wave: [BatchRequest]) throws(StoreError) -> [BatchOutcome] {
        var outcomes: [BatchOutcome] = []
        for request in wave {
            do throws(StoreError) {
                switch request {
                case .fetch(let fetch): outcomes.append(.rows(try rows(of: fetch)))
                case .beginSync(let table): outcomes.append(.syncStart(try beginSync(of: table)))
                case .deltaHorizon(let table): outcomes.append(.deltaHorizon(try deltaHorizon(of: table)))
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
            return try item(fetch.fetch, key: key.values.map { .value($0) }, filter: fetch.filter)
        }
        return try open(
            fetch.fetch, partitionKey: key.values.first.map { .value($0) }, sort: key.sort, after: fetch.after,
            filter: fetch.filter, limit: fetch.rowsMax)
    }
}
