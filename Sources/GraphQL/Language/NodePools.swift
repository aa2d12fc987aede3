/// The pools of a document while it is parsed.
struct NodePools: ~Copyable {
    var operations: Pool<OperationDefinition>
    var fragments: Pool<FragmentDefinition>
    var selections: Pool<Selection>
    var arguments: Pool<Argument>
    var values: Pool<ValueNode>
    var objectFields: Pool<ObjectField>
    var directives: Pool<Directive>
    var variableDefinitions: Pool<VariableDefinition>
    var types: Pool<TypeReference>

    init(in memory: inout PoolMemory) {
        operations = Pool(countAtFirst: 1, in: &memory)
        fragments = Pool(countAtFirst: 4, in: &memory)
        selections = Pool(countAtFirst: 24, in: &memory)
        arguments = Pool(in: &memory)
        values = Pool(in: &memory)
        objectFields = Pool(countAtFirst: 12, in: &memory)
        directives = Pool(countAtFirst: 4, in: &memory)
        variableDefinitions = Pool(countAtFirst: 4, in: &memory)
        types = Pool(in: &memory)
    }
}
