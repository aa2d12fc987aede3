extension Reader {
    /// Runs the requests of a wave one after the other, in the request that has begun on this reader.
    ///
    /// The bytes that are copied are charged to the request's budget.
    ///
    /// - Parameter bytesMax: The bytes of rows that the wave may have, as batches count them. A fetch past it is refused.
    /// - Returns: An outcome for each request, in their order.
    public func outcomes(of wave: [BatchRequest], bytesMax: Int = .max) throws(StoreError) -> [BatchOutcome] {
        var outcomes: [BatchOutcome] = []
        var bytesLeft = bytesMax
        for request in wave {
            do throws(StoreError) {
                switch request {
                case .fetch(let fetch):
                    let rows = try rows(of: fetch, bytesMax: bytesLeft)
                    bytesLeft -= rows.byteCount
                    outcomes.append(.rows(rows))
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

    private func rows(of fetch: BatchFetch, bytesMax: Int) throws(StoreError) -> ItemBatch {
        var builder = ItemBatch.Builder(columnCount: fetch.fetch.columns.count)
        var bytesCharged = 0
        for key in fetch.keys {
            let cursor = try open(fetch, key)
            defer { cursor.close() }
            var matchCount = 0
            while matchCount < fetch.matchesMax, try cursor.next() {
                if cursor.matches { matchCount += 1 }
                builder.append(cursor)
                guard builder.byteCount <= bytesMax else {
                    throw StoreError(.invalidRequest, "The response is larger than the server allows.")
                }
                try charge(bytes: builder.byteCount - bytesCharged)
                bytesCharged = builder.byteCount
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
            fetch.fetch, partitionKey: key.values.first.map { .value($0) }, sort: key.sort ?? fetch.sort,
            after: fetch.after,
            filter: fetch.filter, limit: fetch.rowsMax)
    }
}
