/// A fetch that is opened for many keys at once: the rows of each key, in the fetch's order.
public struct BatchFetch: Sendable {
    /// What a fetch is opened with besides its filter.
    public struct Key: Sendable, Hashable {
        /// The whole primary key for GetItem, the partition key for a Query, nothing for a Scan.
        public var values: [Value]
        /// The condition on the sort key, of the fetch's shape; nil if there is none, or all keys have it in common.
        public var sort: SortCondition?

        /// Makes a key of its parts.
        public init(_ values: [Value], sort: SortCondition? = nil) { (self.values, self.sort) = (values, sort) }
    }

    /// The shape.
    public var fetch: Fetch
    /// Each key once.
    public var keys: [Key]
    /// The condition on the sort key that all keys have in common.
    public var sort: SortCondition?
    /// The values of the fetch's filter, the same for all keys.
    public var filter: [Value]
    /// Where to continue; only a fetch with one key does.
    public var after: Position?
    /// How many rows to read for each key at most, whether or not they meet the filter.
    public var rowsMax: Int
    /// After how many rows that meet the filter to stop for each key.
    public var matchesMax: Int

    /// Makes a fetch of its parts.
    public init(
        _ fetch: Fetch, keys: [Key], sort: SortCondition? = nil, filter: [Value] = [], after: Position? = nil,
        rowsMax: Int, matchesMax: Int = .max
    ) {
        self.fetch = fetch
        self.keys = keys
        self.sort = sort
        self.filter = filter
        self.after = after
        self.rowsMax = rowsMax
        self.matchesMax = matchesMax
    }
}
