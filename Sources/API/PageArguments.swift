import GraphQL
import JSON
import Tables
import Transformer

/// Reads the arguments of one `QueryItems` field, by these rules (reference: transformer, "Pages")
/// (reference: transformer, "Sort key conditions") and with these texts
/// (reference: transformer, "Errors of key arguments").
///
/// A request makes one for each such field and asks it for the page of every parent. What the parents have in common,
/// the filter and the fetch before all, is made for the first of them and kept.
final class PageArguments {
    private let arguments: ArgumentValues
    private let query: QueryItems
    private let table: Table
    private let field: PlannedField
    private let options: APIOptions
    private let filters: FilterRules
    /// The items that the rules allow; nil allows all.
    private let allowed: RowDecision?
    /// What that comes to for these arguments, once it was found out.
    private var narrowing: RowDecision.Narrowing?
    /// The condition on the sort key, if it comes to one.
    private var narrowedSort: SortCondition?
    private var order: (isDescending: Bool, sort: SortCondition?)?
    /// Nil until it was made; then what all conditions come to, if there are any.
    private var filter: ParameterizedCondition??
    /// The last fetch with a filter or a condition on the sort key, and whose it is.
    private var fetch: (family: FetchFamily, continues: Bool, fetch: Fetch)?

    init(
        _ arguments: ArgumentValues, of plan: PagePlan, _ field: PlannedField, _ schema: ExecutableSchema,
        allowed: RowDecision?
    ) {
        self.arguments = arguments
        query = plan.query
        table = plan.table.table
        self.field = field
        options = schema.options
        filters = schema.filterRules
        self.allowed = allowed
    }

    /// The fetch of a page, one for all parents.
    func fetch(of family: FetchFamily, for request: PageRequest) -> Fetch {
        // Without both the family has it at hand.
        guard request.filter != nil || request.sort != nil else { return family.fetch(for: request) }
        let continues = request.after != nil
        if let fetch, fetch.family === family, fetch.continues == continues { return fetch.fetch }
        let made = family.fetch(for: request)
        fetch = (family, continues, made)
        return made
    }

    /// - Parameter parent: the operand for a column of the parent, or nil when that column is NULL.
    /// - Returns: nil when the page is empty without reading: the parent lacks a part of the key.
    func request(
        environment: APIEnvironment, parent: (String) -> Operand?
    ) throws(ResolverError) -> PageRequest? {
        if order == nil { order = (try direction(), try sortCondition()) }
        let isDescending = order?.isDescending ?? false
        var sort = order?.sort
        var partitionKey: Operand?

        switch query.partitionKey {
        case .none: break
        case .argument(let name, let isRequired):
            if let value = present(arguments[name]) {
                let key = Value(value, as: table.columns[keySchema.partitionKey].type)
                partitionKey = .value(key)
            } else if isRequired {
                throw .validation("Query condition missed key schema element: \(name)")
            } else {
                try refuseSortWithoutPartitionKey(sort: sort, partitionKey: name)
            }
        case .parent(let column):
            guard let operand = parent(column) else { return nil }
            partitionKey = operand
        }
        if case .parent(let columns) = query.sortKey {
            var parts: [Value] = []
            for column in columns {
                guard let operand = parent(column) else { return nil }
                parts.append(operand.value)
            }
            sort = SortCondition(sortOperator: .eq, operands: [parts])
        }

        if let allowed { try narrow(by: allowed, partitionKey, &sort) }
        return PageRequest(
            partitionKey: partitionKey, sort: sort, isDescending: isDescending, limit: try limit(),
            after: try position(environment, parent: parent), filter: try condition())
    }

    /// Decides what the rules narrow the page by, once for all parents: what the arguments give of the key is the same.
    private func narrow(
        by allowed: RowDecision, _ partitionKey: Operand?, _ sort: inout SortCondition?
    ) throws(ResolverError) {
        let isParents = if case .parent = query.partitionKey { true } else { false }
        let narrowed =
            narrowing
            ?? allowed.narrowing(
                of: RowDecision.KeyCondition(
                    key: keySchema, partitionKey: isParents ? nil : partitionKey?.value,
                    hasSortArgument: partitionKey != nil && !hasParentsSort, sort: sort))
        narrowing = narrowed
        switch narrowed {
        case .deny: throw .unauthorized(field)
        case .all, .filter: break
        case .sortKeys(let values):
            if narrowedSort == nil {
                narrowedSort =
                    values.count == 1 ? SortCondition(sortOperator: .eq, operands: [[values[0]]]) : .isAny(values)
            }
            sort = narrowedSort
        }
    }

    /// What all of filter, rules and options ask of an item.
    private func condition() throws(ResolverError) -> ParameterizedCondition? {
        if let filter { return filter }
        let given = try FilterCondition.condition(arguments["filter"], on: table, filters)
        let narrowing: Condition? = if case .filter(let condition)? = narrowing { condition } else { nil }
        let live = options.hidesDeletedInLists ? Condition.live(in: table) : nil
        let made = Condition.both(Condition.both(given, narrowing), live).map {
            ParameterizedCondition($0, of: table)
        }
        filter = .some(made)
        return made
    }

    /// What a token of this page is bound to: the field, the parent's key, and every argument but `limit` and
    /// `nextToken`. Made where a token is opened or sealed, and not for every page: it takes as long as ten rows.
    func binding(parent: (String) -> Operand?) -> [UInt8] {
        var binding = Binding("\(field.parentName).\(field.fieldName)")
        if case .parent(let column) = query.partitionKey, let operand = parent(column) {
            binding.add(column, operand.value)
        }
        binding.add(arguments)
        return binding.bytes
    }

    /// Whether each parent has a condition of its own on the sort key; otherwise all have it in common.
    var hasParentsSort: Bool { if case .parent = query.sortKey { true } else { false } }

    private var keySchema: KeySchema {
        if case .index(let index) = query.access { table.indexes[index].key } else { table.key }
    }

    private func present(_ value: CoercedValue?) -> CoercedValue? {
        guard let value, !value.isNull else { return nil }
        return value
    }

    private func direction() throws(ResolverError) -> Bool {
        guard case .enumValue(let direction)? = arguments["sortDirection"] else { return false }
        guard query.allowsSortDirection else {
            throw .invalidArguments("sortDirection is not supported for List operations without a Sort key defined.")
        }
        return direction == "DESC"
    }

    /// A list by the primary key reads the whole table when the partition key is absent; then nothing may sort.
    private func refuseSortWithoutPartitionKey(
        sort: SortCondition?, partitionKey: String
    ) throws(ResolverError) {
        if case .argument(let sortArgument, let fields) = query.sortKey, present(arguments[sortArgument]) != nil {
            throw .invalidArguments(
                fields.count > 1
                    ? "When providing argument '\(sortArgument)' you must also provide '\(partitionKey)'."
                    : "When providing argument '\(sortArgument)' you must also provide arguments \(partitionKey)")
        }
        if present(arguments["sortDirection"]) != nil {
            throw .invalidArguments(
                "When providing argument 'sortDirection' you must also provide argument '\(partitionKey)'.")
        }
    }

    private func limit() throws(ResolverError) -> Int {
        try arguments.limit(orElse: query.limit ?? options.limits.pageItemsDefault, max: options.limits.pageItemsMax)
    }

    private func position(
        _ environment: APIEnvironment, parent: (String) -> Operand?
    ) throws(ResolverError) -> Position? {
        guard let token = present(arguments["nextToken"]) else { return nil }
        guard case .string(let text) = token, let plain = environment.open(text, binding(parent: parent)),
            let position = Position(tokenBytes: plain)
        else { throw .invalidToken }
        return position
    }

    // MARK: - Sort keys

    private func sortCondition() throws(ResolverError) -> SortCondition? {
        guard case .argument(let name, let fields) = query.sortKey, let argument = present(arguments[name]) else {
            return nil
        }
        let operations = argument.fields.filter { !$0.value.isNull }
        guard let operation = operations.first else { return nil }
        guard operations.count == 1 else {
            throw fields.count > 1
                ? .invalidArguments("Argument \(name) must specify at most one key condition operation.")
                : .validation("KeyConditionExpressions must only contain one condition per key")
        }
        guard let sortOperator = SortOperator(rawValue: operation.name) else { return nil }
        let place = "\(name).\(operation.name)"
        var operands: [[Value]] = []
        if sortOperator == .between {
            guard case .list(let bounds) = operation.value, bounds.count == 2, !bounds.contains(where: \.isNull) else {
                throw fields.count > 1
                    ? .invalidArguments("Argument '\(place)' expects exactly two elements.")
                    : .validation("Invalid KeyConditionExpression: 'between' expects exactly two elements")
            }
            for (index, bound) in bounds.enumerated() {
                operands.append(try parts(bound, fields, place: "\(place)[\(index)]"))
            }
        } else {
            operands = [try parts(operation.value, fields, place: place)]
        }
        guard operands.allSatisfy({ !$0.isEmpty }) else { return nil }
        return SortCondition(sortOperator: sortOperator, operands: operands)
    }

    /// One part for a simple sort key; the leading parts that were given for a composite one.
    private func parts(_ operand: CoercedValue, _ fields: [String], place: String) throws(ResolverError) -> [Value] {
        guard fields.count > 1 else {
            guard let field = fields.first, let column = table.position(of: field) else { return [] }
            return [Value(operand, as: table.columns[column].type)]
        }
        var parts: [Value] = []
        var missing: String?
        for field in fields {
            guard let part = present(operand[field]), let column = table.position(of: field) else {
                missing = missing ?? field
                continue
            }
            if let missing {
                throw .invalidArguments(
                    "When providing argument '\(place).\(field)' you must also provide '\(place).\(missing)'.")
            }
            parts.append(Value(part, as: table.columns[column].type))
        }
        return parts
    }
}

extension Condition {
    /// That an item is no tombstone; nil of a table that has none.
    fileprivate static func live(in table: Table) -> Condition? {
        table.metadata.map { .compare(column: $0.deleted, .ne, .integer(1)) }
    }
}

extension ArgumentValues {
    /// How many items a page may have, by its argument `limit`.
    func limit(orElse countDefault: Int, max countMax: Int) throws(ResolverError) -> Int {
        guard let given = self["limit"], !given.isNull else { return min(countDefault, countMax) }
        guard case .int(let limit) = given, limit > 0 else {
            throw .validation(
                "1 validation error detected: Value '\(given.jsonText)' at 'limit' failed to satisfy constraint: "
                    + "Member must have value greater than or equal to 1")
        }
        return Int(min(limit, Int64(countMax)))
    }
}
