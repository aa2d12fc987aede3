import JSON
import Tables

/// One change, as it is published to subscribers. Made by the mutation, on the thread that completed it.
final class Event: Sendable {
    let topic: Topic
    /// What filters look at and selections are completed of: the result of the mutation field by field names, or the
    /// item by the names of its fields.
    let tree: JSONValue
    /// The committed item, all its columns; only in the mode that fills events.
    let row: EventRow?
    /// The field whose result this is; it identifies the selection. Not the field itself: events wait and are
    /// kept for a while, and each would keep the plan of its mutation, which may be large.
    let origin: ObjectIdentifier
    /// What the event weighs in an inbox, roughly.
    let byteCount: Int

    init(topic: Topic, tree: JSONValue, row: EventRow? = nil, origin: PlannedField, byteCount: Int) {
        self.topic = topic
        self.tree = tree
        self.row = row
        self.origin = ObjectIdentifier(origin)
        self.byteCount = byteCount
    }
}

/// An event that has left, with its place in the one order that all loops see.
struct PublishedEvent: Sendable {
    /// Counted from 1.
    let number: UInt64
    let event: Event
}

/// A committed item with all columns of its table.
struct EventRow: Sendable {
    let item: Item
    let table: StoredTable

    /// The item as the columns of another resolution of its table; after a reload there may be more of them.
    func item(as other: StoredTable) -> Item {
        guard other !== table else { return item }
        return Item(
            values: other.table.columns.map { column in
                table.table.columns.firstIndex { $0.name == column.name }.map { item.values[$0] } ?? .null
            })
    }

    /// The primary key.
    var key: [Value] { table.table.key.columns.map { item.values[$0] } }

    /// By the names of the fields, absent attributes left out.
    var tree: JSONValue {
        var object = JSONObject()
        for (column, value) in zip(table.table.columns, item.values) {
            object[column.field] = JSONValue(value, as: column.type)
        }
        return .object(object)
    }

    var byteCount: Int { item.eventByteCount }
}

extension Item {
    /// What an event of the item weighs, roughly.
    var eventByteCount: Int {
        values.reduce(64) { count, value in
            if case .text(let text) = value { count + 2 * text.utf8.count + 32 } else { count + 32 }
        }
    }
}

extension JSONValue {
    /// A cell; nil where the attribute is absent.
    fileprivate init?(_ value: Tables.Value, as type: ColumnType) {
        switch (type, value) {
        case (_, .null): return nil
        case (.boolean, .integer(let integer)): self = .bool(integer != 0)
        case (_, .integer(let integer)): self = .number(String(integer))
        case (_, .real(let double)): self = .number(double.description)
        case (.json, .text(let text)): self = (try? JSONReader.read(text, depthMax: 256)) ?? .null
        case (_, .text(let text)): self = .string(text)
        }
    }
}
