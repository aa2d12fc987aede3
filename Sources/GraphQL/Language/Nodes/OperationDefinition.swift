/// An operation (spec §2.3).
public struct OperationDefinition: Sendable, BitwiseCopyable {
    /// What it does; a selection set alone is a query.
    public var type: OperationType
    /// Its name, if it has one.
    public var name: Name?
    /// Its variables.
    public var variableDefinitions: NodeRange<VariableDefinition>
    /// Its directives.
    public var directives: NodeRange<Directive>
    /// What it selects.
    public var selectionSet: NodeRange<Selection>
    /// Where it begins.
    public var offset: UInt32
}
