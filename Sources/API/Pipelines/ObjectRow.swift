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

/// A member of an object that stands for a column of a model.
struct ObjectColumn: Sendable {
    let name: String
    let type: ColumnType

    /// The member as the column would hold it; null where it holds no such value. A key that is a number is its text, as
    /// an ID is.
    func value(of object: JSONObject) -> Value {
        guard let member = object[name] else { return .null }
        if type == .text, case .number(let text) = member { return .text(text) }
        return Value(member, as: type) ?? .null
    }
}

/// What the objects of a shape are as rows, by their types.
final class ObjectRows: Sendable {
    let columns: [String: [ObjectColumn]]

    init(columns: [String: [ObjectColumn]]) { self.columns = columns }
}
