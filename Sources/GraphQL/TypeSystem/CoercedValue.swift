public import JSON

/// A value after coercion: what arguments hold, what is stored, and what a field completes.
public enum CoercedValue: Sendable {
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

extension CoercedValue: Hashable {
    /// Whether both are the same: text by its bytes.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.string(let left), .string(let right)), (.enumValue(let left), .enumValue(let right)):
            left.isExactly(right)
        case (.list(let left), .list(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes the value, as it is compared.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value ? 1 : 2)
        case .int(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let text):
            hasher.combine(3)
            text.hashBytes(into: &hasher)
        case .enumValue(let text):
            hasher.combine(4)
            text.hashBytes(into: &hasher)
        case .list(let elements): hasher.combine(elements)
        case .object(let fields): hasher.combine(fields)
        }
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
