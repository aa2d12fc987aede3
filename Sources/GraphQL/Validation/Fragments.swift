/// Spec §5.5 Fragments.
extension Validator {
    mutating func validateFragment(at position: Int) {
        let fragment = document.fragments[position]
        path = [fragment.name]
        currentFragment = position
        if Difference.duplicateName.isRefused, self.position(of: fragment.name) != position {
            report(.duplicateFragmentName(document.name(fragment.name)), at: [fragment.name.start], path: [])
        }
        if fragmentGraph.isCyclic(position) { report(.fragmentCycle, at: []) }
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
        let position = self.position(of: spread.name)
        if let position {
            validate(spread, isPossibleOn: parent, fragment: document.fragments[position])
        } else {
            // Spec §5.5.2.1 Fragment Spread Target Defined.
            report(.undefinedFragment(document.name(spread.name)), at: spread.offset)
        }
        validate(spread.directives, at: .fragmentSpread, node: "FragmentSpread")
        guard let position else { return }
        if let currentFragment {
            fragmentUses[currentFragment].noteSpread(of: position, at: path)
        } else {
            spreadFragments.insert(position)
            validateVariables(of: position, spreadAt: path)
        }
    }

    private mutating func validate(
        _ spread: FragmentSpread, isPossibleOn parent: TypeID?, fragment: FragmentDefinition
    ) {
        guard let parent, let type = index.type(named: fragment.typeCondition, in: document),
            index[type].isComposite, !schema.overlap(type, parent)
        else { return }
        report(
            .impossibleFragment(
                document.name(spread.name), type: schema[type].name, parent: schema[parent].name), at: spread.offset)
    }

    // Spec §5.5.1.2 Fragment Spread Type Existence, §5.5.1.3 Fragments on Composite Types.
    private mutating func validateTypeCondition(_ name: Name, invalid: (inout Validator) -> Void) -> TypeID? {
        guard let type = index.type(named: name, in: document) else {
            // AppSync: the condition's name has no location.
            report(.unknownType(document.name(name)), at: [])
            return nil
        }
        guard index[type].isComposite else {
            invalid(&self)
            return nil
        }
        return type
    }

    // Spec §5.5.1.4 Fragments Must Be Used: by an operation, directly or not.
    mutating func reportUnusedFragments() {
        guard !document.fragments.isEmpty else { return }
        var used = spreadFragments
        var open = used.elements
        while let fragment = open.popLast() {
            for next in fragmentGraph.edges[fragment] where used.insert(next) { open.append(next) }
        }
        for (position, fragment) in document.fragments.enumerated() {
            // Of two fragments of one name the second is refused already.
            guard !used.contains(position), self.position(of: fragment.name) == position else { continue }
            report(.unusedFragment(document.name(fragment.name)), at: [fragment.offset], path: [])
        }
    }

    /// The fragment of this name, by its position in the document; the first of several.
    func position(of fragment: Name) -> Int? { fragmentPositions.position(of: fragment, in: document) }
}
