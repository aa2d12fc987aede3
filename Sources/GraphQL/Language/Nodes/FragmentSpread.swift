/// `...Name` (spec §2.8).
public struct FragmentSpread: Sendable, BitwiseCopyable {
    /// The fragment's name.
    public var name: Name
    /// Its directives.
    public var directives: NodeRange<Directive>
    /// Where its dots stand.
    public var offset: UInt32
}
