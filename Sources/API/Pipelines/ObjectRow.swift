import JSON
import Tables

/// An object in JSON as a parent's row: of a model's type its members are columns, by which its connections are read.
final class ObjectRow: ParentRow {
    let members: JSONObject
    let number: Int
    /// The members whose own objects are rows, by the fields that read them.
    var gathered: [ObjectIdentifier: GatheredValue] = [:]
    private let columns: Item

    /// - Parameters:
    ///   - number: Unlike that of any other object of the request.
    ///   - columns: The members that fields below look at, by their positions.
    init(_ members: JSONObject, number: Int, columns: [ObjectColumn]) {
        self.members = members
        self.number = number
        self.columns = Item(values: columns.map { $0.value(of: members) })
    }

    var object: JSONObject? { members }

    func isNull(_ position: Int) -> Bool { columns.isNull(position) }
    func integer(_ position: Int) -> Int64 { columns.integer(position) }
    func real(_ position: Int) -> Double { columns.real(position) }
    func withText<R>(_ position: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try unsafe columns.withText(position, body)
    }
    func value(_ position: Int) -> Value { columns.value(position) }
    func operand(_ position: Int) -> Operand { .value(columns.value(position)) }
}
