import GraphQL
import JSON
import Tables

extension Value {
    /// A coerced input value as its column keeps it. Null means an absent attribute, whatever the column.
    ///
    /// Coercion has made sure of the type; what fits no column (a list for a scalar) can only come from our own
    /// binding, and is kept as JSON text.
    init(_ value: CoercedValue, as type: ColumnType) {
        switch (type, value) {
        case (_, .null): self = .null
        case (.json, _): self = .text(value.jsonText)
        case (.text, .string(let text)), (.text, .enumValue(let text)): self = .text(text)
        case (.text, .int(let integer)): self = .text(String(integer))
        case (.integer, .int(let integer)): self = .integer(integer)
        case (.integer, .double(let double)): self = Int64(exactly: double).map(Value.integer) ?? .real(double)
        case (.real, .double(let double)): self = .real(double)
        case (.real, .int(let integer)): self = .real(Double(integer))
        case (.boolean, .bool(let bool)): self = .integer(bool ? 1 : 0)
        case (_, .bool(let bool)): self = .integer(bool ? 1 : 0)
        case (_, .int(let integer)): self = .integer(integer)
        case (_, .double(let double)): self = .real(double)
        case (_, .string(let text)), (_, .enumValue(let text)): self = .text(text)
        case (_, .list), (_, .object): self = .text(value.jsonText)
        }
    }
}

extension CoercedValue {
    /// As JSON text, object fields in declared order.
    var jsonText: String {
        var writer = JSONWriter(capacity: 64)
        write(into: &writer)
        return unsafe writer.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    func write(into writer: inout JSONWriter) {
        switch self {
        case .null: writer.writeNull()
        case .bool(let bool): writer.write(bool)
        case .int(let integer): writer.write(integer)
        case .double(let double): writer.write(double)
        case .string(let text), .enumValue(let text): writer.writeString(text)
        case .list(let elements):
            writer.append("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { writer.append(",") }
                element.write(into: &writer)
            }
            writer.append("]")
        case .object(let fields):
            writer.append("{")
            for (index, field) in fields.enumerated() {
                if index > 0 { writer.append(",") }
                writer.writeString(field.name)
                writer.append(":")
                field.value.write(into: &writer)
            }
            writer.append("}")
        }
    }

    /// The fields of an input object; empty for anything else.
    var fields: [CoercedField] { if case .object(let fields) = self { fields } else { [] } }

    var isNull: Bool { if case .null = self { true } else { false } }

    var isList: Bool { if case .list = self { true } else { false } }
}
