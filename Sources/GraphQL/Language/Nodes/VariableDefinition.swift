/// A variable and its type (spec §2.10).
public struct VariableDefinition: Sendable, BitwiseCopyable {
    /// The name without `$`.
    public var name: Name
    /// The type, in the pool of types.
    public var type: TypeReference.Index
    /// The default, if it has one; free of variables.
    public var defaultValue: ValueNode?
    /// Its directives.
    public var directives: NodeRange<Directive>
    /// Where its `$` stands.
    public var offset: UInt32
}
