/// One item put, updated or deleted, under a condition. One SQL statement each, so a failing one undoes itself alone.
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

    /// Makes a write of its parts.
    public init(table: StoredTable, action: Action, condition: Condition? = nil, returning: [Int]) {
        self.table = table
        self.action = action
        self.condition = condition
        self.returning = returning
    }
}

/// What became of a write that was carried out without error.
public enum WriteResult: Sendable, Hashable {
    /// The item, in the order of `Write.returning`: after a put or an update as it is, after a delete as it was.
    /// `sequence` is the write's place in the store's one commit order, counted from 1 since the store was opened.
    case item(Item, sequence: UInt64)
    /// The item exists (put), does not exist (update, delete), or does not meet the condition. Nothing was changed.
    case conditionFailed
}

/// Where completions run: an event loop, a thread, a test.
public protocol Executor: AnyObject, Sendable {
    /// Runs the work later, in the order of the calls, elsewhere than on the calling thread.
    func execute(_ work: @escaping @Sendable () -> Void)
}
