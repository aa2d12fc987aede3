/// The rows of one key of a batch, one at a time, as `Cursor` gives those of a statement.
public final class BatchCursor: ItemCursor {
    private let batch: ItemBatch
    /// The row after the current one.
    private var nextRow: Int
    private let end: Int
    /// The current row's values.
    private var firstValue = 0
    private let firstNumber: Int

    /// A cursor before the first row of a key.
    /// - Parameter firstNumber: The number of the batch's first row, among rows of several batches.
    public init(_ batch: ItemBatch, key: Int, numberedFrom firstNumber: Int = 0) {
        self.batch = batch
        nextRow = batch.ranges[key].lowerBound
        end = batch.ranges[key].upperBound
        self.firstNumber = firstNumber
    }

    /// The current row's number.
    public var number: Int { firstNumber + nextRow - 1 }

    private var row: ItemBatch.StoredRow { batch.rows[nextRow - 1] }

    /// Goes to the next row; after the last one that one stays the current row.
    public func next() throws(StoreError) -> Bool {
        guard nextRow < end else { return false }
        firstValue = batch.rows[nextRow].firstValue
        nextRow += 1
        return true
    }

    /// Whether the current row meets the filter.
    public var matches: Bool { row.matches }

    /// The current row's place in creation order.
    public var rowID: Int64 { row.rowID }

    /// Where the current row stands, for the page after it.
    public var position: Position { Position(sort: row.sort, rowID: row.rowID) }

    /// The cell at a position of the current row.
    public func cell(_ position: Int) -> Cell { Cell(value: batch.values[firstValue + position]) }

    /// Whether the attribute is absent.
    public func isNull(_ position: Int) -> Bool { cell(position).isNull }

    /// The attribute as a whole number.
    public func integer(_ position: Int) -> Int64 { cell(position).integer }

    /// The attribute as a floating-point number.
    public func real(_ position: Int) -> Double { cell(position).real }

    /// Calls `body` with the attribute's UTF-8 bytes, which live no longer than the call.
    public func withText<R>(_ position: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe value(position).withText(body)
    }

    /// The attribute.
    public func value(_ position: Int) -> Value { batch.values[firstValue + position] }

    /// One attribute of the current row.
    public struct Cell: ItemCell {
        let value: Value

        /// Whether the attribute is absent.
        public var isNull: Bool { value == .null }

        /// The attribute as a whole number; 0 if it is absent.
        public var integer: Int64 { value.asInteger }

        /// The attribute as a floating-point number; 0 if it is absent.
        public var real: Double { value.asReal }

        /// Calls `body` with the attribute's UTF-8 bytes; false, and no call, if it is absent.
        public func withText(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
            guard !isNull else { return false }
            unsafe value.withText(body)
            return true
        }
    }
}
