import GraphQL
import JSON
import Tables
import Transformer

/// Asks the function that decides the conflicts of a model. The completion is called once, on any thread.
public typealias ConflictResolution =
    @Sendable (_ call: ConflictCall, _ completion: @escaping @Sendable (ConflictAnswer) -> Void) -> Void

/// What came of asking.
public enum ConflictAnswer: Sendable, Hashable {
    /// What the function answered, as JSON.
    case answered([UInt8])
    /// The function failed, or took too long.
    case failed
    /// As many conflicts are being decided as may be; this one was not begun.
    case busy
}

/// What the function of a conflict receives (reference: datastore-sync, "Conflict handlers"). AWS AppSync, "Conflict
/// detection and resolution", "Lambda".
public struct ConflictCall: Sendable {
    /// The name of the model whose item it is.
    public let model: String
    /// The event: `newItem`, `existingItem`, `arguments`, `resolver`, `identity`.
    public let event: [UInt8]

    /// - Parameter current: The stored item, all columns.
    init(_ write: Write, of plan: WritePlan, current: Item, field: String, arguments: ArgumentValues, region: String) {
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
        // An API key identifies no particular caller.
        members.append("},\"identity\":null}")
        event = unsafe members.withBytes { unsafe Array($0) }
    }
}

/// What the function decided.
enum ConflictDecision: Sendable, Equatable {
    /// The item replaces the stored one, but for its key and metadata.
    case resolve(JSONObject)
    /// The change is refused.
    case reject
    /// The item is deleted.
    case remove

    /// Reads an answer; nil is one that it may not give to this kind of write.
    init?(_ answer: [UInt8], to kind: WritePlan.Kind) {
        let value = unsafe answer.withUnsafeBytes { try? unsafe JSONReader.read($0) }
        switch (value?["action"]?.stringValue, kind) {
        case ("RESOLVE", .update):
            guard let item = value?["item"]?.objectValue else { return nil }
            self = .resolve(item)
        case ("REMOVE", .delete): self = .remove
        case ("REJECT", _): self = .reject
        default: return nil
        }
    }
}

extension ConflictDecision {
    /// The write that carries the decision out, if the stored version is still the one that was decided about; nil for
    /// REJECT, and for an item that does not fit its model.
    func write(in place: Write, of plan: WritePlan, current: Item, version: Int64) -> Write? {
        var write = place
        switch (self, place.action) {
        case (.resolve(let item), .update(let key, let attributes)):
            guard let replacement = plan.attributes(of: item, current: current, changes: attributes) else { return nil }
            write = .resolving(
                key, as: replacement, of: place.table, expecting: version, condition: place.condition,
                writeGuard: place.writeGuard, returning: place.returning)
            write.observer = place.observer
        case (.remove, .delete): write.versioning?.expected = version
        default: return nil
        }
        return write
    }
}

extension WritePlan {
    /// The attributes of an item that a function gives in whole. What it leaves out is removed, except the timestamps
    /// that the service fills: a function need not know of them, and no device could read the item without. Nil if a
    /// value is none of its column's type, or a field that may not be null is.
    fileprivate func attributes(
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
