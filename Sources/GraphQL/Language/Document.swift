// An executable document (spec §2.2–2.12) in pools of plain structs: no class, no string and no array per node, so
// that parsing is a matter of copying small values. Siblings are neighbours in their pool and a parent holds their
// range; a name is a range of the source's bytes.

/// Operations and fragments, and the pools all their parts live in. A class, so that who keeps it counts once instead of
/// once for each pool.
///
/// Memory safety: `layout` counts the bytes of all pools before they are allocated, and places do not overlap. Only `Nodes`
/// read the memory; they keep the document and check their positions.
@safe public final class Document: Sendable {
    /// The text the document was parsed from.
    public let source: Source
    /// Definitions that belong into a schema; validation refuses them (spec §5.1.1).
    public let nonExecutableDefinitions: [NonExecutableDefinition]
    /// The deepest nesting of selection sets, lists and objects as they are written.
    public let nesting: Int
    /// Bytes of the source and of all pools.
    public let byteCount: Int
    /// All pools one after the other, in one piece of memory. Any thread may read it: `init` alone writes it, before anybody
    /// else has the document, and `deinit` alone frees it.
    private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
    private let places: Places

    /// Where each pool is.
    private struct Places {
        let operations: NodePlace<OperationDefinition>
        let fragments: NodePlace<FragmentDefinition>
        let selections: NodePlace<Selection>
        let arguments: NodePlace<Argument>
        let values: NodePlace<ValueNode>
        let objectFields: NodePlace<ObjectField>
        let directives: NodePlace<Directive>
        let variableDefinitions: NodePlace<VariableDefinition>
        let types: NodePlace<TypeReference>
    }

    /// Copies the pools.
    init(
        source: Source, nonExecutableDefinitions: [NonExecutableDefinition], nesting: Int, pools: borrowing NodePools
    ) {
        self.source = source
        self.nonExecutableDefinitions = nonExecutableDefinitions
        self.nesting = nesting
        var layout = NodeLayout()
        places = Places(
            operations: layout.place(of: pools.operations), fragments: layout.place(of: pools.fragments),
            selections: layout.place(of: pools.selections), arguments: layout.place(of: pools.arguments),
            values: layout.place(of: pools.values), objectFields: layout.place(of: pools.objectFields),
            directives: layout.place(of: pools.directives),
            variableDefinitions: layout.place(of: pools.variableDefinitions), types: layout.place(of: pools.types))
        byteCount = source.bytes.count + layout.byteCount
        unsafe memory = .allocate(byteCount: layout.byteCount, alignment: NodeLayout.alignment)
        unsafe pools.operations.copy(to: memory, at: places.operations)
        unsafe pools.fragments.copy(to: memory, at: places.fragments)
        unsafe pools.selections.copy(to: memory, at: places.selections)
        unsafe pools.arguments.copy(to: memory, at: places.arguments)
        unsafe pools.values.copy(to: memory, at: places.values)
        unsafe pools.objectFields.copy(to: memory, at: places.objectFields)
        unsafe pools.directives.copy(to: memory, at: places.directives)
        unsafe pools.variableDefinitions.copy(to: memory, at: places.variableDefinitions)
        unsafe pools.types.copy(to: memory, at: places.types)
    }

    deinit { unsafe memory.deallocate() }

    /// The operations in the order of the text.
    public var operations: Nodes<OperationDefinition> { nodes(places.operations) }
    /// The fragments in the order of the text.
    public var fragments: Nodes<FragmentDefinition> { nodes(places.fragments) }
    /// The pool of selections.
    public var selections: Nodes<Selection> { nodes(places.selections) }
    /// The pool of arguments.
    public var arguments: Nodes<Argument> { nodes(places.arguments) }
    /// The pool of list elements; other values stand where they are used.
    public var values: Nodes<ValueNode> { nodes(places.values) }
    /// The pool of input object fields.
    public var objectFields: Nodes<ObjectField> { nodes(places.objectFields) }
    /// The pool of directives.
    public var directives: Nodes<Directive> { nodes(places.directives) }
    /// The pool of variable definitions.
    public var variableDefinitions: Nodes<VariableDefinition> { nodes(places.variableDefinitions) }
    /// The pool of type references; a wrapper points to what it wraps.
    public var types: Nodes<TypeReference> { nodes(places.types) }

    @inline(__always) private func nodes<Node>(_ place: NodePlace<Node>) -> Nodes<Node> {
        unsafe Nodes(of: self, base: place.base(in: memory), count: Int(place.count))
    }
}
