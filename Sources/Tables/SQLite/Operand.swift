internal import CSQLite

/// A value that a fetch is opened with.
public enum Operand {
    /// A value.
    case value(Value)
    /// A column of another cursor's current row, by position; bound from SQLite's memory, no string is made.
    case column(Cursor, Int)

    /// Calls `body` with the UTF-8 bytes of a text, which live no longer than the call; nil for what is no text.
    ///
    /// Memory safety: the bytes are borrowed for the call.
    public func withText<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R? {
        switch self {
        case .value(.text(var text)): return try text.withUTF8 { try unsafe body(UnsafeRawBufferPointer($0)) }
        case .value: return nil
        case .column(let cursor, let column):
            let type = unsafe sqlite3_column_type(cursor.statement, Int32(truncatingIfNeeded: column))
            return unsafe type == SQLITE_TEXT ? try cursor.withText(column, body) : nil
        }
    }
}
