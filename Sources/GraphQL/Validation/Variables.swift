/// Spec §5.8 Variables.
extension Validator {
    mutating func validateVariableDefinitions(of operation: OperationDefinition) {
        let definitions = document[operation.variableDefinitions]
        for (position, definition) in definitions.enumerated() {
            validate(definition, of: scope.variables[position].namedType)
        }
        // Spec §5.8.1 Variable Uniqueness.
        guard Difference.duplicateName.isRefused else { return }
        let repeated = document.repeated(definitions.lazy.map { $0.name })
        guard !repeated.isEmpty else { return }
        for (position, definition) in definitions.enumerated() where repeated.contains(position) {
            report(.duplicateVariableName(document.name(definition.name)), at: definition.offset)
        }
    }

    // Spec §5.8.2 Variables Are Input Types; §5.6.1 for the default.
    private mutating func validate(_ definition: VariableDefinition, of type: TypeID?) {
        if let type {
            if !index[type].isInput {
                report(.nonInputTypeOnVariable, at: definition.offset)
            } else if let value = definition.defaultValue {
                if isNonNull(definition.type), Difference.defaultOfNonNullVariable.isRefused {
                    report(.defaultForNonNullArgument, at: definition.offset)
                }
                if problem(with: value, asDeclared: definition.type, of: type) != nil {
                    report(
                        .badValueForDefaultArgument(value: document.rendered(value), type: text(of: definition.type)),
                        at: definition.offset)
                }
            }
        } else {
            let name = document.typeName(of: definition.type)
            report(.unknownType(document.name(name)), at: name.start)
        }
        // A default holds no variables, but objects whose fields have to differ.
        if let value = definition.defaultValue {
            visit(value, as: nil, hasDefault: false)
        }
        validate(definition.directives, at: .variableDefinition, node: "VariableDefinition")
    }

    /// A variable is met: tested in an operation, kept in a fragment for the operations that spread it.
    mutating func note(_ use: VariableUse) {
        if let currentFragment {
            let kind = useKinds.position(of: use, in: document)
            fragmentUses[currentFragment].variables.append((use, kind, path))
            fragmentUses[currentFragment].kinds.insert(kind)
        } else if let violation = violation(of: use) {
            report(violation, at: use.offset)
        }
    }

    // Spec §5.8.3 All Variable Uses Defined, §5.8.5 All Variable Usages Are Allowed.
    private mutating func violation(of use: VariableUse) -> Violation? {
        visits += 1
        guard let position = scope.position(of: use.name, in: document) else {
            return .undefinedVariable(document.name(use.name))
        }
        scope.variables[position].isUsed = true
        let variable = scope.variables[position]
        guard let type = variable.namedType, let expected = use.type, !isAllowed(variable, of: type, at: expected, use)
        else { return nil }
        return .variableTypeMismatch(type: text(of: variable.type), expected: schema.name(of: index.type(expected)))
    }

    /// Hands the kinds of uses from fragment to fragment, to those that spread them.
    mutating func spreadUseKinds() {
        for component in fragmentGraph.components {
            var kinds = BitSet()
            for fragment in component {
                kinds.formUnion(fragmentUses[fragment].kinds)
                for next in fragmentGraph.edges[fragment] { kinds.formUnion(fragmentUses[next].kinds) }
            }
            for fragment in component { fragmentUses[fragment].kinds = kinds }
        }
    }

    /// The variables of a fragment and of those it spreads. They are walked only where one is refused: operations times
    /// uses may be millions, operations with an error are at most `Validate.errorsMax`.
    mutating func validateVariables(of fragment: Int, spreadAt path: [Name]) {
        guard !isFull, !fragmentUses[fragment].kinds.isEmpty else { return }
        for kind in fragmentUses[fragment].kinds.subtracting(scope.testedKinds) {
            scope.testedKinds.insert(kind)
            if violation(of: useKinds.examples[kind]) != nil { scope.refusedKinds.insert(kind) }
        }
        guard fragmentUses[fragment].kinds.overlaps(scope.refusedKinds) else { return }
        var trail = [path]
        reportVariables(of: fragment, scope.refusedKinds, &trail)
    }

    /// - Parameter trail: The path in pieces, put together only for an error.
    private mutating func reportVariables(of fragment: Int, _ refused: BitSet, _ trail: inout [[Name]]) {
        guard !isFull, scope.visitedFragments.insert(fragment) else { return }
        visits += 1
        let uses = fragmentUses[fragment]
        for position in uses.variables.indices where !isFull && refused.contains(uses.variables[position].kind) {
            let (use, _, inner) = uses.variables[position]
            guard let violation = violation(of: use) else { continue }
            report(violation, at: [use.offset], path: trail.joined() + inner)
        }
        for (next, inner) in uses.spreads where fragmentUses[next].kinds.overlaps(refused) {
            trail.append(inner)
            reportVariables(of: next, refused, &trail)
            trail.removeLast()
        }
    }

    // Spec §5.8.4 All Variables Used.
    mutating func reportUnusedVariables() {
        for position in scope.variables.indices where !scope.variables[position].isUsed {
            // Of two of one name the first counts the uses, and the second is refused already.
            let name = scope.variables[position].name
            let first = scope.position(of: name, in: document) ?? position
            guard !scope.variables[first].isUsed else { continue }
            report(.unusedVariable(document.name(name)), at: [scope.variables[position].offset], path: [])
        }
    }

    /// Spec §5.8.5 IsVariableUsageAllowed.
    private func isAllowed(
        _ variable: VariableScope.Variable, of type: TypeID, at expected: SchemaIndex.TypeReference, _ use: VariableUse
    ) -> Bool {
        if case .nonNull(let nullable) = index[expected], !isNonNull(variable.type) {
            return (variable.hasDefault || use.hasDefault) && areCompatible(variable.type, of: type, nullable)
        }
        return areCompatible(variable.type, of: type, expected)
    }

    /// Spec §5.8.5 AreTypesCompatible.
    private func areCompatible(
        _ type: TypeReference.Index, of named: TypeID, _ expected: SchemaIndex.TypeReference
    ) -> Bool {
        switch (document[type: type], index[expected]) {
        case (.nonNull(let type), .nonNull(let expected)): areCompatible(type, of: named, expected)
        case (_, .nonNull): false
        case (.nonNull(let type), _): areCompatible(type, of: named, expected)
        case (.list(let type, offset: _), .list(let expected)): areCompatible(type, of: named, expected)
        case (.named, .named(let expected)): named == expected
        default: false
        }
    }

    private func isNonNull(_ type: TypeReference.Index) -> Bool {
        if case .nonNull = document[type: type] { true } else { false }
    }

    private func text(of type: TypeReference.Index) -> String { document.typeNode(of: type).description }
}

extension Document {
    /// The name at the bottom of a type.
    func typeName(of index: TypeReference.Index) -> Name {
        switch self[type: index] {
        case .named(let name): name
        case .list(let element, offset: _): typeName(of: element)
        case .nonNull(let nullable): typeName(of: nullable)
        }
    }
}
