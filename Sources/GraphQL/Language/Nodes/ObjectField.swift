/// A field of an input object (spec §2.9.8).
public struct ObjectField: Sendable, BitwiseCopyable {
    /// Its name.
    public var name: Name
    /// Its value.
    public var value: ValueNode

    /// Where it begins.
    @inlinable public var offset: UInt32 { name.start }
}
