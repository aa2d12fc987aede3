public import GraphQL

/// The value a field has when create is given none (reference: transformer, "@default, @mapsTo and @refersTo").
public struct DefaultValue: Sendable, Hashable {
    /// The field's name.
    public var field: String
    /// The value as the field's type has it: a number, a truth value, text or an enum's name.
    public var value: CoercedValue

    /// A field with its value.
    public init(field: String, value: CoercedValue) {
        self.field = field
        self.value = value
    }
}
