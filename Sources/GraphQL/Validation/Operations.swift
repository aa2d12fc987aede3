/// Spec §5.2 Operations.
extension Validator {
    mutating func validateOperation(at position: Int) {
        let operation = document.operations[position]
        path = []
        currentFragment = nil
        scope = VariableScope(document[operation.variableDefinitions], in: document, schema: schema)
        validateName(of: operation, at: position)
        if operation.type == .subscription { validateSingleRootField(of: operation) }
        validateVariableDefinitions(of: operation)
        validate(operation.directives, at: DirectiveLocation(operation.type), node: "OperationDefinition")
        validateSelectionSet(operation.selectionSet, of: schema.rootType(of: operation.type))
        reportUnusedVariables(of: operation)
        scope = nil
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

    // Spec §5.2.3.1 Single Root Field.
    private mutating func validateSingleRootField(of operation: OperationDefinition) {
        guard Difference.subscriptionWithManyFields.isRefused, let type = schema.subscriptionType else { return }
        var fields: [Field] = []
        var visited: Set<Int> = []
        collectRootFields(operation.selectionSet, of: type, into: &fields, visited: &visited)
        var keys: Set<String> = []
        let name = operation.name.map(document.name) ?? "null"
        for field in fields {
            let isFurther = keys.insert(document.name(field.responseKey)).inserted && keys.count > 1
            if isFurther {
                report(.subscriptionMultipleRootFields(name), at: operation.offset)
                break
            }
        }
        if let field = fields.first(where: { document.bytes(of: $0.name).starts(with: "__".utf8) }) {
            report(
                .subscriptionIntrospectionRootField(name, field: document.name(field.name)), at: field.offset)
        }
    }

    private func collectRootFields(
        _ selections: NodeRange<Selection>, of type: TypeID, into fields: inout [Field], visited: inout Set<Int>
    ) {
        for selection in document[selections] {
            switch selection {
            case .field(let field): fields.append(field)
            case .inlineFragment(let fragment):
                guard applies(fragment.typeCondition, to: type) else { continue }
                collectRootFields(fragment.selectionSet, of: type, into: &fields, visited: &visited)
            case .fragmentSpread(let spread):
                guard let position = fragmentPositions[document.name(spread.name)], visited.insert(position).inserted,
                    applies(document.fragments[position].typeCondition, to: type)
                else { continue }
                collectRootFields(
                    document.fragments[position].selectionSet, of: type, into: &fields, visited: &visited)
            }
        }
    }

    private func applies(_ condition: Name?, to type: TypeID) -> Bool {
        guard let condition else { return true }
        return schema.type(named: document.name(condition)).map { schema.isPossible(type, of: $0) } ?? false
    }
}
