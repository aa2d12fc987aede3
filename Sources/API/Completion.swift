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
/// Live child fetches run while the parent's cursor stands on its row: depth first, one snapshot, nothing buffered. The
/// same walk completes rows that were gathered before.
struct Completion: ~Copyable {
    var writer: JSONWriter
    /// In the order met; each finds its path on the way back to the root.
    var errors: [FieldError] = []
    var scope: Scope
    /// Resolvers that the request may still run (AppSync: resolverCountLimit).
    private var resolversLeft: Int
    /// The arguments of nested pages, and the fetches of narrowed items, by their fields: all parents have them in common.
    var pageArguments: [ObjectIdentifier: PageArguments] = [:]
    var narrowedFetches: [ObjectIdentifier: ItemPlan.NarrowedFetch] = [:]
    /// The bytes of the response up to which the reader's budget was charged.
    private var chargedCount = 0
    /// Bytes that conditions and errors have taken and that are not charged yet.
    private var unchargedCount = 0
    /// Nil until there is an error with a location.
    private var places: FieldPlaces?

    /// What one request brings along.
    struct Scope {
        var schema: ExecutableSchema
        var plan: Plan
        var variables: VariableValues
        var identity: Identity
        /// What the rules decide of the request; nil where its plan asks them nothing.
        var decisions: DecisionTable?
        var source: Source
        /// Whose the request is among those that wait for workers.
        var client = ReadClient.unnamed
        /// What functions receive of the request; nil where its plan calls none.
        var requestDetails: (@Sendable () -> RequestDetails)?
        /// What the stored item of each write has to meet in addition.
        var expectation: Condition?
        /// Whether the plan was made for an earlier request; nil unless the request's work is noted.
        var isPlanCached: Bool?

        /// The caller as functions receive it.
        func eventIdentity(_ details: RequestDetails?) -> JSONValue {
            identity.eventValue(
                sourceAddresses: details?.sourceAddresses ?? [],
                defaultAuthStrategy: schema.definition.defaultAuthStrategy)
        }
    }

    /// Where a request's rows come from: always of the one thread that completes it.
    enum Source {
        /// They are read while the walk goes on, and children while their parent's cursor stands on its row. A loop has
        /// what it has written of items before; a worker keeps none.
        case live(Reader, RowCache?)
        /// They were all fetched before the walk, level by level.
        case gathered(GatheredRows, GatheredBudget)

        init(reader: Reader, rows: RowCache? = nil) { self = .live(reader, rows) }

        /// The source of a worker: what its reader reads, or the rows that were gathered before.
        init(reader: Reader, gathered: LentRows?) {
            self = gathered.map { .gathered($0.rows, .reader(reader)) } ?? .live(reader, nil)
        }

        /// Charges bytes that were written, or looked at, to what the request may cost.
        func charge(bytes byteCount: Int) throws(StoreError) {
            switch self {
            case .live(let reader, _), .gathered(_, .reader(let reader)): try reader.charge(bytes: byteCount)
            case .gathered(_, .deadline(let deadline)):
                if ContinuousClock.now > deadline { throw StoreError(.timedOut, "Execution timed out.") }
            }
        }
    }

    /// What the completion of gathered rows may cost. The rows were charged when they were fetched.
    enum GatheredBudget {
        /// The budget of the request that has begun on a reader: an event loop's, or a worker's.
        case reader(Reader)
        /// Time; for stores that have no readers for it. The instant stands in a box, as its layout is known to its own
        /// module alone: without it each copy of a source would ask the runtime how it is copied.
        indirect case deadline(ContinuousClock.Instant)
    }

    init(scope: Scope, writer: consuming JSONWriter) {
        self.scope = scope
        self.writer = writer
        let limit = scope.schema.options.limits.resolverCountLimit
        resolversLeft = limit == 0 ? Self.resolverCountMax : limit
    }

    // MARK: - Attempts

    /// The state at the start of a selection. `rewind(to:)` restores it before a worker completes the selection again.
    struct Mark {
        fileprivate let byteCount: Int
        fileprivate let errorCount: Int
        fileprivate let resolversLeft: Int
    }

    func mark() -> Mark { Mark(byteCount: writer.mark(), errorCount: errors.count, resolversLeft: resolversLeft) }

    mutating func rewind(to mark: Mark) {
        writer.rewind(to: mark.byteCount)
        errors.removeLast(errors.count - mark.errorCount)
        resolversLeft = mark.resolversLeft
    }

    // MARK: - Objects

    /// The fields of one object, braces included.
    mutating func completeObject(_ fields: [PlannedField], of row: some ParentRow) throws(StoreError) -> Bool {
        writer.append(UInt8(ascii: "{"))
        var isFirst = true
        var checks = RowChecks()
        for field in fields where field.isIncluded(scope.variables) {
            if isFirst { isFirst = false } else { writer.append(UInt8(ascii: ",")) }
            writer.append(field.key)
            guard try completeField(field, of: row, &checks) else { return false }
            try checkSize()
        }
        writer.append(UInt8(ascii: "}"))
        return true
    }

    /// One field's value, and the field's step in the path of whatever went wrong inside.
    mutating func completeField(
        _ field: PlannedField, of row: some ParentRow, _ checks: inout RowChecks
    ) throws(StoreError) -> Bool {
        let errorCount = errors.count
        let isValid = try completeValue(field, of: row, &checks)
        if errors.count > errorCount { locate(from: errorCount, at: .key(field.responseKey)) }
        return isValid
    }

    mutating func completeValue(
        _ field: PlannedField, of row: some ParentRow, _ checks: inout RowChecks
    ) throws(StoreError) -> Bool {
        var rows: RowDecision?
        if let authorization = field.authorization {
            switch access(to: authorization, of: row, &checks) {
            case .open: break
            case .rows(let narrowed): rows = narrowed
            case .redacted: return try completeRedacted(field)
            case .denied: return deny(field)
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
                try completion.completeItem(plan, field, of: row, allowed: rows)
            }
        case .page(let plan):
            return try fetch(for: field) { (completion) throws(StoreError) in
                try completion.completePage(plan, field, of: row, allowed: rows)
            }
        case .sync(let plan):
            return try fetch(for: field) { (completion) throws(StoreError) in
                try completion.completeSync(plan, field, allowed: rows)
            }
        case .json(let position, let shape): return try completeJSON(field, shape, at: position, of: row)
        case .function(let plan):
            return takeResolver() ? try completeFunction(plan, field) : passResolverLimit(field)
        case .pipeline(let plan): return try completePipeline(plan, field, of: row)
        case .introspection(let plan): return completeIntrospection(plan, field)
        case .null: return completeNull(field)
        case .property, .write, .subscription:
            preconditionFailure(
                "a property is completed with its object, a write with its mutation, a subscription with its events")
        }
    }

    /// The access to a field of a row, of which the bytes that its condition looks at are charged.
    mutating func access(
        to authorization: FieldAuthorization, of row: some ParentRow, _ checks: inout RowChecks
    ) -> FieldAccess {
        let access = scope.access(to: authorization, of: row, &checks)
        unchargedCount += checks.byteCount
        checks.byteCount = 0
        return access
    }

    /// A request that the store refuses, for an empty key or too large a filter, is the field's own error; the
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
    static let resolverCountMax = 10_000

    /// Whether the rules give a field that stands in no row: of a page, or of a nested type.
    func allows(_ field: PlannedField) -> Bool {
        guard field.authorization != nil else { return true }
        var checks = RowChecks()
        return scope.allows(field, of: RootRow(), &checks)
    }

    /// A field that is left out of the result of a mutation: null, or in version 2 an empty page.
    private mutating func completeRedacted(_ field: PlannedField) throws(StoreError) -> Bool {
        guard case .page(let plan) = field.resolution, scope.schema.definition.transformerVersion == .v2 else {
            return completeNull(field)
        }
        return try completeConnection(plan.parts, of: field) { (completion, _, part) in
            switch part {
            case .typename(let bytes): completion.writer.append(bytes)
            case .items: completion.writer.append("[]")
            case .nextToken, .startedAt, .null: completion.writer.writeNull()
            }
        }
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

    /// What follows `mark` was not valid and its error is noted: null, or the parent decides.
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

    /// The rules refuse a field. Where it must not be null, the error of the null follows
    /// (reference: authorization, "Reads").
    mutating func deny(_ field: PlannedField) -> Bool {
        note(.unauthorized(field), at: field)
        return completeNull(field)
    }

    mutating func note(_ error: ResolverError, at field: PlannedField) {
        let places = places ?? FieldPlaces(scope.plan.operation.document.source)
        self.places = places
        errors.append(FieldError(cause: .resolver(error, places.location(of: field.offset))))
        unchargedCount += Self.bytesPerError
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
        case .text: unsafe row.withText(position) { unsafe writer.writeString($0) }
        case .owner: unsafe row.withText(position) { unsafe writer.writeString(Leaf.shownOwner($0)) }
        case .boolean: writer.write(row.integer(position) != 0)
        case .real: writer.write(row.real(position))
        case .integer(let bounds, let type):
            let integer = row.integer(position)
            guard bounds.contains(integer) else { return completeMisfit(type, .int(integer), field) }
            writer.write(integer)
        case .enumeration(let values, let type):
            let isKnown = unsafe row.withText(position) { bytes in
                guard values.contains(where: { unsafe bytes.elementsEqual($0.utf8) }) else { return false }
                unsafe writer.writeString(bytes)
                return true
            }
            guard isKnown else {
                let text = unsafe row.withText(position) { unsafe String(decoding: $0, as: UTF8.self) }
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

    // MARK: - Size

    /// An error is written at the end, in some hundred bytes.
    static let bytesPerError = 256

    var isWithinSize: Bool {
        writer.count + errors.count * Self.bytesPerError <= scope.schema.options.limits.responseBytesMax
    }

    /// Checks the response's size, and charges what was written of it to the reader's budget: a row's texts are copied
    /// and escaped, however few steps it took to find them.
    mutating func checkSize() throws(StoreError) {
        guard isWithinSize else {
            throw StoreError(.invalidRequest, "The response is larger than the server allows.")
        }
        let byteCount = writer.count - chargedCount
        guard byteCount < 0 || byteCount + unchargedCount >= Self.bytesPerCharge else { return }
        chargedCount = writer.count
        let chargeCount = max(byteCount, 0) + unchargedCount
        unchargedCount = 0
        if chargeCount > 0 { try scope.source.charge(bytes: chargeCount) }
    }

    private static let bytesPerCharge = 16 << 10
}

extension ResolverError {
    static func unauthorized(_ field: PlannedField) -> ResolverError {
        ResolverError(
            errorType: "Unauthorized",
            message: "Not Authorized to access \(field.fieldName) on type \(field.parentName)",
            denial: .field(FieldCoordinate(type: field.parentName, field: field.fieldName)))
    }

    /// A mutation's input has fields that the caller may not write.
    static func unauthorized(_ names: [String]) -> ResolverError {
        ResolverError(
            errorType: "Unauthorized", message: "Unauthorized on [\(names.joined(separator: ", "))]",
            denial: .inputFields(names))
    }
}
