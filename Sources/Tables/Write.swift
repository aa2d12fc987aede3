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
    /// What rules ask of the stored item of an update or delete, beside the condition; nil where they ask nothing. A put
    /// has none: rules check what it is made of.
    public var writeGuard: WriteGuard?
    /// The columns of the item in the result, by position in the table.
    public var returning: [Int]
    /// What a write to a versioned table says of versions; nil for any other table.
    public var versioning: Versioning?
    /// Is called at its commit, before any result is handed over.
    public var observer: (any CommitObserver)?

    /// Makes a write of its parts.
    public init(
        table: StoredTable, action: Action, condition: Condition? = nil, writeGuard: WriteGuard? = nil,
        returning: [Int], versioning: Versioning? = nil, observer: (any CommitObserver)? = nil
    ) {
        self.table = table
        self.action = action
        self.condition = condition
        self.writeGuard = writeGuard
        self.returning = returning
        self.versioning = versioning
        self.observer = observer
    }

    /// What the statement that changes an item asks of it: the condition and the guard.
    var statementCondition: Condition? {
        guard let guarded = writeGuard?.condition else { return condition }
        return condition.map { .and([$0, guarded]) } ?? guarded
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
