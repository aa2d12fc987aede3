import JSON
import Tables

/// A row whose columns can be the key of a child fetch.
protocol ParentRow: Row {
    func operand(_ position: Int) -> Operand
    /// The row's number among the gathered rows of its field; 0 of a row that is alone.
    var number: Int { get }
    /// The object that the row is made of, where it is one in JSON.
    var object: JSONObject? { get }
}

extension ParentRow {
    var number: Int { 0 }
    var object: JSONObject? { nil }
}

extension Cursor: ParentRow {
    /// Bound from SQLite's memory to SQLite's memory; the cursor stands on its row until its children are done.
    func operand(_ position: Int) -> Operand { .column(self, position) }
}

extension BatchCursor: ParentRow {
    func operand(_ position: Int) -> Operand { .value(value(position)) }
}

extension Item: ParentRow {
    func operand(_ position: Int) -> Operand { .value(values[position]) }
}

/// The parent of root fields: it has no columns.
struct RootRow: ParentRow {
    func isNull(_ position: Int) -> Bool { true }
    func integer(_ position: Int) -> Int64 { 0 }
    func real(_ position: Int) -> Double { 0 }
    func withText<R>(_ position: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
    func value(_ position: Int) -> Value { .null }
    func operand(_ position: Int) -> Operand { .value(.null) }
}
