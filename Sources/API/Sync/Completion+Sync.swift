import GraphQL
import JSON
import Tables

/// Completion of a sync's page.
extension Completion {
    mutating func completeSync(
        _ plan: SyncPlan, _ field: PlannedField, allowed: RowDecision?
    ) throws(StoreError) -> Bool {
        guard let given = coerceArguments(plan.arguments) else { return collapse(field, to: writer.mark()) }
        let environment = scope.schema.environment
        let arguments: SyncArguments
        do throws(ResolverError) {
            arguments = try SyncArguments(
                given, of: field, by: plan, options: scope.schema.options, filters: scope.schema.filterRules,
                environment: environment)
        } catch { return fail(field, error) }
        guard let request = try request(arguments, of: plan, field, allowed) else { return passResolverLimit(field) }
        guard !request.isRefused else { return deny(field) }

        var end: PageEnd?
        return try completeConnection(plan.parts, of: field) { (completion, part, kind) throws(StoreError) in
            switch kind {
            case .typename(let bytes): completion.writer.append(bytes)
            case .null: completion.writer.writeNull()
            case .startedAt: completion.writer.write(request.startedAt)
            case .items(let fetches, let selection):
                end = try completion.completeItems(fetches, selection, request, of: field, part)
            case .nextToken:
                if end == nil {
                    end = try completion.skipItems(plan.bare, request, of: field, part)
                }
                if let position = end?.position {
                    let token = request.token(after: position).bytes
                    completion.writer.writeString(environment.seal(token, arguments.binding))
                } else {
                    completion.writer.writeNull()
                }
            }
        }
    }

    /// The page that is asked for. The first one of a sync begins it; no cursor is open. Nil when it was not gathered.
    private func request(
        _ arguments: SyncArguments, of plan: SyncPlan, _ field: PlannedField, _ allowed: RowDecision?
    ) throws(StoreError) -> SyncRequest? {
        switch scope.source {
        case .live(let reader, _):
            let prerequisite = arguments.prerequisite
            return arguments.request(
                of: plan, allowed: allowed,
                start: prerequisite == .start ? try reader.beginSync(of: plan.table) : nil,
                deltaHorizon: prerequisite == .deltaHorizon ? try reader.deltaHorizon(of: plan.table) : nil,
                scope.schema.environment.syncStarts)
        case .gathered(let rows, _): return try rows.syncRequest(of: field)
        }
    }

    private mutating func completeItems(
        _ fetches: SyncFetches, _ selection: ItemSelection, _ request: SyncRequest, of field: PlannedField,
        _ part: PlannedField
    ) throws(StoreError) -> PageEnd {
        writer.append(UInt8(ascii: "["))
        var end = PageEnd()
        switch scope.source {
        case .live(let reader, _):
            let cursor = try open(fetches, request, by: reader)
            defer { cursor.close() }
            end = try completeRows(of: cursor, selection, request)
        case .gathered(let gathered, _):
            if case .rows(let cursor) = try gathered.rows(of: field, under: 0, part: part) {
                end = try completeRows(of: cursor, selection, request)
            }
        }
        writer.append(UInt8(ascii: "]"))
        return end
    }

    private mutating func skipItems(
        _ fetches: SyncFetches, _ request: SyncRequest, of field: PlannedField, _ part: PlannedField
    ) throws(StoreError) -> PageEnd {
        switch scope.source {
        case .live(let reader, _):
            let cursor = try open(fetches, request, by: reader)
            defer { cursor.close() }
            return try completeRows(of: cursor, nil, request)
        case .gathered(let gathered, _):
            guard case .rows(let cursor) = try gathered.rows(of: field, under: 0, part: part) else { return PageEnd() }
            return try completeRows(of: cursor, nil, request)
        }
    }

    /// Goes over the items of a page; without a selection only to its end.
    private mutating func completeRows(
        of cursor: some ItemCursor & ParentRow, _ selection: ItemSelection?, _ request: SyncRequest
    ) throws(StoreError) -> PageEnd {
        var (rowCount, itemCount) = (0, 0)
        while itemCount < request.limit, try cursor.next() {
            rowCount += 1
            guard cursor.matches else { continue }
            if let selection { _ = try completeElement(selection, of: cursor, at: itemCount) }
            itemCount += 1
        }
        let isOver = itemCount < request.limit && rowCount < request.rowsMax
        return PageEnd(position: isOver ? nil : cursor.position)
    }

    private func open(
        _ fetches: SyncFetches, _ request: SyncRequest, by reader: Reader
    ) throws(StoreError) -> Cursor {
        try reader.open(
            fetches.fetch(for: request), partitionKey: request.range.map { .value($0.value) }, sort: request.sort,
            after: request.after, filter: request.filter?.values ?? [], limit: request.rowsMax)
    }
}
