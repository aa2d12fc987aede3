public import Tables

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
