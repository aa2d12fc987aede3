import GraphQL
import Tables

/// What a page token is bound to, as bytes: the field, then names between zero bytes, which no name contains, each with
/// a value that says its kind, and its length if it is a text.
struct Binding {
    private(set) var bytes: [UInt8]

    init(_ field: String) { bytes = Array(field.utf8) }

    /// All arguments but those that differ from page to page.
    mutating func add(_ arguments: ArgumentValues) {
        for argument in arguments.fields where argument.name != "limit" && argument.name != "nextToken" {
            add(argument.name, .text(argument.value.jsonText))
        }
    }

    mutating func add(_ name: String, _ value: Value) {
        bytes.append(0)
        bytes.append(contentsOf: name.utf8)
        bytes.append(0)
        switch value {
        case .null: bytes.append(UInt8(ascii: "n"))
        case .integer(let integer): bytes.append(contentsOf: "i\(integer)".utf8)
        case .real(let double): bytes.append(contentsOf: "r\(double)".utf8)
        case .text(let text): bytes.append(contentsOf: "t\(text.utf8.count):\(text)".utf8)
        }
    }
}
