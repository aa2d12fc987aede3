/// A variable where a value is asked for.
struct VariableUse {
    var name: Name
    /// The type of the place; `nil` where it has none.
    var type: GraphQLType?
    /// Whether the place has a default, so that an absent variable does no harm.
    var hasDefault: Bool
    var offset: UInt32
}

/// The uses in fragments by what decides whether an operation allows them, so that it tests each kind once however
/// often it occurs.
struct VariableUseKinds {
    private struct Kind: Hashable {
        var name: String
        var type: GraphQLType?
        var hasDefault: Bool
    }

    /// One use of each kind.
    private(set) var examples: [VariableUse] = []
    private var positions: [Kind: Int] = [:]

    /// The position of a use's kind in `examples`.
    mutating func position(of use: VariableUse, in document: Document) -> Int {
        let kind = Kind(name: document.name(use.name), type: use.type, hasDefault: use.hasDefault)
        if let position = positions[kind] { return position }
        positions[kind] = examples.count
        examples.append(use)
        return examples.count - 1
    }
}

/// The variables of an operation while it is walked.
struct VariableScope {
    struct Variable {
        var name: String
        /// `nil` of an unknown type.
        var type: GraphQLType?
        /// A default other than null.
        var hasDefault: Bool
        var isUsed = false
    }

    var variables: [Variable]
    let positions: [String: Int]
    /// The kinds of uses in fragments that have been tested against this scope, and those it does not allow.
    var testedKinds = BitSet()
    var refusedKinds = BitSet()
    /// The fragments whose refused uses have been reported.
    var visitedFragments = BitSet()

    init(_ definitions: Nodes<VariableDefinition>, in document: Document, schema: Schema) {
        variables = definitions.map { definition in
            let hasDefault =
                if case .null? = definition.defaultValue?.kind { false } else { definition.defaultValue != nil }
            return Variable(
                name: document.name(definition.name), type: schema.type(document.typeNode(of: definition.type)),
                hasDefault: hasDefault)
        }
        positions = Dictionary(zip(variables.map(\.name), variables.indices), uniquingKeysWith: { first, _ in first })
    }
}

/// Spec §5.8 Variables.
extension Validator {
    mutating func validateVariableDefinitions(of operation: OperationDefinition) {
        let definitions = document[operation.variableDefinitions]
        for definition in definitions { validate(definition) }
        // Spec §5.8.1 Variable Uniqueness.
        guard Difference.duplicateName.isRefused, let scope, scope.positions.count < definitions.count else { return }
        var seen: Set<String> = []
        for definition in definitions where !seen.insert(document.name(definition.name)).inserted {
            report(.duplicateVariableName(document.name(definition.name)), at: definition.offset)
        }
    }

    // Spec §5.8.2 Variables Are Input Types; §5.6.1 for the default.
    private mutating func validate(_ definition: VariableDefinition) {
        let node = document.typeNode(of: definition.type)
        if let type = schema.type(node) {
            if !schema[type.namedType].isInput {
                report(.nonInputTypeOnVariable, at: definition.offset)
            } else if let value = definition.defaultValue {
                if type.isNonNull, Difference.defaultOfNonNullVariable.isRefused {
                    report(.defaultForNonNullArgument, at: definition.offset)
                }
                if problem(with: value, as: type) != nil {
                    report(
                        .badValueForDefaultArgument(value: rendered(value), type: node.description),
                        at: definition.offset)
                }
            }
        } else {
            report(.unknownType(node.namedType), at: document.typeName(of: definition.type).start)
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
        let name = document.name(use.name)
        guard let position = scope?.positions[name] else { return .undefinedVariable(name) }
        scope?.variables[position].isUsed = true
        guard let variable = scope?.variables[position], let type = variable.type, let expected = use.type,
            !isAllowed(type, hasDefault: variable.hasDefault, at: expected, use)
        else { return nil }
        return .variableTypeMismatch(type: schema.name(of: type), expected: schema.name(of: expected))
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
    mutating func validateVariables(of fragment: Int, spreadAt path: [String]) {
        guard !isFull, let tested = scope?.testedKinds else { return }
        for kind in fragmentUses[fragment].kinds.subtracting(tested) {
            scope?.testedKinds.insert(kind)
            if violation(of: useKinds.examples[kind]) != nil { scope?.refusedKinds.insert(kind) }
        }
        guard let refused = scope?.refusedKinds, fragmentUses[fragment].kinds.overlaps(refused) else { return }
        var trail = [path]
        reportVariables(of: fragment, refused, &trail)
    }

    /// - Parameter trail: The path in pieces, put together only for an error.
    private mutating func reportVariables(of fragment: Int, _ refused: BitSet, _ trail: inout [[String]]) {
        guard !isFull, scope?.visitedFragments.insert(fragment) == true else { return }
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
    mutating func reportUnusedVariables(of operation: OperationDefinition) {
        guard let scope else { return }
        for (position, definition) in document[operation.variableDefinitions].enumerated()
        where !scope.variables[scope.positions[scope.variables[position].name] ?? position].isUsed {
            report(.unusedVariable(scope.variables[position].name), at: [definition.offset], path: [])
        }
    }

    /// Spec §5.8.5 IsVariableUsageAllowed.
    private func isAllowed(
        _ type: GraphQLType, hasDefault: Bool, at expected: GraphQLType, _ use: VariableUse
    ) -> Bool {
        if case .nonNull(let nullable) = expected, !type.isNonNull {
            return (hasDefault || use.hasDefault) && areCompatible(type, nullable)
        }
        return areCompatible(type, expected)
    }

    /// Spec §5.8.5 AreTypesCompatible.
    private func areCompatible(_ type: GraphQLType, _ expected: GraphQLType) -> Bool {
        switch (type, expected) {
        case (.nonNull(let type), .nonNull(let expected)): areCompatible(type, expected)
        case (_, .nonNull): false
        case (.nonNull(let type), _): areCompatible(type, expected)
        case (.list(let type), .list(let expected)): areCompatible(type, expected)
        case (.named(let type), .named(let expected)): type == expected
        default: false
        }
    }
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
