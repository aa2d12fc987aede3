import JSON
import Tables

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
