import GraphQL
import Synchronization
import Tables
import Transformer

/// An operation read once: its fields collected, merged and bound to fetches, writes and ready bytes.
///
/// It depends on the document and the operation's name alone, never on variables or caller, so it is cached by them
/// and shared by every request and thread.
final class Plan: Sendable {
    let operation: Operation
    let roots: [PlannedField]
    /// What logs and counters know of it; nil of a plan that no loop made.
    let record: OperationRecord?
    /// Whether selections or values nest so deep that what walks them needs a `LargeStack`.
    let isDeep: Bool
    /// About how many bytes of memory the plan takes, all its parts included.
    let byteCount: Int
    private let budget: PlanBudget
    /// Groups of subscriptions that keep the plan.
    private let followerCount = Atomic(0)
    /// Of a deep plan all fields, each before the fields of its selection. The list is freed last and from its beginning,
    /// so that freeing a field never frees the fields below it: a plan of any depth is freed on any stack.
    private let allFields: [PlannedField]

    /// Levels that any thread's stack holds, whatever is on it already; introspection queries of tools have about 20.
    static let shallowLevelsMax = 24

    /// Levels of JSON in an answer, for those who read it again. An operation has at most 500 levels
    /// (`operationDepthMax`), and each can be an object and the lists around it.
    static let answerLevelsMax = 1_024

    /// A plan whose bytes are reserved in the budget; they are released with it.
    init(
        operation: Operation, roots: [PlannedField], record: OperationRecord?, isDeep: Bool,
        allFields: [PlannedField], byteCount: Int, budget: PlanBudget
    ) {
        self.operation = operation
        self.allFields = allFields
        self.roots = roots
        self.record = record
        self.isDeep = isDeep
        self.byteCount = byteCount
        self.budget = budget
    }

    deinit { budget.release(byteCount) }

    /// Whether a subscription keeps it.
    var isFollowed: Bool { followerCount.load(ordering: .relaxed) > 0 }

    /// Whether a subscription may keep it: another one does already, or the budget has room.
    var mayBeFollowed: Bool {
        isFollowed || budget.subscriptionBytesNow + byteCount <= budget.subscriptionBytesMax
    }

    /// A group of subscriptions keeps the plan from now on.
    func follow() {
        if followerCount.add(1, ordering: .relaxed).newValue == 1 { budget.follow(byteCount) }
    }

    /// A group of subscriptions has ended.
    func unfollow() {
        if followerCount.subtract(1, ordering: .relaxed).newValue == 0 { budget.unfollow(byteCount) }
    }
}

/// One field of a response object: where it stands there, and what it is.
///
/// A class, because a row's walk goes over all its fields: one count a field instead of one for each part of it.
final class PlannedField: Sendable {
    let responseKey: String
    /// `"title":`, ready to be copied.
    let key: [UInt8]
    /// `@skip` and `@include` that hang on variables; nil is always.
    private let inclusion: Inclusion?
    /// Where the field stands in the document, in bytes; line and column are counted when an error asks.
    let offset: UInt32
    let fieldName: String
    let parentName: String
    /// The innermost type's name, as messages print it.
    let typeName: String
    let isNonNull: Bool
    let resolution: Resolution
    /// Rules that decide per request whether the field is given; empty until a schema has authorization rules.
    let rules: [AuthorizationRule]

    init(
        responseKey: String, key: [UInt8], inclusion: Inclusion, offset: UInt32, fieldName: String, parentName: String,
        typeName: String, isNonNull: Bool, resolution: Resolution, rules: [AuthorizationRule]
    ) {
        self.responseKey = responseKey
        self.key = key
        self.inclusion = inclusion.isAlways ? nil : inclusion
        self.offset = offset
        self.fieldName = fieldName
        self.parentName = parentName
        self.typeName = typeName
        self.isNonNull = isNonNull
        self.resolution = resolution
        self.rules = rules
    }

    /// A response key and its colon, ready to be copied.
    static func key(_ responseKey: String) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(responseKey.utf8.count + 3)
        key.append(UInt8(ascii: "\""))
        var text = responseKey
        text.withUTF8 { key.append(contentsOf: $0) }
        key.append(UInt8(ascii: "\""))
        key.append(UInt8(ascii: ":"))
        return key
    }

    /// Whether the field is part of the response whatever the variables.
    var isAlwaysIncluded: Bool { inclusion == nil }

    /// Whether the field is part of the response to these variables.
    func isIncluded(_ variables: VariableValues) -> Bool { inclusion?.holds(variables) ?? true }
}

/// What a field is, decided when the operation was planned.
indirect enum Resolution: Sendable {
    /// `__typename`: a JSON string, ready.
    case typename([UInt8])
    /// A column of the parent's row.
    case column(position: Int, Leaf)
    /// A column that holds JSON text: a list or a nested type.
    case json(position: Int, JSONShape)
    /// A property of a nested object.
    case property(String, JSONShape)
    /// The item of a get, or of a connection to one.
    case item(ItemPlan)
    /// The page of a list, a query field, or a connection to many.
    case page(PagePlan)
    /// The page of a sync.
    case sync(SyncPlan)
    /// The write of a mutation field.
    case write(WritePlan)
    /// A field of `Subscription`.
    case subscription(SubscriptionPlan)
    /// `__schema` or `__type`.
    case introspection(IntrospectionPlan)
    /// A value given by a function: a custom root field's resolver.
    case function(FunctionPlan)
    /// No resolver and no property: null (appsync-protocol §2.5).
    case null

    /// Whether the field reads items of its own, which a rule's condition can narrow.
    var isFetch: Bool {
        switch self {
        case .item, .page, .sync: true
        default: false
        }
    }
}

/// How a column's cell becomes a JSON leaf.
enum Leaf: Sendable {
    /// Text as it is.
    case text
    /// A whole number within these bounds.
    case integer(ClosedRange<Int64>, TypeID)
    case real
    case boolean
    /// One of these names.
    case enumeration([String], TypeID)
}

/// How a value inside JSON text is completed.
indirect enum JSONShape: Sendable {
    /// A scalar or an enum.
    case leaf(TypeID)
    case list(JSONShape, isNonNull: Bool, elementTypeName: String)
    /// By the name of the object type; more than one for an interface or union.
    case object([String: [PlannedField]])

    /// Levels of a stored value: at least as many as a document or variables may nest.
    static let storedDepthMax = 256
}

/// One item by its primary key, or the first one that an index has by its whole key.
final class ItemPlan: Sendable {
    enum Key: Sendable {
        /// Arguments in key order, each a constant or a variable, with the types of their columns.
        case arguments([(template: ValueTemplate?, type: ColumnType)])
        /// Positions in the parent's row, in key order.
        case parent([Int])

        var count: Int {
            switch self {
            case .arguments(let parts): parts.count
            case .parent(let positions): positions.count
            }
        }
    }

    let key: Key
    let access: Access
    let fetch: Fetch
    let selection: ItemSelection
    /// Whether its answer follows from one text alone, the item's key, and may be kept for it.
    let isKept: Bool
    private let table: StoredTable
    private let columns: [Int]

    init(
        key: Key, access: Access = .item, table: StoredTable, columns: [Int], fields: [PlannedField],
        from cache: FetchCache
    ) {
        self.key = key
        self.access = access
        self.table = table
        self.columns = columns
        selection = ItemSelection(fields)
        isKept = key.count == 1 && access == .item && selection.isPlain
        fetch = cache.fetch(table, columns: columns, access: access, sort: Self.sort(of: key, access))
    }

    /// The same fetch with a rule's condition in it; an item that fails it is read and does not match.
    func fetch(narrowedBy condition: Condition) -> Fetch {
        Fetch(
            table, columns: columns, access: access, sort: Self.sort(of: key, access), filter: condition,
            isShared: false)
    }

    /// In an index, the parts of the key behind the first are a condition on its sort key.
    private static func sort(of key: Key, _ access: Access) -> SortShape? {
        guard access != .item, key.count > 1 else { return nil }
        return SortShape(sortOperator: .eq, partCounts: [key.count - 1])
    }
}

/// A page of items, and the connection object around it.
final class PagePlan: Sendable {
    enum Part: Sendable {
        case items(FetchFamily, ItemSelection)
        case nextToken
        case typename([UInt8])
        /// A field that this mode does not fill (`startedAt`).
        case null
    }

    let query: QueryItems
    let table: StoredTable
    let arguments: ArgumentTemplate
    /// Positions in the parent's row of the columns that the key is taken from, by their names.
    let parentPositions: [String: Int]
    /// The fields of the connection object and what each is.
    let parts: [(field: PlannedField, part: Part)]
    /// Reads rows without a column: where the page ends, when nothing else has read it before the token is asked.
    let bare: FetchFamily

    init(
        query: QueryItems, table: StoredTable, arguments: ArgumentTemplate, parentPositions: [String: Int],
        parts: [(field: PlannedField, part: Part)], bare: FetchFamily
    ) {
        self.query = query
        self.table = table
        self.arguments = arguments
        self.parentPositions = parentPositions
        self.parts = parts
        self.bare = bare
    }
}

/// The fetches of one selection that differ by what a request asks: direction, continuation, sort condition, filter.
///
/// Those without a filter are shared, and the ones without a sort condition are at hand; one with a filter is made for
/// the request and finds its statement by text.
final class FetchFamily: Sendable {
    let table: StoredTable
    let columns: [Int]
    let access: Access
    private let cache: FetchCache
    private let unsorted = Mutex<[Fetch?]>(Array(repeating: nil, count: 8))

    init(table: StoredTable, columns: [Int], access: Access, cache: FetchCache) {
        self.table = table
        self.columns = columns
        self.access = access
        self.cache = cache
    }

    func fetch(for request: PageRequest) -> Fetch {
        if let filter = request.filter {
            return Fetch(
                table, columns: columns, access: request.isScan ? .scan : access, sort: request.sort?.shape,
                descending: request.isDescending, continues: request.after != nil, filter: filter,
                isShared: false)
        }
        if request.sort != nil { return shared(for: request) }
        let slot =
            (request.isScan ? 4 : 0) + (request.isDescending ? 2 : 0) + (request.after == nil ? 0 : 1)
        return unsorted.withLock { unsorted in
            if let fetch = unsorted[slot] { return fetch }
            let fetch = shared(for: request)
            unsorted[slot] = fetch
            return fetch
        }
    }

    private func shared(for request: PageRequest) -> Fetch {
        cache.fetch(
            table, columns: columns, access: request.isScan ? .scan : access, sort: request.sort?.shape,
            descending: request.isDescending, continues: request.after != nil)
    }
}

/// A mutation field: which write its arguments become, and what is selected of its item.
final class WritePlan: Sendable {
    enum Kind: Sendable { case create, update, delete }

    let kind: Kind
    let model: Model
    let table: StoredTable
    let arguments: ArgumentTemplate
    /// The columns that the write gives back, in the order that `fields` count on.
    let returning: [Int]
    let fields: [PlannedField]
    /// Where its events go; nil when no subscription follows the field.
    let topic: Topic?
    /// Whether events are made of the whole item; then `returning` are all columns in their order.
    let fillsEvents: Bool

    init(
        kind: Kind, model: Model, table: StoredTable, arguments: ArgumentTemplate, returning: [Int],
        fields: [PlannedField], topic: Topic?, fillsEvents: Bool
    ) {
        self.kind = kind
        self.model = model
        self.table = table
        self.arguments = arguments
        self.returning = returning
        self.fields = fields
        self.topic = topic
        self.fillsEvents = fillsEvents
    }
}

/// A root field that a function answers with JSON.
final class FunctionPlan: Sendable {
    let arguments: ArgumentTemplate
    let shape: JSONShape
    let function: FieldFunction
    /// Where its events go; nil when no subscription follows the field.
    let topic: Topic?

    init(arguments: ArgumentTemplate, shape: JSONShape, function: @escaping FieldFunction, topic: Topic?) {
        self.arguments = arguments
        self.shape = shape
        self.function = function
        self.topic = topic
    }
}
