import GraphQL
import JSON
import Tables
import Transformer

/// Values to bytes, with null propagation: GraphQL spec §6.4.3 CompleteValue over rows, kept items and JSON alike.
///
/// One walk over a plan. Fields are written as they are completed; when a Non-Null position turns out null, the writer
/// is rewound to the nearest nullable parent and `null` stands there instead. Every `complete…` returns whether its
/// position is valid; `false` means that the error is noted and the caller must become null itself.
///
/// Child fetches run while the parent's cursor stands on its row: depth first, one snapshot, nothing buffered.
struct Completion: ~Copyable {
    var writer: JSONWriter
    /// In the order met; each finds its path on the way back to the root.
    var errors: [FieldError] = []
    var scope: Scope
    /// Resolvers that the request may still run (AppSync: resolverCountLimit).
    private var resolversLeft: Int
    /// The arguments of nested pages, and the fetches of narrowed items, by their fields: all parents have them in common.
    private var pageArguments: [ObjectIdentifier: PageArguments] = [:]
    private var narrowedFetches: [ObjectIdentifier: ItemPlan.NarrowedFetch] = [:]
    /// The bytes of the response up to which the reader's budget was charged.
    private var chargedCount = 0

    /// What one request brings along.
    struct Scope {
        var schema: ExecutableSchema
        var plan: Plan
        var variables: VariableValues
        var identity: Identity
        var source: Source
        /// Whose the request is among those that wait for workers.
        var client = ReadClient.unnamed
    }

    /// What a request reads from: always of the one thread that completes it.
    struct Source {
        let reader: Reader
        /// What the reader's loop has written of items; a worker keeps none.
        var rows: RowCache?
    }

    init(scope: Scope, writer: consuming JSONWriter) {
        self.scope = scope
        self.writer = writer
        let limit = scope.schema.options.limits.resolverCountLimit
        resolversLeft = limit == 0 ? Self.resolverCountMax : limit
    }

    // MARK: - Objects

    /// The fields of one object, braces included.
    mutating func completeObject(_ fields: [PlannedField], of row: some ParentRow) throws(StoreError) -> Bool {
        writer.append(UInt8(ascii: "{"))
        var isFirst = true
        for field in fields where field.isIncluded(scope.variables) {
            if isFirst { isFirst = false } else { writer.append(UInt8(ascii: ",")) }
            writer.append(field.key)
            guard try completeField(field, of: row) else { return false }
            try checkSize()
        }
        writer.append(UInt8(ascii: "}"))
        return true
    }

    /// One field's value, and the field's step in the path of whatever went wrong inside.
    mutating func completeField(_ field: PlannedField, of row: some ParentRow) throws(StoreError) -> Bool {
        let errorCount = errors.count
        let isValid = try completeValue(field, of: row)
        if errors.count > errorCount { locate(from: errorCount, at: .key(field.responseKey)) }
        return isValid
    }

    private mutating func completeValue(_ field: PlannedField, of row: some ParentRow) throws(StoreError) -> Bool {
        var narrowing: Condition?
        if !field.rules.isEmpty {
            switch Authorization.decide(field.rules, for: scope.identity) {
            case .allow: break
            // A condition goes down into a fetch; what is not fetched cannot meet it.
            case .narrow(let condition) where field.resolution.isFetch: narrowing = condition
            case .narrow, .deny: return fail(field, .unauthorized(field))
            }
        }
        switch field.resolution {
        case .column(let position, let leaf):
            return row.isNull(position) ? completeNull(field) : completeLeaf(leaf, field, position, of: row)
        case .typename(let bytes):
            writer.append(bytes)
            return true
        case .item(let plan):
            return try fetch(for: field) { (completion) throws(StoreError) in
                try completion.completeItem(plan, field, of: row, narrowing: narrowing)
            }
        case .page(let plan):
            return try fetch(for: field) { (completion) throws(StoreError) in
                try completion.completePage(plan, field, of: row, narrowing: narrowing)
            }
        case .sync(let plan):
            return try fetch(for: field) { (completion) throws(StoreError) in
                try completion.completeSync(plan, field, narrowing: narrowing)
            }
        case .json(let position, let shape): return completeJSON(field, shape, at: position, of: row)
        case .function(let plan):
            return takeResolver() ? completeFunction(plan, field) : passResolverLimit(field)
        case .introspection(let plan): return completeIntrospection(plan, field)
        case .null: return completeNull(field)
        case .property, .write, .subscription:
            preconditionFailure(
                "a property is completed with its object, a write with its mutation, a subscription with its events")
        }
    }

    /// What a field asks of the store in vain, an empty key or too large a filter, is the field's own error; the
    /// others stand. An answer that has grown too large is the whole request's.
    private mutating func fetch(
        for field: PlannedField, _ body: (inout Completion) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        guard takeResolver() else { return passResolverLimit(field) }
        let mark = writer.mark()
        let errorCount = errors.count
        do throws(StoreError) {
            return try body(&self)
        } catch {
            guard error.code == .invalidRequest, isWithinSize else { throw error }
            errors.removeLast(errors.count - errorCount)
            writer.rewind(to: mark)
            return fail(field, .validation(error.message))
        }
    }

    /// Counts one resolver; false when the request has run all it may.
    mutating func takeResolver() -> Bool {
        resolversLeft -= 1
        return resolversLeft >= 0
    }

    /// What ran already is kept, the rest is null (reference: appsync-protocol, "Limits"). Of the many fields that this
    /// may concern, the first hundred say so.
    mutating func passResolverLimit(_ field: PlannedField) -> Bool {
        guard resolversLeft < -100 else { return fail(field, .resolverLimit) }
        return collapse(field, to: writer.mark())
    }

    /// AppSync's own bound, which its limit of 0 stands for.
    private static let resolverCountMax = 10_000

    /// Whether the rules give a field that fetches nothing of its own.
    func allows(_ field: PlannedField) -> Bool {
        guard !field.rules.isEmpty else { return true }
        if case .allow = Authorization.decide(field.rules, for: scope.identity) { return true }
        return false
    }

    // MARK: - Null and errors

    /// Null, unless the field's type forbids it.
    mutating func completeNull(_ field: PlannedField) -> Bool {
        guard field.isNonNull else {
            writer.writeNull()
            return true
        }
        errors.append(FieldError(cause: .null(type: field.typeName, parent: field.parentName)))
        return false
    }

    /// What stands behind `mark` was not valid and its error is noted: null, or the parent's turn.
    mutating func collapse(_ field: PlannedField, to mark: Int) -> Bool {
        writer.rewind(to: mark)
        guard !field.isNonNull else { return false }
        writer.writeNull()
        return true
    }

    /// A resolver refused: its error stands for the value.
    mutating func fail(_ field: PlannedField, _ error: ResolverError) -> Bool {
        note(error, at: field)
        return collapse(field, to: writer.mark())
    }

    mutating func note(_ error: ResolverError, at field: PlannedField) {
        let location = scope.plan.operation.document.location(of: field.offset)
        errors.append(FieldError(cause: .resolver(error, location)))
    }

    /// Adds a step to the path of the errors noted since there were `count` of them.
    mutating func locate(from count: Int, at element: PathElement) {
        for index in count..<errors.count { errors[index].reversedPath.append(element) }
    }

    /// The arguments of a field, or nil when a variable brought a null to where none may be, which is noted.
    mutating func coerceArguments(_ template: ArgumentTemplate) -> ArgumentValues? {
        do {
            return try template.coerceArgumentValues(scope.variables)
        } catch {
            errors.append(FieldError(cause: .arguments(error)))
            return nil
        }
    }

    private mutating func completeIntrospection(_ plan: IntrospectionPlan, _ field: PlannedField) -> Bool {
        let mark = writer.mark()
        do throws(GraphQLError) {
            try plan.write(
                of: scope.schema.definition.schema, scope.variables, into: &writer,
                bytesMax: scope.schema.options.limits.responseBytesMax)
            return true
        } catch {
            errors.append(FieldError(cause: .arguments(error)))
            return collapse(field, to: mark)
        }
    }

    // MARK: - Leaves

    private mutating func completeLeaf(
        _ leaf: Leaf, _ field: PlannedField, _ position: Int, of row: some ParentRow
    ) -> Bool {
        switch leaf {
        case .text: row.withText(position) { writer.writeString($0) }
        case .boolean: writer.write(row.integer(position) != 0)
        case .real: writer.write(row.real(position))
        case .integer(let bounds, let type):
            let integer = row.integer(position)
            guard bounds.contains(integer) else { return completeMisfit(type, .int(integer), field) }
            writer.write(integer)
        case .enumeration(let values, let type):
            let isKnown = row.withText(position) { bytes in
                guard values.contains(where: { bytes.elementsEqual($0.utf8) }) else { return false }
                writer.writeString(bytes)
                return true
            }
            guard isKnown else {
                let text = row.withText(position) { String(decoding: $0, as: UTF8.self) }
                return completeMisfit(type, .string(text), field)
            }
        }
        return true
    }

    /// A stored value that is none of its type, since the schema has changed: AppSync's text for it.
    private mutating func completeMisfit(_ type: TypeID, _ value: CoercedValue, _ field: PlannedField) -> Bool {
        do throws(ScalarError) {
            try scope.schema.definition.schema.completeLeaf(type, value, into: &writer)
            return true
        } catch {
            errors.append(FieldError(cause: .unserializable(error)))
            return collapse(field, to: writer.mark())
        }
    }

    // MARK: - One item

    private mutating func completeItem(
        _ plan: ItemPlan, _ field: PlannedField, of row: some ParentRow, narrowing: Condition?
    ) throws(StoreError) -> Bool {
        guard plan.isKept, narrowing == nil, let rows = scope.source.rows, let key = operand(0, of: plan.key, row)
        else {
            return try readItem(plan, field, of: row, narrowing: narrowing)
        }
        rows.renew(try scope.source.reader.beginSnapshotVersion())
        if key.withText({ rows.write($0, as: plan.selection.id, into: &writer) }) == true {
            try checkSize()
            return true
        }
        let mark = writer.mark()
        let errorCount = errors.count
        let isValid = try readItem(plan, field, of: row, narrowing: nil)
        if isValid, errors.count == errorCount {
            key.withText { rows.insert($0, as: plan.selection.id, writtenSince: mark, in: writer) }
        }
        return isValid
    }

    private mutating func readItem(
        _ plan: ItemPlan, _ field: PlannedField, of row: some ParentRow, narrowing: Condition?
    ) throws(StoreError) -> Bool {
        let fetch = fetch(of: plan, field, narrowing)
        guard let cursor = try open(fetch, of: plan, row) else { return completeNull(field) }
        defer { cursor.close() }
        guard try cursor.next() else { return completeNull(field) }
        guard cursor.matches else { return fail(field, .unauthorized(field)) }
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
        _ narrowed: ItemPlan.NarrowedFetch, of plan: ItemPlan, _ row: some ParentRow
    ) throws(StoreError) -> Cursor? {
        let (fetch, filter) = (narrowed.fetch, narrowed.values)
        guard let partitionKey = operand(0, of: plan.key, row) else { return nil }
        if plan.key.count == 1, plan.access == .item {
            return try scope.source.reader.item(fetch, partitionKey: partitionKey, filter: filter)
        }
        var key = [partitionKey]
        for part in 1..<plan.key.count {
            guard let operand = operand(part, of: plan.key, row) else { return nil }
            key.append(operand)
        }
        guard plan.access != .item else { return try scope.source.reader.item(fetch, key: key, filter: filter) }
        let parts = key.dropFirst().map(\.value)
        return try scope.source.reader.open(
            fetch, partitionKey: partitionKey,
            sort: parts.isEmpty ? nil : SortCondition(sortOperator: .eq, operands: [parts]), after: nil,
            filter: filter, limit: 1)
    }

    /// A part of a key, by its place in the key; nil when it is null or absent.
    private func operand(_ part: Int, of key: ItemPlan.Key, _ row: some ParentRow) -> Operand? {
        switch key {
        case .parent(let positions):
            return row.isNull(positions[part]) ? nil : row.operand(positions[part])
        case .arguments(let parts):
            let value: CoercedValue? =
                switch parts[part].template {
                case .constant(let value): value
                case .variable(let position): scope.variables[position]
                default: nil
                }
            guard let value, !value.isNull else { return nil }
            return .value(Value(value, as: parts[part].type))
        }
    }

    // MARK: - A page of items

    private mutating func completePage(
        _ plan: PagePlan, _ field: PlannedField, of row: some ParentRow, narrowing: Condition?
    ) throws(StoreError) -> Bool {
        guard let pageArguments = pageArguments(of: plan, field, narrowing) else {
            return collapse(field, to: writer.mark())
        }
        func parent(_ column: String) -> Operand? {
            guard let position = plan.parentPositions[column], !row.isNull(position) else { return nil }
            return row.operand(position)
        }
        let request: PageRequest?
        do throws(ResolverError) {
            request = try pageArguments.request(environment: scope.schema.environment, parent: parent)
        } catch { return fail(field, error) }

        var end: PageEnd?
        return try completeConnection(plan.parts, of: field) { (completion, part) throws(StoreError) in
            switch part {
            case .typename(let bytes): completion.writer.append(bytes)
            case .null, .startedAt: completion.writer.writeNull()
            case .items(let family, let selection):
                end = try completion.completeItems(family, selection, plan.bare, pageArguments, request)
            case .nextToken:
                if end == nil { end = try completion.skipItems(plan.bare, pageArguments, request) }
                if let position = end?.position {
                    let binding = pageArguments.binding(parent: parent)
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
        of plan: PagePlan, _ field: PlannedField, _ narrowing: Condition?
    ) -> PageArguments? {
        let isNested = !plan.parentPositions.isEmpty
        if isNested, let arguments = pageArguments[ObjectIdentifier(field)] { return arguments }
        guard let values = coerceArguments(plan.arguments) else { return nil }
        let arguments = PageArguments(
            values, query: plan.query, table: plan.table.table, field: field, options: scope.schema.options,
            filters: scope.schema.filterRules, narrowing: narrowing)
        if isNested { pageArguments[ObjectIdentifier(field)] = arguments }
        return arguments
    }

    /// The connection object around a page, of whose fields `write` writes those that the caller may see.
    mutating func completeConnection<Part>(
        _ parts: [(field: PlannedField, part: Part)], of field: PlannedField,
        _ write: (inout Completion, Part) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        let mark = writer.mark()
        writer.append(UInt8(ascii: "{"))
        var isFirst = true
        for (part, kind) in parts where part.isIncluded(scope.variables) {
            if isFirst { isFirst = false } else { writer.append(UInt8(ascii: ",")) }
            writer.append(part.key)
            let errorCount = errors.count
            var isValid = true
            if allows(part) { try write(&self, kind) } else { isValid = fail(part, .unauthorized(part)) }
            if errors.count > errorCount { locate(from: errorCount, at: .key(part.responseKey)) }
            guard isValid else { return collapse(field, to: mark) }
        }
        writer.append(UInt8(ascii: "}"))
        return true
    }

    /// Where reading a page stopped; without a position there is nothing behind it.
    struct PageEnd {
        var position: Position?
    }

    /// The `items` of a page. `limit` counts the rows that were read, before the filter
    /// (reference: transformer, "Pages"); of a full page those that the filter keeps.
    private mutating func completeItems(
        _ family: FetchFamily, _ selection: ItemSelection, _ bare: FetchFamily, _ arguments: PageArguments,
        _ request: PageRequest?
    ) throws(StoreError) -> PageEnd {
        writer.append(UInt8(ascii: "["))
        var end = PageEnd()
        if let request {
            let rows = selection.isPlain && request.sort == nil && request.filter == nil ? scope.source.rows : nil
            if let rows, let end = try writeItems(from: rows, selection, bare, arguments, request) {
                writer.append(UInt8(ascii: "]"))
                return end
            }
            let cursor = try open(family, arguments, request)
            defer { cursor.close() }
            var rowCount = 0
            var itemCount = 0
            while rowCount < request.limit, try cursor.next() {
                if rowCount == 0 { rows?.renew(scope.source.reader.dataVersion) }
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
        }
        writer.append(UInt8(ascii: "]"))
        return end
    }

    private var fillsPages: Bool { scope.schema.options.fillsPages }

    /// Looks for one more item after a full page; without one it is the last.
    private func endFullPage(_ end: inout PageEnd, at cursor: Cursor) throws(StoreError) {
        guard fillsPages, end.position != nil else { return }
        while try cursor.next() {
            if cursor.matches { return }
        }
        end.position = nil
    }

    /// One element of `items`; null where it is not valid, since an element is nullable: `items: [Post]!`.
    /// - Returns: Where it begins, if there is no error in it.
    mutating func completeElement(
        _ selection: ItemSelection, of cursor: Cursor, at index: Int
    ) throws(StoreError) -> Int? {
        if index > 0 { writer.append(UInt8(ascii: ",")) }
        let mark = writer.mark()
        let errorCount = errors.count
        if try !completeObject(selection, of: cursor) {
            try scope.source.reader.charge(bytes: writer.count - mark)
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
        from rows: RowCache, _ selection: ItemSelection, _ bare: FetchFamily, _ arguments: PageArguments,
        _ request: PageRequest
    ) throws(StoreError) -> PageEnd? {
        guard !rows.isEmpty else { return nil }
        let mark = writer.mark()
        let cursor = try open(bare, arguments, request)
        defer { cursor.close() }
        var end = PageEnd()
        var rowCount = 0
        while rowCount < request.limit, try cursor.next() {
            // Only now the snapshot is sure to have begun.
            if rowCount == 0 { rows.renew(scope.source.reader.dataVersion) } else { writer.append(UInt8(ascii: ",")) }
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

    private mutating func skipItems(
        _ family: FetchFamily, _ arguments: PageArguments, _ request: PageRequest?
    ) throws(StoreError) -> PageEnd {
        guard let request else { return PageEnd() }
        let cursor = try open(family, arguments, request)
        defer { cursor.close() }
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
        _ family: FetchFamily, _ arguments: PageArguments, _ request: PageRequest
    ) throws(StoreError) -> Cursor {
        try scope.source.reader.open(
            arguments.fetch(of: family, for: request), partitionKey: request.partitionKey, sort: request.sort,
            after: request.after, filter: request.filter?.values ?? [], limit: fillsPages ? .max : request.limit)
    }

    /// An error is written at the end, in some hundred bytes.
    var isWithinSize: Bool { writer.count + errors.count << 8 <= scope.schema.options.limits.responseBytesMax }

    /// Checks the response's size, and charges what was written of it to the reader's budget: a row's texts are copied
    /// and escaped, however few steps it took to find them.
    mutating func checkSize() throws(StoreError) {
        guard isWithinSize else {
            throw StoreError(.invalidRequest, "The response is larger than the server allows.")
        }
        let byteCount = writer.count - chargedCount
        guard byteCount < 0 || byteCount >= Self.bytesPerCharge else { return }
        chargedCount = writer.count
        if byteCount > 0 { try scope.source.reader.charge(bytes: byteCount) }
    }

    private static let bytesPerCharge = 16 << 10
}

extension ResolverError {
    static func unauthorized(_ field: PlannedField) -> ResolverError {
        ResolverError(
            errorType: "Unauthorized",
            message: "Not Authorized to access \(field.fieldName) on type \(field.parentName)")
    }
}
