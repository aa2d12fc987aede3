public import Tables

/// What one field does when it is selected. A field without a resolver is a plain property of its parent.
public enum Resolver: Sendable, Hashable {
    /// `Query.getPost`: the item with this primary key, or null.
    case getItem(GetItem)
    /// `Query.listPosts`, the query field of an index, or a connection to many: a page of items.
    case query(QueryItems)
    /// `Query.syncPosts`: a page of all items of a model with versions, or of those that have changed since a device
    /// last asked, deleted ones included.
    case sync(model: Int)
    /// A connection to one: the item whose primary key stands in columns of the parent.
    case related(RelatedItem)
    /// `Mutation.createPost`.
    case createItem(model: Int)
    /// `Mutation.updatePost`.
    case updateItem(model: Int)
    /// `Mutation.deletePost`.
    case deleteItem(model: Int)
    /// A field whose value is given by steps that wait for something else than the store: functions.
    case pipeline([PipelineStep])
    /// A field of `Subscription` that follows these fields of `Mutation`; generated or written by hand.
    case subscription(mutations: [String])
}

/// GetItem by arguments.
public struct GetItem: Sendable, Hashable {
    /// The index of the model in `APIDefinition.models`.
    public var model: Int
    /// The arguments in the order of the primary key; each is named as its key field.
    public var arguments: [String]

    /// The item of a model that these arguments name.
    public init(model: Int, arguments: [String]) {
        self.model = model
        self.arguments = arguments
    }
}

/// One item by columns of the parent.
public struct RelatedItem: Sendable, Hashable {
    /// The index of the model that is looked up.
    public var model: Int
    /// The parent's columns that hold the key, in the order of the key that is looked up. A part that is NULL means
    /// that there is no related item.
    public var columns: [String]
    /// The key that is looked up: `.item` is the primary key; `.index` an index of the related model whose whole key
    /// the columns are (`@hasOne(references:)`), and its first item in creation order is the related one.
    public var access: Access

    /// The item of a model that these columns of the parent name.
    public init(model: Int, columns: [String], access: Access = .item) {
        self.model = model
        self.columns = columns
        self.access = access
    }
}

/// A page of items: a Query by a key or an index, or a Scan.
public struct QueryItems: Sendable, Hashable {
    /// Where the partition key comes from.
    public enum PartitionKey: Sendable, Hashable {
        /// There is none: the list of a model without a primary `@key` is always a scan.
        case none
        /// An argument. On a list it is optional and its absence means a scan; a query field requires it.
        case argument(String, isRequired: Bool)
        /// A column of the parent. When it is NULL, the page is empty.
        case parent(String)
    }

    /// Where the condition on the sort key comes from.
    public enum SortKey: Sendable, Hashable {
        /// There is none.
        case none
        /// A key condition argument. One field is a simple sort key; two or more are a composite one, and the
        /// argument's operands are objects with these fields.
        case argument(name: String, fields: [String])
        /// Columns of the parent, equal to the sort fields in key order.
        case parent([String])
    }

    /// Which kind of field queries: messages and rules differ.
    public enum Kind: Sendable, Hashable {
        /// `Query.listPosts`.
        case list
        /// The `queryField` of a `@key` or an `@index`.
        case queryField
        /// A list with `@connection`, `@hasMany` or `@manyToMany`.
        case connection
    }

    /// The index of the model in `APIDefinition.models`.
    public var model: Int
    /// The key that is queried. A list by the primary key whose argument is absent is a scan nevertheless.
    public var access: Access
    /// Where the partition key comes from.
    public var partitionKey: PartitionKey
    /// Where the condition on the sort key comes from.
    public var sortKey: SortKey
    /// The sort fields of `access`: the page is in their order, with or without a condition.
    public var indexSortFields: [String]
    /// The page size that the directive sets; `nil` is the default of the service.
    public var limit: Int?
    /// Which kind of field queries.
    public var kind: Kind

    /// A page of a model's items.
    public init(
        model: Int, access: Access, partitionKey: PartitionKey, sortKey: SortKey = .none,
        indexSortFields: [String] = [], limit: Int? = nil, kind: Kind
    ) {
        self.model = model
        self.access = access
        self.partitionKey = partitionKey
        self.sortKey = sortKey
        self.indexSortFields = indexSortFields
        self.limit = limit
        self.kind = kind
    }

    /// Whether `sortDirection` may be given: a connection always takes it, a list or query field only when there is
    /// a sort key to go along (reference: transformer, "Errors of key arguments").
    public var allowsSortDirection: Bool { kind == .connection || !indexSortFields.isEmpty }
}
