import GraphQL
import JSON
import Tables

/// Completion of a sync's page.
extension Completion {
    mutating func completeSync(
        _ plan: SyncPlan, _ field: PlannedField, narrowing: Condition?
    ) throws(StoreError) -> Bool {
        guard let given = coerceArguments(plan.arguments) else { return collapse(field, to: writer.mark()) }
        let environment = scope.schema.environment
        let arguments: SyncArguments
        do throws(ResolverError) {
            arguments = try SyncArguments(
                given, of: field, on: plan.table.table, options: scope.schema.options,
                filters: scope.schema.filterRules,
                environment: environment)
        } catch { return fail(field, error) }
        let request = try arguments.request(
            of: plan.table, plan.indexes, narrowing: narrowing, by: scope.source.reader, environment.syncStarts)

        var end: PageEnd?
        return try completeConnection(plan.parts, of: field) { (completion, part) throws(StoreError) in
            switch part {
            case .typename(let bytes): completion.writer.append(bytes)
            case .null: completion.writer.writeNull()
            case .startedAt: completion.writer.write(request.startedAt)
            case .items(let fetches, let selection):
                end = try completion.completeItems(fetches, selection, request)
            case .nextToken:
                if end == nil {
                    end = try completion.walk(plan.bare, request) { (_, _, _) throws(StoreError) in }
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

    private mutating func completeItems(
        _ fetches: SyncFetches, _ selection: ItemSelection, _ request: SyncRequest
    ) throws(StoreError) -> PageEnd {
        writer.append(UInt8(ascii: "["))
        let end = try walk(fetches, request) { (completion, cursor, index) throws(StoreError) in
            _ = try completion.completeElement(selection, of: cursor, at: index)
        }
        writer.append(UInt8(ascii: "]"))
        return end
    }

    /// Goes over the items of a page, each with its place on the page.
    private mutating func walk(
        _ fetches: SyncFetches, _ request: SyncRequest,
        _ body: (inout Completion, Cursor, Int) throws(StoreError) -> Void
    ) throws(StoreError) -> PageEnd {
        let cursor = try scope.source.reader.open(
            fetches.fetch(for: request), partitionKey: request.range.map { .value($0.value) }, sort: request.sort,
            after: request.after, filter: request.filter?.values ?? [], limit: request.rowsMax)
        defer { cursor.close() }
        var (rowCount, itemCount) = (0, 0)
        while itemCount < request.limit, try cursor.next() {
            rowCount += 1
            guard cursor.matches else { continue }
            try body(&self, cursor, itemCount)
            itemCount += 1
        }
        let isOver = itemCount < request.limit && rowCount < request.rowsMax
        return PageEnd(position: isOver ? nil : cursor.position)
    }
}
