/// What one `@skip` or `@include` with a variable asks for.
public struct Condition: Sendable, Hashable {
    /// The variable's position.
    public let variable: Int
    /// `true` of `@include`, `false` of `@skip`.
    public let value: Bool

    func holds(_ variables: VariableValues) -> Bool { (variables[variable] == .bool(true)) == value }
}
