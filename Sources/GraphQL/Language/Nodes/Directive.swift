/// A directive (spec §2.12).
public struct Directive: Sendable, BitwiseCopyable {
    /// Its name without `@`.
    public var name: Name
    /// Its arguments.
    public var arguments: NodeRange<Argument>
    /// Where its `@` stands.
    public var offset: UInt32
}
