import JSON

/// A field that is present in a coerced object.
public struct CoercedField: Sendable {
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

extension CoercedField: Hashable {
    /// Whether both have the same name, by its bytes, and the same value.
    public static func == (left: Self, right: Self) -> Bool {
        left.name.isExactly(right.name) && left.value == right.value
    }

    /// Hashes name and value.
    public func hash(into hasher: inout Hasher) {
        name.hashBytes(into: &hasher)
        hasher.combine(value)
    }
}
