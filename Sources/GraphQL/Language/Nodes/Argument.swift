/// An argument of a field or a directive (spec §2.6).
public struct Argument: Sendable, BitwiseCopyable {
    /// Its name.
    public var name: Name
    /// Its value.
    public var value: ValueNode

    /// Where it begins.
    @inlinable public var offset: UInt32 { name.start }
}
