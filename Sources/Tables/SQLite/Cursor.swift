public import CSQLite

/// The rows of an opened fetch, one at a time. The current row lives in SQLite's memory until the next step.
///
/// Several cursors of the same fetch may be open at once. A cursor belongs to its reader, is used by one thread at a time (`LargeStack` runs
/// the work while the first thread waits), is closed before the
/// request ends (`close`, or by letting go of it), and gives its statement back to its reader then. After that its rows
/// read as absent.
///
/// Memory safety: the statement is used between `init` or `begin` and `takeBack`, by one thread at a time, while the connection is
/// open; its pool finalizes it. SQLite returns NULL for positions beyond its columns. Bytes of a cell are borrowed for a call.
@safe public final class Cursor: Row {
    /// The statement; nil once it was taken back. Every `sqlite3_column_…` of nil, or of a statement without a row, is
    /// defined and reads as NULL (SQLite, "Result Values From A Query").
    ///
    /// Not checked for overlapping accesses at run time, as its neighbours are not: they are read and set, never lent,
    /// on one thread. The checks were a tenth of a list's instructions.
    @exclusivity(unchecked) @usableFromInline var statement: OpaquePointer?
    /// Where the statement goes when the cursor closes; nil when closed.
    var pool: StatementCache.Pool?
    @exclusivity(unchecked) private var rowsLeft = 0
    /// Rows that the fetch may have, and of them those that were not there.
    @exclusivity(unchecked) private var rowsMax = 0
    @exclusivity(unchecked) private var rowsMissing = 0
    /// Which of the statement's outputs are no columns of the fetch.
    @exclusivity(unchecked) private var verdictOutput: Int32?
    @exclusivity(unchecked) private var rowIDOutput: Int32 = 0
    @exclusivity(unchecked) private var sortOutput: Int32?

    init(statement: OpaquePointer) {
        unsafe self.statement = unsafe statement
    }

    deinit {
        // The object is going; only its statement goes back.
        if let pool, let statement = unsafe statement { unsafe pool.takeBack(Cursor(statement: statement)) }
    }

    /// Starts over with a statement whose values are bound.
    func begin(_ fetch: Fetch, in pool: StatementCache.Pool, limit: Int) {
        self.pool = pool
        unsafe (rowsLeft, rowsMax, rowsMissing) = (limit, limit, 0)
        let shape = fetch.shape
        unsafe verdictOutput = shape.hasVerdict ? Int32(truncatingIfNeeded: shape.columns.count) : nil
        unsafe rowIDOutput = Int32(truncatingIfNeeded: shape.rowIDOutput)
        unsafe sortOutput = shape.sortOutput.map { Int32(truncatingIfNeeded: $0) }
    }

    /// Goes to the next row; false after the last one, or when as many rows as the limit were read. In the latter case
    /// the last row stays the current one, so that its `position` can be taken.
    public func next() throws(StoreError) -> Bool {
        guard unsafe rowsLeft > 0 else { return false }
        let code = unsafe sqlite3_step(statement)
        if code == SQLITE_ROW {
            unsafe rowsLeft -= 1
            // A filter may have copied long texts for a few steps only, and nothing else is charged for a row that it
            // refuses.
            if unsafe verdictOutput != nil, unsafe rowsLeft & 7 == 0, let pool { try pool.look() }
            return true
        }
        unsafe rowsMissing = unsafe rowsLeft
        unsafe rowsLeft = 0
        guard code == SQLITE_DONE else { throw error(code) }
        return false
    }

    /// Whether the current row meets the filter; true without one.
    public var matches: Bool {
        guard let verdictOutput = unsafe verdictOutput else { return true }
        return unsafe sqlite3_column_int(statement, verdictOutput) != 0
    }

    /// The current row's place in creation order; no other row of the table has it in the same snapshot.
    public var rowID: Int64 { unsafe sqlite3_column_int64(statement, rowIDOutput) }

    /// Where the current row stands, for the page after it.
    public var position: Position {
        unsafe Position(sort: sortOutput.flatMap { unsafe statement?.value(at: $0) }, rowID: rowID)
    }

    /// Ends the reading and gives the statement back. Closing twice does nothing.
    public func close() {
        guard let pool else { return }
        self.pool = nil
        unsafe pool.noteRows(rowsMax &- rowsLeft &- rowsMissing)
        unsafe rowsLeft = 0
        pool.takeBack(self)
    }

    private func error(_ code: Int32) -> StoreError {
        guard let pool else { return StoreError(.closed, "The cursor is closed.") }
        return pool.error(code)
    }

    /// Whether the attribute is absent.
    @inlinable
    public func isNull(_ position: Int) -> Bool {
        unsafe sqlite3_column_type(statement, Int32(truncatingIfNeeded: position)) == SQLITE_NULL
    }

    /// The attribute as a whole number.
    @inlinable
    public func integer(_ position: Int) -> Int64 {
        unsafe sqlite3_column_int64(statement, Int32(truncatingIfNeeded: position))
    }

    /// The attribute as a floating-point number.
    @inlinable
    public func real(_ position: Int) -> Double {
        unsafe sqlite3_column_double(statement, Int32(truncatingIfNeeded: position))
    }

    /// Calls `body` with the attribute's UTF-8 bytes, which live no longer than the call.
    @inlinable
    public func withText<R>(_ position: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        // SQLite, "Result Values From A Query": the text first, then its length, and no step in between.
        let text = unsafe sqlite3_column_text(statement, Int32(truncatingIfNeeded: position))
        let count = unsafe text == nil ? 0 : Int(sqlite3_column_bytes(statement, Int32(truncatingIfNeeded: position)))
        return try unsafe body(UnsafeRawBufferPointer(start: text, count: count))
    }

    /// The cell at a position of the current row.
    @inlinable
    public func cell(_ position: Int) -> Cell {
        unsafe Cell(value: sqlite3_column_value(statement, Int32(truncatingIfNeeded: position)))
    }

    /// One attribute of the current row, found once; it lives as long as the row. Each `sqlite3_column_…` finds the
    /// attribute anew and checks for out-of-memory afterwards, so type, text and length cost three times as much.
    ///
    /// SQLite calls such a value unprotected, since reading it takes no mutex. There is none to take: a connection is
    /// opened without one and belongs to one thread.
    ///
    /// Memory safety: the pointer is valid until the cursor's next step, reset or close, and the completion of a row ends before that.
    @safe public struct Cell {
        @usableFromInline let value: OpaquePointer?

        @inlinable
        init(value: OpaquePointer?) { unsafe self.value = unsafe value }

        /// Whether the attribute is absent.
        @inlinable
        public var isNull: Bool { unsafe sqlite3_value_type(value) == SQLITE_NULL }

        /// The attribute as a whole number; 0 if it is absent.
        @inlinable
        public var integer: Int64 { unsafe sqlite3_value_int64(value) }

        /// The attribute as a floating-point number; 0 if it is absent.
        @inlinable
        public var real: Double { unsafe sqlite3_value_double(value) }

        /// Calls `body` with the attribute's UTF-8 bytes, which live no longer than the call; false, and no call, if it
        /// is absent.
        @inlinable
        public func withText(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
            // The text first, then its length: the first may change what the second says.
            guard let text = unsafe sqlite3_value_text(value) else { return false }
            unsafe body(UnsafeRawBufferPointer(start: text, count: Int(sqlite3_value_bytes(value))))
            return true
        }
    }

    /// The attribute, copied.
    public func value(_ position: Int) -> Value {
        unsafe statement?.value(at: Int32(truncatingIfNeeded: position)) ?? .null
    }
}
