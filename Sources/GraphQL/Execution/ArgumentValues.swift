/// The arguments of one field: what is present, in the order of the field's definition.
public struct ArgumentValues: Sendable, Hashable {
    /// The arguments that are present; null is present too.
    public internal(set) var fields: [CoercedField]

    /// Arguments by their parts.
    public init(_ fields: [CoercedField] = []) { self.fields = fields }

    /// The value of an argument; `nil` where it is absent.
    public subscript(name: String) -> CoercedValue? { fields.first { $0.name == name }?.value }
}
