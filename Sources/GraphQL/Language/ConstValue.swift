/// A value without variables, as a tree that stands alone: what SDL holds in defaults and directives.
public indirect enum ConstValue: Sendable, Hashable {
    case null
    /// The digits, for example `-5`.
    case int(String)
    /// The digits, for example `1.5e3`.
    case float(String)
    case string(String)
    case boolean(Bool)
    case enumValue(String)
    case list([ConstValue])
    case object([ConstObjectField])
}

extension ConstValue {
    /// Whether the value is `null`.
    public var isNull: Bool { self == .null }

    /// The characters of a string, else nil.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The number of an integer that fits, else nil.
    public var intValue: Int? {
        if case .int(let text) = self { Int(text) } else { nil }
    }

    /// The value of a boolean, else nil.
    public var booleanValue: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    /// The name of an enum value, else nil.
    public var enumValue: String? {
        if case .enumValue(let name) = self { name } else { nil }
    }

    /// The name of an enum value or the characters of a string: directives are often written with either.
    public var nameValue: String? { enumValue ?? stringValue }

    /// The elements of a list, else nil.
    public var listValue: [ConstValue]? {
        if case .list(let elements) = self { elements } else { nil }
    }

    /// The elements of a list; another value is a list of itself, as input coercion has it (spec §3.11).
    public var listCoercedValue: [ConstValue] { listValue ?? [self] }

    /// The fields of an object, else nil.
    public var objectFields: [ConstObjectField]? {
        if case .object(let fields) = self { fields } else { nil }
    }

    /// The value of an object's field; nil when there is none or the value is no object.
    public subscript(field: String) -> ConstValue? {
        objectFields?.first { $0.name == field }?.value
    }
}

extension ConstValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes an integer.
    public init(integerLiteral value: Int) { self = .int(String(value)) }

    /// Makes a boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// Makes a list.
    public init(arrayLiteral elements: ConstValue...) { self = .list(elements) }

    /// Makes an object, its fields in the order they are written.
    public init(dictionaryLiteral elements: (String, ConstValue)...) {
        self = .object(elements.map { ConstObjectField(name: $0, value: $1) })
    }
}
