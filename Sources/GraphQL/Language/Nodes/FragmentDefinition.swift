/// A fragment (spec §2.8).
public struct FragmentDefinition: Sendable, BitwiseCopyable {
    /// Its name.
    public var name: Name
    /// The type after `on`.
    public var typeCondition: Name
    /// Its directives.
    public var directives: NodeRange<Directive>
    /// What it selects.
    public var selectionSet: NodeRange<Selection>
    /// Where it begins.
    public var offset: UInt32
}
