import JSON
import Tables

/// A committed item with all columns of its table.
struct EventRow: Sendable {
    let item: Item
    let table: StoredTable
    /// The fields that no subscriber is sent, and no filter is asked of.
    private let redactedFields: Set<String>

    init(item: Item, table: StoredTable, redacting redactedFields: Set<String> = []) {
        self.item = item
        self.table = table
        self.redactedFields = redactedFields
    }

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
        for (column, value) in zip(table.table.columns, item.values) where !redactedFields.contains(column.field) {
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
    init?(_ value: Tables.Value, as type: ColumnType) {
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
