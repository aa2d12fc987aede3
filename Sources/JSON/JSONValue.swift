/// One JSON value as RFC 8259 knows it.
///
/// A number keeps its text: whether `5.0` is an `Int` and what `1e400` means is decided by who reads it, not here.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// The number's text, letter by letter as it was read, for example `-1.50e3`.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue: Hashable {
    /// Whether both are the same: strings and numbers by their bytes.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)), (.string(let left), .string(let right)): left.isExactly(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }

    /// Hashes the value, as it is compared.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value ? 1 : 2)
        case .number(let text):
            hasher.combine(3)
            text.hashBytes(into: &hasher)
        case .string(let text):
            hasher.combine(4)
            text.hashBytes(into: &hasher)
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }
}

extension JSONValue {
    /// Whether the value is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value of a boolean, else nil.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The value of a number that is an integer in 64 bits by its text (`5`, not `5.0`), else nil.
    public var intValue: Int64? {
        if case .number(let text) = self { Int64(text) } else { nil }
    }

    /// The nearest double of a number, else nil; also nil when the number is too large to be finite.
    public var doubleValue: Double? {
        if case .number(let text) = self, let value = Double(text), value.isFinite { value } else { nil }
    }

    /// The characters of a string, else nil.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements of an array, else nil.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object, else nil.
    public var objectValue: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The member of an object by its name; nil when there is none or the value is no object.
    public subscript(key: String) -> JSONValue? { objectValue?[key] }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Makes a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Makes a number from its digits.
    public init(integerLiteral value: Int64) { self = .number(String(value)) }

    /// Makes a number from the shortest text that reads back as the same double.
    public init(floatLiteral value: Double) { self = .number(value.description) }

    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Makes an object; of equal keys the last wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON text without any space.
    public var description: String {
        var writer = JSONWriter(capacity: 256)
        writer.write(self)
        return unsafe writer.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
