/// Fields of an object that share a response key. Spec §6.3.2.
public struct CollectedField: Sendable {
    /// The key in the response.
    public let responseKey: String
    /// The object type it was collected on.
    public let parentType: TypeID
    /// Which field of that type it is.
    public let reference: FieldReference
    /// Where it is asked for first; its arguments are everyone's.
    public let node: Field
    /// When it is part of the response.
    public internal(set) var inclusion: Inclusion
    /// What is selected of its value, from all nodes.
    public internal(set) var selectionSets: [ConditionalSelectionSet]
}
