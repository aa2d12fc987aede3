internal import CSQLite

/// Checks the size of the item that a write makes.
///
/// A put has the whole item. An update has a part of it, and the rest is in the row: the UPDATE asks for it by the SQL
/// function `fits`, which is given the columns that are not set. So an update costs no read of its own, and one that
/// would make too large an item changes nothing. JSON is only read where a bound that is known at once does not do.
///
/// Used by the writer's thread alone.
///
/// Memory safety: SQLite keeps the object retained as long as the function is registered, and calls it with `count` values that
/// live for the call.
final class ItemSizeCheck {
    /// Columns that one call of `fits` is given (SQLite, "Implementation Limits", "Maximum Number Of Arguments On A
    /// Function": 100 or more).
    static let columnsPerCall = 64

    private let bytesMax: Int
    private var columns: [Column] = []
    private var attributes: [(column: Int, value: Value)] = []
    /// The columns that are not set, in the order in which they are given to `fits`.
    private var rest: [Int] = []
    private var bytesSoFar = 0
    /// Whether the statement that was run last has met an item that would be too large.
    private(set) var isPassed = false

    init(bytesMax: Int, on connection: Connection) throws(StoreError) {
        self.bytesMax = bytesMax
        let code = unsafe sqlite3_create_function_v2(
            connection.handle, "fits", -1, SQLITE_UTF8, Unmanaged.passRetained(self).toOpaque(),
            { context, count, arguments in
                guard let pointer = unsafe sqlite3_user_data(context) else { return }
                let check = unsafe Unmanaged<ItemSizeCheck>.fromOpaque(pointer).takeUnretainedValue()
                let values = unsafe UnsafeBufferPointer(start: arguments, count: Int(count))
                unsafe sqlite3_result_int(context, check.fits(values) ? 1 : 0)
            }, nil, nil,
            { check in if let check = unsafe check { unsafe Unmanaged<ItemSizeCheck>.fromOpaque(check).release() } })
        try connection.check(code, "making a function")
    }

    /// Throws if the attributes of a put are too large an item.
    func check(put attributes: [(column: Int, value: Value)], of table: StoredTable) throws(StoreError) {
        let columns = table.table.columns
        guard attributes.reduce(0, { $0 + ItemSize.bound(of: $1.value, in: columns[$1.column]) }) > bytesMax else {
            return
        }
        guard attributes.reduce(0, { $0 + ItemSize.bytes(of: $1.value, in: columns[$1.column]) }) <= bytesMax else {
            throw StoreError.itemTooLarge
        }
    }

    /// Throws if the values of all columns are too large an item.
    func check(row values: [Value], of table: StoredTable) throws(StoreError) {
        let columns = table.table.columns
        var bound = 0
        for position in values.indices { bound += ItemSize.bound(of: values[position], in: columns[position]) }
        guard bound > bytesMax else { return }
        try check(put: values.enumerated().map { (column: $0.offset, value: $0.element) }, of: table)
    }

    /// Prepares for an UPDATE that sets these attributes, and asks `fits` for the others.
    func begin(update attributes: [(column: Int, value: Value)], of table: StoredTable) {
        columns = table.table.columns
        self.attributes = attributes
        rest = Self.rest(of: columns.count, besides: attributes.map(\.column))
        isPassed = false
    }

    /// The columns that an update does not set.
    static func rest(of count: Int, besides columns: [Int]) -> [Int] {
        (0..<count).filter { !columns.contains($0) }
    }

    /// After the UPDATE: forgets what was kept for it.
    func end() {
        attributes = []
    }

    /// The function: the place of the first of the given columns among the rest, and their values. Each call of an
    /// UPDATE adds to what those before it have found.
    private func fits(_ arguments: UnsafeBufferPointer<OpaquePointer?>) -> Bool {
        let first = unsafe arguments.first.map { unsafe Int(sqlite3_value_int64($0)) } ?? 0
        let values = unsafe arguments.dropFirst()
        // Several calls add up sizes; one alone can do with a bound.
        if rest.count <= Self.columnsPerCall {
            let bound = attributes.reduce(0) { $0 + ItemSize.bound(of: $1.value, in: columns[$1.column]) }
            if unsafe add(values, from: first, to: bound, isBound: true) <= bytesMax { return true }
        }
        if first == 0 {
            bytesSoFar = attributes.reduce(0) { $0 + ItemSize.bytes(of: $1.value, in: columns[$1.column]) }
        }
        bytesSoFar = unsafe add(values, from: first, to: bytesSoFar, isBound: false)
        if bytesSoFar > bytesMax { isPassed = true }
        return !isPassed
    }

    private func add(
        _ values: Slice<UnsafeBufferPointer<OpaquePointer?>>, from first: Int, to start: Int, isBound: Bool
    ) -> Int {
        var count = start
        for offset in unsafe 0..<values.count {
            let value = unsafe values[values.startIndex + offset]
            let type = unsafe sqlite3_value_type(value)
            guard type != SQLITE_NULL else { continue }
            let column = columns[rest[first + offset]]
            count += column.name.utf8.count
            switch (type, column.type) {
            case (SQLITE_INTEGER, .boolean): count += 1
            case (SQLITE_INTEGER, _): unsafe count += ItemSize.bytes(of: sqlite3_value_int64(value))
            case (SQLITE_FLOAT, _):
                count +=
                    isBound
                    ? ItemSize.numberBytesMax : ItemSize.bytes(ofNumber: unsafe "\(sqlite3_value_double(value))".utf8)
            case (_, .json) where !isBound:
                let json = unsafe UnsafeRawBufferPointer(
                    start: sqlite3_value_text(value), count: Int(sqlite3_value_bytes(value)))
                unsafe count += ItemSize.bytes(ofJSON: json)
            default:
                unsafe count += ItemSize.boundOfValue(
                    byteCount: Int(sqlite3_value_bytes(value)), isJSON: column.type == .json)
            }
        }
        return count
    }
}
