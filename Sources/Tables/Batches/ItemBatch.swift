/// The rows that a batch fetch has found, by key.
public final class ItemBatch: Sendable {
    struct StoredRow: Sendable {
        /// Where the row's values begin; a row that does not meet the filter has none.
        var firstValue: Int
        var matches: Bool
        var rowID: Int64
        var sort: Value?
    }

    let values: [Value]
    let rows: [StoredRow]
    /// The rows of each key.
    let ranges: [Range<Int>]
    /// The bytes of the rows: texts as they are, 8 for any other value, and 16 for each row.
    public let byteCount: Int

    /// How many rows all keys have together.
    public var rowCount: Int { rows.count }

    private init(values: [Value], rows: [StoredRow], ranges: [Range<Int>], byteCount: Int) {
        (self.values, self.rows, self.ranges, self.byteCount) = (values, rows, ranges, byteCount)
    }

    /// Collects the rows of a batch, one key after the other.
    public struct Builder {
        private let columnCount: Int
        private var values: [Value] = []
        private var rows: [StoredRow] = []
        private var ranges: [Range<Int>] = []
        /// The bytes of the rows so far.
        public private(set) var byteCount = 0

        /// An empty batch.
        /// - Parameter columnCount: How many columns the fetch has.
        public init(columnCount: Int) { self.columnCount = columnCount }

        /// Copies the row that a cursor stands on.
        public mutating func append(_ cursor: some ItemCursor) {
            let position = cursor.position
            rows.append(
                StoredRow(
                    firstValue: values.count, matches: cursor.matches, rowID: position.rowID, sort: position.sort))
            byteCount += 16
            guard cursor.matches else { return }
            for column in 0..<columnCount {
                let value = cursor.value(column)
                if case .text(let text) = value { byteCount += text.utf8.count } else { byteCount += 8 }
                values.append(value)
            }
        }

        /// The rows that follow are those of the next key.
        public mutating func endKey() { ranges.append((ranges.last?.upperBound ?? 0)..<rows.count) }

        /// The batch.
        public consuming func batch() -> ItemBatch {
            ItemBatch(values: values, rows: rows, ranges: ranges, byteCount: byteCount)
        }
    }
}
