import JSON

/// What a request gives for the variables of an operation, by their positions.
public struct VariableValues: Sendable, Hashable {
    /// `nil` of a variable that was neither given nor has a default.
    public internal(set) var values: [CoercedValue?]

    /// The values of an operation without variables.
    public static let none = VariableValues(values: [])

    /// A value by the variable's position.
    public subscript(position: Int) -> CoercedValue? { values.indices.contains(position) ? values[position] : nil }
}
