/// One item put, updated or deleted, under a condition. One SQL statement changes it, so a failing one undoes itself
/// alone.
public struct Write: Sendable {
    /// What is done.
    public enum Action: Sendable {
        /// PutItem that only creates: it fails where an item with the same primary key exists.
        case put([(column: Int, value: Value)])
        /// UpdateItem of an item that exists: sets the given columns, which are none of the primary key, and leaves the
        /// others. The key's values are in key-schema order.
        case update(key: [Value], [(column: Int, value: Value)])
        /// DeleteItem of an item that exists.
        case delete(key: [Value])
    }

    /// The table written to.
    public var table: StoredTable
    /// What is done. Setting a column to NULL removes the attribute.
    public var action: Action
    /// What must hold of the item as it is before the write; for a put, of an item without attributes.
    public var condition: Condition?
    /// The columns of the item in the result, by position in the table.
    public var returning: [Int]
    /// What a write to a versioned table says of versions; nil for any other table.
    public var versioning: Versioning?
    /// Who is told of its commit before anyone else is.
    public var observer: (any CommitObserver)?

    /// Makes a write of its parts.
    public init(
        table: StoredTable, action: Action, condition: Condition? = nil, returning: [Int],
        versioning: Versioning? = nil,
        observer: (any CommitObserver)? = nil
    ) {
        self.table = table
        self.action = action
        self.condition = condition
        self.returning = returning
        self.versioning = versioning
        self.observer = observer
    }

    /// The item's primary key in key-schema order; a part that a put does not give is NULL.
    public var key: [Value] {
        switch action {
        case .update(let key, _), .delete(let key): key
        case .put(let attributes):
            table.table.key.columns.map { column in attributes.first { $0.column == column }?.value ?? .null }
        }
    }
}

/// Learns of commits in their order, although the results of the writes go to many executors.
public protocol CommitObserver: AnyObject, Sendable {
    /// The write changed an item and is committed. Called on the writer's thread, in commit order, once per write and
    /// before any result of its transaction is handed over. The writer waits for it: it must be short.
    ///
    /// - Parameter sequence: The write's place in the commit order, as in `WriteResult.item`.
    func committed(_ write: Write, sequence: UInt64)
}

/// What became of a write that was carried out without error.
public enum WriteResult: Sendable, Hashable {
    /// The item, in the order of `Write.returning`: after a put or an update as it is, after a delete as it was; of a
    /// versioned table always as it is, after a delete the tombstone.
    /// `sequence` is the write's place in the store's one commit order, counted from 1 since the store was opened.
    case item(Item, sequence: UInt64)
    /// The item exists (put), does not exist (update, delete), or does not meet the condition. Nothing was changed.
    /// Of a versioned table `current` is the stored item, tombstones included, in the order of `Write.returning`.
    case conditionFailed(current: Item? = nil)
    /// The stored item has this version, and the write expected another. Nothing was changed. `current` is the item, in
    /// the order of `Write.returning`. Only versioned tables know it, and a put never meets it.
    case conflict(current: Item, version: Int64)
}

/// Where completions run: an event loop, a thread, a test.
public protocol Executor: AnyObject, Sendable {
    /// Runs the work later, in the order of the calls, elsewhere than on the calling thread.
    func execute(_ work: @escaping @Sendable () -> Void)
    /// The same, but behind all that has come to the executor from outside by then.
    func executeAfterReads(_ work: @escaping @Sendable () -> Void)
}

extension Executor {
    /// Who hears of nothing from outside has no more to wait for.
    public func executeAfterReads(_ work: @escaping @Sendable () -> Void) { execute(work) }
}
