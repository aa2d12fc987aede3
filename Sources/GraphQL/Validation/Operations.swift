/// Spec §5.2 Operations.
extension Validator {
    mutating func validateOperation(at position: Int) {
        let operation = document.operations[position]
        path = []
        currentFragment = nil
        scope = VariableScope(operation.variableDefinitions, in: document, index)
        validateName(of: operation, at: position)
        if operation.type == .subscription { validateSingleRootField(of: operation) }
        validateVariableDefinitions(of: operation)
        validate(operation.directives, at: DirectiveLocation(operation.type), node: "OperationDefinition")
        validateSelectionSet(operation.selectionSet, of: schema.rootType(of: operation.type))
        reportUnusedVariables()
    }

    // Spec §5.2.1.1 Operation Name Uniqueness, §5.2.2.1 Lone Anonymous Operation.
    private mutating func validateName(of operation: OperationDefinition, at position: Int) {
        let earlier = document.operations[..<position]
        guard let name = operation.name else {
            if !earlier.isEmpty { report(.anonymousOperationWithOthers, at: operation.offset) }
            return
        }
        if earlier.contains(where: { $0.name == nil }) {
            report(.operationAfterAnonymous(document.name(name)), at: operation.offset)
        }
        if earlier.contains(where: { $0.name.map { document.areEqual($0, name) } ?? false }) {
            report(.duplicateOperationName(document.name(name)), at: operation.offset)
        }
    }
}
