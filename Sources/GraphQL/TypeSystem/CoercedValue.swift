public import JSON

/// A value after coercion: what arguments hold, what is stored, and what a field completes.
public enum CoercedValue: Sendable, Hashable {
    /// A written null; an absent value is no value at all.
    case null
    /// Boolean.
    case bool(Bool)
    /// Int, AWSTimestamp, BigInt.
    case int(Int64)
    /// Float, Double; finite.
    case double(Double)
    /// String, ID and the other scalars that are kept as text.
    case string(String)
    /// A name of an enum.
    case enumValue(String)
    /// In order.
    case list([CoercedValue])
    /// The fields that are present, in the order of the input object.
    case object([CoercedField])

    /// The value of an object's field; `nil` where it is absent or this is no object.
    public subscript(name: String) -> CoercedValue? {
        guard case .object(let fields) = self else { return nil }
        return fields.first { $0.name == name }?.value
    }
}

/// A field that is present in a coerced object.
public struct CoercedField: Sendable, Hashable {
    /// The input field's name.
    public var name: String
    /// Its value, perhaps a written null.
    public var value: CoercedValue

    /// A field with its value.
    public init(name: String, value: CoercedValue) {
        self.name = name
        self.value = value
    }
}

extension CoercedValue {
    /// Any JSON as it stands: what a custom scalar accepts, and what a function answers. A number becomes an `int`
    /// where its text is one that fits, else a `double`; beyond that it stays text, so that no digit is lost.
    public init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let text):
            if let value = Int64(text) {
                self = .int(value)
            } else if let value = Double(text), value.isFinite, Decimal(text)?.isInteger != true || abs(value) < 0x1p53
            {
                self = .double(value)
            } else {
                self = .string(text)
            }
        case .string(let text): self = .string(text)
        case .array(let items): self = .list(items.map(CoercedValue.init))
        case .object(let object):
            self = .object(object.map { CoercedField(name: $0.key, value: CoercedValue($0.value)) })
        }
    }

    /// As JSON: an enum's name is a string.
    public var json: JSONValue {
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .int(let value): return .number(String(value))
        case .double(let value): return .number(value.description)
        case .string(let text), .enumValue(let text): return .string(text)
        case .list(let items): return .array(items.map(\.json))
        case .object(let fields):
            var object = JSONObject()
            for field in fields { object[field.name] = field.value.json }
            return .object(object)
        }
    }
}
