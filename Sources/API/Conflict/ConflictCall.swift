import Transformer
import GraphQL
import JSON
import Tables

/// Asks the function that decides the conflicts of a model. The completion is called once, on any thread.
public typealias ConflictResolution =
    @Sendable (_ call: ConflictCall, _ completion: @escaping @Sendable (ConflictAnswer) -> Void) -> Void

/// What the function of a conflict receives (reference: datastore-sync, "Conflict handlers"). AWS AppSync, "Conflict
/// detection and resolution", "Lambda".
public struct ConflictCall: Sendable {
    /// The name of the model whose item it is.
    public let model: String
    /// The event: `newItem`, `existingItem`, `arguments`, `resolver`, `identity`.
    public let event: [UInt8]

    /// - Parameters:
    ///   - current: The stored item, all columns.
    ///   - identity: The caller as functions receive it.
    init(
        _ write: Write, of plan: WritePlan, current: Item, field: String, arguments: ArgumentValues,
        identity: JSONValue, region: String
    ) {
        model = plan.model.name
        let table = plan.table
        var changed = current
        if case .update(_, let attributes) = write.action {
            for attribute in attributes { changed.values[attribute.column] = attribute.value }
        }
        var members = JSONWriter(capacity: 1024)
        members.append("{\"newItem\":")
        members.write(EventRow(item: changed, table: table).tree)
        members.append(",\"existingItem\":")
        members.write(EventRow(item: current, table: table).tree)
        members.append(",\"arguments\":")
        CoercedValue.object(arguments.fields).write(into: &members)
        members.append(",\"resolver\":{\"tableName\":")
        members.writeString(table.table.name)
        members.append(",\"awsRegion\":")
        members.writeString(region)
        members.append(",\"parentType\":\"Mutation\",\"field\":")
        members.writeString(field)
        members.append("},\"identity\":")
        members.write(identity)
        members.append("}")
        event = unsafe members.withBytes { unsafe Array($0) }
    }
}

extension WritePlan {
    /// The attributes of an item that a function gives in whole. What it leaves out is removed, except the timestamps
    /// that the service fills: a function need not know of them, and no device could read the item without. Nil if a
    /// value is none of its column's type, or a field that may not be null is.
    func attributes(
        of item: JSONObject, current: Item, changes: [(column: Int, value: Value)]
    ) -> [(column: Int, value: Value)]? {
        let table = table.table
        var attributes: [(column: Int, value: Value)] = []
        for (position, column) in table.columns.enumerated() {
            guard let value = item[column.field], !value.isNull else {
                if model.requiredFields.contains(column.field) { return nil }
                continue
            }
            guard let value = Value(value, as: column.type) else { return nil }
            attributes.append((position, value))
        }
        for name in model.filledDates where item[name]?.isNull ?? true {
            guard let column = table.position(of: name) else { continue }
            let changed = changes.last { $0.column == column }?.value
            attributes.append((column, changed ?? current.values[column]))
        }
        return attributes
    }
}

extension Value {
    /// A value of an item that comes as JSON; nil if the column holds no such value.
    init?(_ value: JSONValue, as type: ColumnType) {
        switch (type, value) {
        case (.text, .string(let text)): self = .text(text)
        case (.integer, .number):
            guard let integer = value.intValue else { return nil }
            self = .integer(integer)
        case (.real, .number):
            guard let double = value.doubleValue else { return nil }
            self = .real(double)
        case (.boolean, .bool(let bool)): self = .integer(bool ? 1 : 0)
        case (.json, .array), (.json, .object): self = .text(value.description)
        default: return nil
        }
    }
}
