import API
import GraphQL
import JSON
import Tables
import Transformer

extension DataSource {
    /// The relationship fields to one item, by name.
    var relatedItems: [String: RelatedItem] {
        Dictionary(fields.related.map { ($0.name, $0.item) }, uniquingKeysWith: { $1 })
    }

    var relatedLists: [String: QueryItems] { fields.lists }

    var isJoin: Bool { fields.isJoin }

    func isRelation(_ field: String) -> Bool { relatedItems[field] != nil || fields.lists[field] != nil }

    /// Whether the create mutation takes the field.
    func isImported(_ field: String) -> Bool { field != "_version" && fields[input: field] != nil }

    /// Whether the field is stored and only the server writes it.
    func isReadOnly(_ field: String) -> Bool { !isImported(field) && table.position(of: field) != nil }

    /// Whether the empty text is a value of the field.
    func isText(_ field: String) -> Bool {
        guard let input = fields[input: field] else { return false }
        return input.type.element == nil && ["String", "ID"].contains(input.typeName)
    }

    /// The value that a cell of a table stands for; nil if it stands for none.
    func value(ofText text: String, for field: String) -> JSONValue? {
        guard let input = fields[input: field] else { return nil }
        if input.type.element != nil || input.fields != nil { return try? JSONReader.read(text) }
        switch input.typeName {
        case "Int", "AWSTimestamp": return Int64(text).map { .number(String($0)) }
        case "Float":
            guard Double(text)?.isFinite == true, let value = try? JSONReader.read(text) else { return nil }
            return value
        case "Boolean": return ["true": true, "false": false][text.lowercased()]
        default: return .string(text)
        }
    }

    /// The columns that no item lacks which the API has written: those of required fields and of timestamps.
    var presentColumns: Set<Int> {
        let fields = model.requiredFields.union(model.filledDates).union(model.primaryKey)
        return Set(fields.compactMap(table.position(of:)))
    }

    /// The position of a stored column, by the name of its attribute or of its field.
    func position(ofColumn name: String) -> Int? {
        table.columns.firstIndex { $0.name == name } ?? table.position(of: name)
    }

    /// What people recognize an item by.
    func title(_ item: StoredItems.Item) -> String? {
        guard !isDeleted(item) else { return nil }
        let texts = fields.titlePositions.map { item.values[$0].keyPart }.filter { !$0.isEmpty }
        return texts.isEmpty
            ? table.key.columns.map { item.values[$0].keyPart }.joined(separator: ", ") : texts.joined(separator: ", ")
    }

    /// Whether an item of a table with versions is deleted.
    func isDeleted(_ item: StoredItems.Item) -> Bool {
        table.metadata.map { item.values[$0.deleted].asInteger == 1 } ?? false
    }
}
