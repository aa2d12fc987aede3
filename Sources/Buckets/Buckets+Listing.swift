import Tables

extension Buckets {
    /// Returns a page of the objects of a bucket, ordered by the bytes of their keys. All keys under a common prefix
    /// are skipped with one index seek. It is read in pieces, each in a snapshot of its own, between which other networks
    /// have their turn.
    func list(_ query: ObjectListQuery, _ turn: ListTurn) async throws(S3Error) -> ObjectListPage {
        var page = ObjectListPage()
        var rest = query
        while true {
            rest.entriesMax = min(Self.pieceEntriesMax, query.entriesMax - page.entryCount)
            let piece = try await metadata.list(turn) { [rest] reader throws(S3Error) in try Self.list(rest, reader) }
            page.append(piece)
            guard let next = piece.next, page.entryCount < query.entriesMax else { return page }
            rest.start = next
        }
    }

    /// Entries of a page that are read at a time.
    static let pieceEntriesMax = 100

    static func list(_ query: ObjectListQuery, _ reader: MetadataReader) throws(S3Error) -> ObjectListPage {
        var page = ObjectListPage()
        guard query.entriesMax > 0 else { return page }
        var last = query.start
        var entryCount = 0
        // Where the next scan starts; nil if no further key can have the prefix.
        var bound: SortCondition? = firstKeys(of: query)
        while let sort = bound {
            bound = nil
            try reader.forEach(ObjectRecord.self, in: query.bucket, where: sort) { object throws(S3Error) in
                guard object.objectKey.hasBytePrefix(query.prefix) else { return false }
                // Another key after a full page means that there is a next page.
                guard entryCount < query.entriesMax else {
                    page.next = last
                    return false
                }
                entryCount += 1
                guard let prefix = query.commonPrefix(of: object.objectKey) else {
                    page.objects.append(object)
                    last = .after(object.objectKey)
                    return true
                }
                page.commonPrefixes.append(prefix)
                last = .past(prefix)
                bound = prefix.afterPrefix.map { from($0) }
                return false
            }
        }
        return page
    }

    private static func from(_ key: String) -> SortCondition {
        SortCondition(sortOperator: .ge, operands: [[.text(key)]])
    }

    /// The keys from the prefix or the start on, whichever is later; nil if there are none.
    private static func firstKeys(of query: ObjectListQuery) -> SortCondition? {
        let start: SortCondition
        let text: String
        switch query.start {
        case .beginning: return from(query.prefix)
        case .after(let key): (text, start) = (key, SortCondition(sortOperator: .gt, operands: [[.text(key)]]))
        case .past(let prefix):
            guard let next = prefix.afterPrefix else { return nil }
            (text, start) = (next, from(next))
        }
        return text.utf8.lexicographicallyPrecedes(query.prefix.utf8) ? from(query.prefix) : start
    }
}
