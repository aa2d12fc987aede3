import JSON
import Transformer

/// What is selected of an item.
struct PlainSelection {
    struct Part {
        var field: RuledSchema.Field
        /// What is selected of the related items.
        var inner: [Part] = []
        /// How many related items are asked for.
        var limit = 0

        var text: String {
            switch field.kind {
            case .text, .number, .texts: field.name
            case .bag: "\(field.name) { outer inner }"
            case .toMany: "\(field.name)(limit: \(limit)) { items { \(PlainSelection(parts: inner).text) } }"
            case .toOne: "\(field.name) { \(PlainSelection(parts: inner).text) }"
            }
        }
    }

    var parts: [Part]

    var text: String { parts.map(\.text).joined(separator: " ") }
}

/// A condition on a sort key.
enum PlainSort {
    case eq(JSONValue)
    case ge(JSONValue)
    case beginsWith(String)

    var text: String {
        switch self {
        case .eq(let value): "{eq: \(value)}"
        case .ge(let value): "{ge: \(value)}"
        case .beginsWith(let prefix): "{beginsWith: \"\(prefix)\"}"
        }
    }

    func admits(_ value: JSONValue) -> Bool {
        switch self {
        case .eq(let other): value == other
        case .ge(let other): !value.isBefore(other)
        case .beginsWith(let prefix): value.stringValue?.hasPrefix(prefix) ?? false
        }
    }
}

/// A filter or condition on one field.
struct PlainFilter {
    var field: String
    var isGreater = false
    var value: JSONValue

    var text: String { "{\(field): {\(isGreater ? "gt" : "eq"): \(value)}}" }

    func admits(_ item: [String: JSONValue]) -> Bool {
        guard let own = item[field], !own.isNull else { return false }
        return isGreater ? value.isBefore(own) : own == value
    }
}

extension JSONValue {
    /// The order of sort keys: numbers by value, texts by their bytes.
    func isBefore(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.number(let left), .number(let right)): (Int(left) ?? 0) < (Int(right) ?? 0)
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        default: false
        }
    }
}

/// One root field that a caller asks for.
struct PlainRequest {
    struct Page {
        /// The fields of the key: a partition key and sort keys.
        var key: [String]
        var partition: JSONValue?
        var sort: PlainSort?
        var filter: PlainFilter?
        var limit: Int
    }

    enum Operation {
        case get([JSONValue])
        case list(Page)
        case index(String, Page)
        case sync(Page)
        case create([String: JSONValue])
        case update([String: JSONValue], PlainFilter?)
        case delete([String: JSONValue], PlainFilter?)
        case ping
    }

    var model: RuledSchema.Model
    var operation: Operation
    var selection: PlainSelection

    var rootType: String {
        switch operation {
        case .get, .list, .index, .sync, .ping: "Query"
        case .create, .update, .delete: "Mutation"
        }
    }

    var field: String {
        switch operation {
        case .get: "get\(model.name)"
        case .list: "list\(model.plural)"
        case .index(let name, _): name
        case .sync: "sync\(model.plural)"
        case .create: "create\(model.name)"
        case .update: "update\(model.name)"
        case .delete: "delete\(model.name)"
        case .ping: "ping"
        }
    }

    /// The document. JSON's notation is GraphQL's for these values, but for objects.
    var text: String {
        func literal(_ value: JSONValue) -> String {
            guard let object = value.objectValue else { return value.description }
            return "{\(object.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
        }
        func input(_ item: [String: JSONValue]) -> String {
            let members = model.allFields.compactMap { field in
                item[field.name].map { "\(field.name): \(literal($0))" }
            }
            return "input: {\(members.joined(separator: ", "))}"
        }
        func arguments(_ page: Page) -> String {
            var arguments: [String] = []
            if let partition = page.partition { arguments.append("\(page.key[0]): \(partition)") }
            if let sort = page.sort { arguments.append("\(page.key[1]): \(sort.text)") }
            if let filter = page.filter { arguments.append("filter: \(filter.text)") }
            return (arguments + ["limit: \(page.limit)"]).joined(separator: ", ")
        }
        func condition(_ filter: PlainFilter?) -> String { filter.map { ", condition: \($0.text)" } ?? "" }
        let selected = selection.text
        switch operation {
        case .get(let key):
            let arguments = zip(model.key, key).map { "\($0): \($1)" }.joined(separator: ", ")
            return "{ \(field)(\(arguments)) { \(selected) } }"
        case .list(let page), .index(_, let page), .sync(let page):
            return "{ \(field)(\(arguments(page))) { items { \(selected) } } }"
        case .create(let item): return "mutation { \(field)(\(input(item))) { \(selected) } }"
        case .update(let item, let filter), .delete(let item, let filter):
            return "mutation { \(field)(\(input(item))\(condition(filter))) { \(selected) } }"
        case .ping: return "{ ping }"
        }
    }
}
