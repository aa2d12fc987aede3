/// A variable where a value is asked for.
struct VariableUse {
    var name: Name
    /// The type of the place; `nil` where it has none.
    var type: SchemaIndex.TypeReference?
    /// Whether the place has a default, so that an absent variable does no harm.
    var hasDefault: Bool
    var offset: UInt32
}
