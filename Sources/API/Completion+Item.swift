import JSON
import Tables

/// Completion of an item that is read by its key, and of what is selected of items.
extension Completion {
    mutating func completeItem(
        _ plan: ItemPlan, _ field: PlannedField, of row: some ParentRow, allowed: RowDecision?
    ) throws(StoreError) -> Bool {
        if let allowed, !plan.mayBeReadable(by: allowed, keyOf: row, scope.variables) { return deny(field) }
        switch scope.source {
        case .live(let reader, let rows):
            if plan.isKept, let rows, let key = plan.key.operand(0, of: row, scope.variables) {
                return try completeKeptItem(plan, field, of: row, key, rows, narrowing: allowed, by: reader)
            }
            return try readItem(plan, field, of: row, narrowing: allowed?.condition, by: reader)
        case .gathered(let rows, _):
            switch try rows.rows(of: field, under: row.number, part: field) {
            case .none: return completeNull(field)
            case .omitted: return passResolverLimit(field)
            case .rows(let cursor): return try completeItem(at: cursor, plan, field)
            }
        }
    }

    private mutating func completeKeptItem(
        _ plan: ItemPlan, _ field: PlannedField, of row: some ParentRow, _ key: Operand, _ rows: RowCache,
        narrowing allowed: RowDecision?, by reader: Reader
    ) throws(StoreError) -> Bool {
        rows.renew(try reader.beginSnapshotVersion())
        let decisions = allowed == nil ? nil : scope.decisions
        let isWritten: Bool? = unsafe key.withText {
            unsafe rows.write($0, as: plan.selection.id, by: decisions, into: &writer)
        }
        if isWritten == true {
            try checkSize()
            return true
        }
        let mark = writer.mark()
        let errorCount = errors.count
        let isValid = try readItem(plan, field, of: row, narrowing: allowed?.condition, by: reader)
        if isValid, errors.count == errorCount {
            unsafe key.withText {
                unsafe rows.insert($0, as: plan.selection.id, by: decisions, writtenSince: mark, in: writer)
            }
        }
        return isValid
    }

    private mutating func readItem(
        _ plan: ItemPlan, _ field: PlannedField, of row: some ParentRow, narrowing: Condition?, by reader: Reader
    ) throws(StoreError) -> Bool {
        let fetch = fetch(of: plan, field, narrowing)
        guard let cursor = try open(fetch, of: plan, row, by: reader) else { return completeNull(field) }
        defer { cursor.close() }
        return try completeItem(at: cursor, plan, field)
    }

    /// The first row of a cursor, if there is one.
    private mutating func completeItem(
        at cursor: some ItemCursor & ParentRow, _ plan: ItemPlan, _ field: PlannedField
    ) throws(StoreError) -> Bool {
        guard try cursor.next() else { return completeNull(field) }
        guard cursor.matches else { return deny(field) }
        let mark = writer.mark()
        let isValid = try completeObject(plan.selection, of: cursor) || collapse(field, to: mark)
        try checkSize()
        return isValid
    }

    /// The plan's fetch, narrowed by the rules' condition if there is one: once for the request, not for each parent.
    private mutating func fetch(
        of plan: ItemPlan, _ field: PlannedField, _ narrowing: Condition?
    ) -> ItemPlan.NarrowedFetch {
        guard let narrowing else { return ItemPlan.NarrowedFetch(fetch: plan.fetch) }
        if let fetch = narrowedFetches[ObjectIdentifier(field)] { return fetch }
        let fetch = plan.fetch(narrowedBy: narrowing, from: scope.schema.fetches)
        narrowedFetches[ObjectIdentifier(field)] = fetch
        return fetch
    }

    /// Stands before the item; nil when a part of the key is null or absent.
    private func open(
        _ narrowed: ItemPlan.NarrowedFetch, of plan: ItemPlan, _ row: some ParentRow, by reader: Reader
    ) throws(StoreError) -> Cursor? {
        let (fetch, filter) = (narrowed.fetch, narrowed.values)
        guard let partitionKey = plan.key.operand(0, of: row, scope.variables) else { return nil }
        if plan.key.count == 1, plan.access == .item {
            return try reader.item(fetch, partitionKey: partitionKey, filter: filter)
        }
        var key = [partitionKey]
        for part in 1..<plan.key.count {
            guard let operand = plan.key.operand(part, of: row, scope.variables) else { return nil }
            key.append(operand)
        }
        guard plan.access != .item else { return try reader.item(fetch, key: key, filter: filter) }
        return try reader.open(
            fetch, partitionKey: partitionKey, sort: ItemPlan.sort(key.dropFirst().map(\.value)), after: nil,
            filter: filter, limit: 1)
    }

    /// The fields of the item that a cursor stands on, braces included.
    mutating func completeObject(_ selection: ItemSelection, of cursor: some ItemCursor & ParentRow) throws(StoreError)
        -> Bool
    {
        let (cells, keys) = (selection.cells, selection.keys)
        guard !cells.isEmpty else { return try completeObject(selection.fields, of: cursor) }
        var index = 0
        var checks = RowChecks()
        while true {
            let end = min(index + Self.fieldsPerSizeCheck, cells.count)
            while index < end {
                let cell = cells[index]
                defer { index += 1 }
                if cell.kind == .field, !selection.fields[index].isIncluded(scope.variables) { continue }
                writer.append(keys, in: cell.key)
                if write(cell, of: cursor) { continue }
                guard try completeField(selection.fields[index], of: cursor, &checks) else { return false }
            }
            if index == cells.count { break }
            try checkSize()
        }
        writer.append(UInt8(ascii: "}"))
        return true
    }

    /// Fields after which the size of the answer is looked at. One column may be selected under thousands of aliases, so
    /// that a single item outgrows any bound.
    private static var fieldsPerSizeCheck: Int { 16 }

    /// Writes a plain field's value. False, and nothing is written, where that is for the field to decide: the value is
    /// null, or out of bounds.
    private mutating func write(_ cell: ItemSelection.Cell, of cursor: some ItemCursor) -> Bool {
        switch cell.kind {
        case .text: return unsafe cursor.cell(cell.position).withText { unsafe writer.writeString($0) }
        case .owner:
            return unsafe cursor.cell(cell.position).withText { unsafe writer.writeString(Leaf.shownOwner($0)) }
        case .int, .long:
            let value = cursor.cell(cell.position)
            let integer = value.integer
            if integer == 0, value.isNull { return false }
            if cell.kind == .int, Int32(exactly: integer) == nil { return false }
            writer.write(integer)
        case .real:
            let value = cursor.cell(cell.position)
            if value.isNull { return false }
            writer.write(value.real)
        case .boolean:
            let value = cursor.cell(cell.position)
            if value.isNull { return false }
            writer.write(value.integer != 0)
        case .ready: break
        case .field: return false
        }
        return true
    }
}
