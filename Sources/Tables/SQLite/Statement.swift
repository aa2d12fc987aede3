internal import CSQLite

/// SQLite's own destructor that makes it copy what is bound. A macro with a cast, which Swift does not import.
///
/// SQLite compares the pointer and never calls it (SQLite, "Constants Defining Special Destructor Behavior").
private let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)

// Memory safety: the pointer is a statement that its owner has not finalized. SQLite checks indexes, and copies what is bound.
extension OpaquePointer {
    /// Binds a value to a statement. Text is copied, with its length, so it may hold NUL.
    func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null: unsafe sqlite3_bind_null(self, index)
        case .integer(let value): unsafe sqlite3_bind_int64(self, index, value)
        case .real(let value): unsafe sqlite3_bind_double(self, index, value)
        case .text(let value): unsafe bind(value, at: index)
        }
    }

    private func bind(_ text: String, at index: Int32) -> Int32 {
        // A native string lends its bytes; only a bridged one must be copied first.
        unsafe text.utf8.withContiguousStorageIfAvailable { unsafe bind($0, at: index) }
            ?? Array(text.utf8).withUnsafeBufferPointer { unsafe bind($0, at: index) }
    }

    private func bind(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32) -> Int32 {
        // A null pointer would bind NULL, and an empty buffer may have one.
        guard let start = bytes.baseAddress else { return unsafe sqlite3_bind_text(self, index, "", 0, transient) }
        return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
            unsafe sqlite3_bind_text64(self, index, $0, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
        }
    }

    /// Copies a column of a statement's current row.
    func value(at column: Int32) -> Value {
        switch unsafe sqlite3_column_type(self, column) {
        case SQLITE_INTEGER: return unsafe .integer(sqlite3_column_int64(self, column))
        case SQLITE_FLOAT: return unsafe .real(sqlite3_column_double(self, column))
        case SQLITE_TEXT, SQLITE_BLOB:
            // SQLite, "Result Values From A Query": the text first, then its length.
            guard let text = unsafe sqlite3_column_text(self, column) else { return .text("") }
            let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(self, column)))
            return unsafe .text(String(decoding: bytes, as: UTF8.self))
        default: return .null
        }
    }
}
