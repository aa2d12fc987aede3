/// What a fragment uses, for the operations that spread it.
struct FragmentUses {
    /// The variables in it, each with its kind and the path from the fragment's name on.
    var variables: [(use: VariableUse, kind: Int, path: [String])] = []
    /// The fragments it spreads, each where it does so first.
    var spreads: [(fragment: Int, path: [String])] = []
    /// The kinds of its uses, and once all fragments are walked those of the fragments it reaches.
    var kinds = BitSet()

    private var spreadSet = BitSet()

    mutating func noteSpread(of fragment: Int, at path: [String]) {
        if spreadSet.insert(fragment) { spreads.append((fragment, path)) }
    }
}

/// Spec §5.5 Fragments.
extension Validator {
    mutating func validateFragment(at position: Int) {
        let fragment = document.fragments[position]
        path = [document.name(fragment.name)]
        currentFragment = position
        if fragmentPositions[path[0]] != position, Difference.duplicateName.isRefused {
            report(.duplicateFragmentName(path[0]), at: [fragment.name.start], path: [])
        }
        if fragmentGraph.isCyclic[position] { report(.fragmentCycle, at: []) }
        let type = validateTypeCondition(fragment.typeCondition) {
            $0.report(.fragmentTypeConditionInvalid, at: fragment.offset)
        }
        validate(fragment.directives, at: .fragmentDefinition, node: "FragmentDefinition")
        validateSelectionSet(fragment.selectionSet, of: type)
        currentFragment = nil
    }

    mutating func validate(_ fragment: InlineFragment, of parent: TypeID?) {
        var type = parent
        if let condition = fragment.typeCondition {
            type = validateTypeCondition(condition) {
                $0.report(.inlineFragmentTypeConditionInvalid, at: fragment.offset)
            }
            // Spec §5.5.2.3 Fragment Spread Is Possible.
            if let type, let parent, !schema.overlap(type, parent) {
                report(
                    .impossibleInlineFragment(type: schema[type].name, parent: schema[parent].name),
                    at: fragment.offset)
            }
        }
        validate(fragment.directives, at: .inlineFragment, node: "InlineFragment")
        validate(fragment.selectionSet, of: type)
    }

    mutating func validate(_ spread: FragmentSpread, of parent: TypeID?) {
        let name = document.name(spread.name)
        let position = fragmentPositions[name]
        if let position {
            validate(spread, name, isPossibleOn: parent, fragment: document.fragments[position])
        } else {
            // Spec §5.5.2.1 Fragment Spread Target Defined.
            report(.undefinedFragment(name), at: spread.offset)
        }
        validate(spread.directives, at: .fragmentSpread, node: "FragmentSpread")
        guard let position else { return }
        if let currentFragment {
            fragmentUses[currentFragment].noteSpread(of: position, at: path)
        } else {
            validateVariables(of: position, spreadAt: path)
        }
    }

    private mutating func validate(
        _ spread: FragmentSpread, _ name: String, isPossibleOn parent: TypeID?, fragment: FragmentDefinition
    ) {
        guard let parent, let type = schema.type(named: document.name(fragment.typeCondition)),
            schema[type].isComposite, !schema.overlap(type, parent)
        else { return }
        report(.impossibleFragment(name, type: schema[type].name, parent: schema[parent].name), at: spread.offset)
    }

    // Spec §5.5.1.2 Fragment Spread Type Existence, §5.5.1.3 Fragments on Composite Types.
    private mutating func validateTypeCondition(_ name: Name, invalid: (inout Validator) -> Void) -> TypeID? {
        guard let type = schema.type(named: document.name(name)) else {
            // AppSync: the condition's name has no location.
            report(.unknownType(document.name(name)), at: [])
            return nil
        }
        guard schema[type].isComposite else {
            invalid(&self)
            return nil
        }
        return type
    }

    // Spec §5.5.1.4 Fragments Must Be Used: by an operation, directly or not.
    mutating func reportUnusedFragments() {
        var used: Set<Int> = []
        for operation in document.operations { markSpreads(in: operation.selectionSet, &used) }
        for (position, fragment) in document.fragments.enumerated() {
            let first = fragmentPositions[document.name(fragment.name)]
            // Of two fragments of one name the second is refused already.
            guard first == position, !used.contains(position) else { continue }
            report(.unusedFragment(document.name(fragment.name)), at: [fragment.offset], path: [])
        }
    }

    private func markSpreads(in selections: NodeRange<Selection>, _ used: inout Set<Int>) {
        var open = [selections]
        while let selections = open.popLast() {
            for position in directSpreads(in: selections) where used.insert(position).inserted {
                open.append(document.fragments[position].selectionSet)
            }
        }
    }

    /// The fragments that are spread anywhere inside a selection set, without following them.
    func directSpreads(in selections: NodeRange<Selection>) -> [Int] {
        var spreads: [Int] = []
        var open = [selections]
        while let selections = open.popLast() {
            for selection in document[selections] {
                switch selection {
                case .field(let field): if let set = field.selectionSet { open.append(set) }
                case .inlineFragment(let fragment): open.append(fragment.selectionSet)
                case .fragmentSpread(let spread):
                    if let position = fragmentPositions[document.name(spread.name)] { spreads.append(position) }
                }
            }
        }
        return spreads
    }
}
