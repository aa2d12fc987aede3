/// `... on Type { }` (spec §2.8.2).
public struct InlineFragment: Sendable, BitwiseCopyable {
    /// The type after `on`, if it is named.
    public var typeCondition: Name?
    /// Its directives.
    public var directives: NodeRange<Directive>
    /// What it selects.
    public var selectionSet: NodeRange<Selection>
    /// Where its dots stand.
    public var offset: UInt32
}
