/// A comparison, by the name it has in filter inputs.
public enum Comparison: String, Sendable, Hashable, CaseIterable {
    /// Equal.
    case eq
    /// Not equal, which includes a missing attribute and one of another type.
    case ne
    /// Less or equal.
    case le
    /// Less.
    case lt
    /// Greater or equal.
    case ge
    /// Greater.
    case gt
}
