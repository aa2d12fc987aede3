/// Which field a selection names on its parent type: one the type declares, or a meta field. Spec §4.1.
public enum FieldReference: Hashable, Sendable, BitwiseCopyable {
    /// The position among the parent type's `fields`.
    case field(Int)
    /// `__typename`.
    case typename
    /// `__schema`, on the query type.
    case schema
    /// `__type(name:)`, on the query type.
    case type
}
