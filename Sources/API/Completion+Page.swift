import GraphQL
import JSON
import Tables
import Transformer

/// Completion of a page of items, and of the connection object around it.
extension Completion {
    mutating func completePage(
        _ plan: PagePlan, _ field: PlannedField, of row: some ParentRow, allowed: RowDecision?
    ) throws(StoreError) -> Bool {
        guard let arguments = pageArguments(of: plan, field, allowed) else {
            return collapse(field, to: writer.mark())
        }
        func parent(_ column: String) -> Operand? { plan.operand(column, of: row) }
        let request: PageRequest?
        do throws(ResolverError) {
            request = try arguments.request(environment: scope.schema.environment, parent: parent)
        } catch { return fail(field, error) }
        if case .gathered(let rows, _) = scope.source, request != nil, !rows.contains(field, under: row.number) {
            return passResolverLimit(field)
        }

        let read = PageRead(
            field: field, parent: row.number, arguments: arguments, request: request, bare: plan.bare)
        var end: PageEnd?
        return try completeConnection(plan.parts, of: field) { (completion, part, kind) throws(StoreError) in
            switch kind {
            case .typename(let bytes): completion.writer.append(bytes)
            case .null, .startedAt: completion.writer.writeNull()
            case .items(let family, let selection):
                end = try completion.completeItems(family, selection, of: read, part)
            case .nextToken:
                if end == nil { end = try completion.skipItems(of: read, part) }
                if let position = end?.position {
                    let binding = arguments.binding(parent: parent)
                    completion.writer.writeString(
                        completion.scope.schema.environment.seal(position.tokenBytes, binding))
                } else {
                    completion.writer.writeNull()
                }
            }
        }
    }

    /// The field's arguments, understood once for all parents; nil when they could not be had, which is noted.
    private mutating func pageArguments(
        of plan: PagePlan, _ field: PlannedField, _ allowed: RowDecision?
    ) -> PageArguments? {
        let isNested = !plan.parentPositions.isEmpty
        if isNested, let arguments = pageArguments[ObjectIdentifier(field)] { return arguments }
        guard let values = coerceArguments(plan.arguments) else { return nil }
        let arguments = PageArguments(values, of: plan, field, scope.schema, allowed: allowed)
        if isNested { pageArguments[ObjectIdentifier(field)] = arguments }
        return arguments
    }

    /// The connection object around a page, of whose fields `write` writes those that the caller may see.
    mutating func completeConnection<Part>(
        _ parts: [(field: PlannedField, part: Part)], of field: PlannedField,
        _ write: (inout Completion, PlannedField, Part) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        let mark = writer.mark()
        writer.append(UInt8(ascii: "{"))
        var isFirst = true
        for (part, kind) in parts where part.isIncluded(scope.variables) {
            if isFirst { isFirst = false } else { writer.append(UInt8(ascii: ",")) }
            writer.append(part.key)
            let errorCount = errors.count
            var isValid = true
            if allows(part) { try write(&self, part, kind) } else { isValid = deny(part) }
            if errors.count > errorCount { locate(from: errorCount, at: .key(part.responseKey)) }
            guard isValid else { return collapse(field, to: mark) }
        }
        writer.append(UInt8(ascii: "}"))
        return true
    }

    /// Where reading a page stopped. Without a position it is the last page.
    struct PageEnd {
        var position: Position?
    }

    private var fillsPages: Bool { scope.schema.options.fillsPages }

    // MARK: - Items

    /// The `items` of a page. `limit` counts the rows that were read, before the filter
    /// (reference: transformer, "Pages"); of a full page those that the filter keeps.
    private mutating func completeItems(
        _ family: FetchFamily, _ selection: ItemSelection, of read: PageRead, _ part: PlannedField
    ) throws(StoreError) -> PageEnd {
        writer.append(UInt8(ascii: "["))
        var end = PageEnd()
        if let request = read.request {
            switch scope.source {
            case .live(let reader, let cache):
                let rows = selection.isPlain && request.sort == nil && request.filter == nil ? cache : nil
                if let rows, let end = try writeItems(from: rows, selection, of: read, request, by: reader) {
                    writer.append(UInt8(ascii: "]"))
                    return end
                }
                let cursor = try open(family, read, request, by: reader)
                defer { cursor.close() }
                end = try completeRows(of: cursor, selection, request, keeping: rows, by: reader)
            case .gathered(let gathered, _):
                if case .rows(let cursor) = try gathered.rows(of: read.field, under: read.parent, part: part) {
                    end = try completeRows(of: cursor, selection, request, keeping: nil, by: nil)
                }
            }
        }
        writer.append(UInt8(ascii: "]"))
        return end
    }

    /// - Parameters:
    ///   - rows: Keeps what is written of each item.
    ///   - reader: Whose snapshot the rows are of, if they are kept.
    private mutating func completeRows(
        of cursor: some ItemCursor & ParentRow, _ selection: ItemSelection, _ request: PageRequest,
        keeping rows: RowCache?, by reader: Reader?
    ) throws(StoreError) -> PageEnd {
        var end = PageEnd()
        var rowCount = 0
        var itemCount = 0
        while rowCount < request.limit, try cursor.next() {
            if rowCount == 0, let rows, let reader { rows.renew(reader.dataVersion) }
            let matches = cursor.matches
            if !matches, fillsPages { continue }
            rowCount += 1
            if rowCount == request.limit { end.position = cursor.position }
            guard matches else { continue }
            if let mark = try completeElement(selection, of: cursor, at: itemCount) {
                rows?.insert(cursor.rowID, as: selection.id, writtenSince: mark, in: writer)
            }
            itemCount += 1
        }
        try endFullPage(&end, at: cursor)
        return end
    }

    /// Looks for one more item after a full page; without one it is the last.
    private func endFullPage(_ end: inout PageEnd, at cursor: some ItemCursor) throws(StoreError) {
        guard fillsPages, end.position != nil else { return }
        while try cursor.next() {
            if cursor.matches { return }
        }
        end.position = nil
    }

    /// One element of `items`; null where it is not valid, since an element is nullable: `items: [Post]!`.
    /// - Returns: Where it begins, if there is no error in it.
    mutating func completeElement(
        _ selection: ItemSelection, of cursor: some ItemCursor & ParentRow, at index: Int
    ) throws(StoreError) -> Int? {
        if index > 0 { writer.append(UInt8(ascii: ",")) }
        let mark = writer.mark()
        let errorCount = errors.count
        if try !completeObject(selection, of: cursor) {
            try scope.source.charge(bytes: writer.count - mark)
            writer.rewind(to: mark)
            writer.writeNull()
        }
        let isWhole = errors.count == errorCount
        if !isWhole { locate(from: errorCount, at: .index(index)) }
        try checkSize()
        return isWhole ? mark : nil
    }

    /// A page of items that all were written before: nothing is read but where they are. Nil, and nothing is written, when
    /// one of them was not.
    private mutating func writeItems(
        from rows: RowCache, _ selection: ItemSelection, of read: PageRead, _ request: PageRequest, by reader: Reader
    ) throws(StoreError) -> PageEnd? {
        guard !rows.isEmpty else { return nil }
        let mark = writer.mark()
        let cursor = try open(read.bare, read, request, by: reader)
        defer { cursor.close() }
        var end = PageEnd()
        var rowCount = 0
        while rowCount < request.limit, try cursor.next() {
            // Only now the snapshot is sure to have begun.
            if rowCount == 0 { rows.renew(reader.dataVersion) } else { writer.append(UInt8(ascii: ",")) }
            rowCount += 1
            guard rows.write(cursor.rowID, as: selection.id, into: &writer) else {
                writer.rewind(to: mark)
                return nil
            }
            if rowCount == request.limit { end.position = cursor.position }
            try checkSize()
        }
        try endFullPage(&end, at: cursor)
        return end
    }

    // MARK: - Where a page ends

    private mutating func skipItems(of read: PageRead, _ part: PlannedField) throws(StoreError) -> PageEnd {
        guard let request = read.request else { return PageEnd() }
        switch scope.source {
        case .live(let reader, _):
            let cursor = try open(read.bare, read, request, by: reader)
            defer { cursor.close() }
            return try skipRows(of: cursor, request)
        case .gathered(let gathered, _):
            guard case .rows(let cursor) = try gathered.rows(of: read.field, under: read.parent, part: part) else {
                return PageEnd()
            }
            return try skipRows(of: cursor, request)
        }
    }

    private func skipRows(of cursor: some ItemCursor, _ request: PageRequest) throws(StoreError) -> PageEnd {
        var end = PageEnd()
        var rowCount = 0
        while rowCount < request.limit, try cursor.next() {
            if fillsPages, !cursor.matches { continue }
            rowCount += 1
            if rowCount == request.limit { end.position = cursor.position }
        }
        try endFullPage(&end, at: cursor)
        return end
    }

    private func open(
        _ family: FetchFamily, _ read: PageRead, _ request: PageRequest, by reader: Reader
    ) throws(StoreError) -> Cursor {
        try reader.open(
            read.arguments.fetch(of: family, for: request), partitionKey: request.partitionKey, sort: request.sort,
            after: request.after, filter: request.filter?.values ?? [], limit: fillsPages ? .max : request.limit)
    }
}
