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
