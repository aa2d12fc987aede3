/// A field (spec §2.5).
public struct Field: Sendable, BitwiseCopyable {
    /// The name before the colon, if there is one.
    public var alias: Name?
    /// The field's name.
    public var name: Name
    /// Its arguments.
    public var arguments: NodeRange<Argument>
    /// Its directives.
    public var directives: NodeRange<Directive>
    /// What it selects of its value; nil when no braces stand there.
    public var selectionSet: NodeRange<Selection>?

    /// The key of its value in the response (spec §2.7).
    @inlinable public var responseKey: Name { alias ?? name }

    /// Where it begins.
    @inlinable public var offset: UInt32 { responseKey.start }
}
