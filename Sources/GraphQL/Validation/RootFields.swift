/// What a selection set puts at the root of a subscription, inline fragments opened. Spec §5.2.3.1 needs of it only
/// whether there are two response keys, and the first introspection field.
struct RootFields {
    /// The first response key; `nil` where there is no field.
    private(set) var key: Name?
    /// Whether there is a second.
    private(set) var hasFurtherKey = false
    /// The first field of introspection.
    private(set) var introspection: Field?
    /// The fragments that are spread, each once, in the order of the text.
    private(set) var spreads: [Int] = []
    /// How many of them come before the field of introspection.
    private(set) var leadingSpreads = 0

    private var spreadSet = BitSet()

    /// Adds the fields of a selection set.
    mutating func gather(_ selections: NodeRange<Selection>, of type: TypeID, in validator: inout Validator) {
        let document = validator.document
        for selection in document[selections] {
            validator.visits += 1
            switch selection {
            case .field(let field):
                add(field.responseKey, in: document)
                if introspection == nil, document.isIntrospection(field.name) {
                    introspection = field
                }
            case .inlineFragment(let fragment):
                if validator.applies(fragment.typeCondition, to: type) {
                    gather(fragment.selectionSet, of: type, in: &validator)
                }
            case .fragmentSpread(let spread):
                guard let position = validator.position(of: spread.name),
                    spreadSet.insert(position)
                else { continue }
                spreads.append(position)
                if introspection == nil { leadingSpreads += 1 }
            }
        }
    }

    fileprivate mutating func add(_ key: Name, in document: Document) {
        guard let first = self.key else { return self.key = key }
        if !hasFurtherKey { hasFurtherKey = !document.areEqual(first, key) }
    }

    /// Adds the keys of what is spread, and whether introspection is among them.
    mutating func formUnion(_ other: RootFields, in document: Document) {
        if let key = other.key { add(key, in: document) }
        hasFurtherKey = hasFurtherKey || other.hasFurtherKey
        introspection = introspection ?? other.introspection
    }
}

extension Validator {
    // Spec §5.2.3.1 Single Root Field.
    mutating func validateSingleRootField(of operation: OperationDefinition) {
        guard Difference.subscriptionWithManyFields.isRefused, !isFull, let type = schema.subscriptionType else {
            return
        }
        guard !isSingleField(operation.selectionSet) else { return }
        let fragments = fragmentRootFields ?? FragmentRootFields(of: type, in: &self)
        fragmentRootFields = fragments
        var fields = RootFields()
        fields.gather(operation.selectionSet, of: type, in: &self)
        let all = fragments.all(fields, in: document)
        let name = operation.name.map(document.name) ?? "null"
        if all.hasFurtherKey { report(.subscriptionMultipleRootFields(name), at: operation.offset) }
        var visited = BitSet()
        if all.introspection != nil, let field = fragments.introspection(in: fields, &visited) {
            report(.subscriptionIntrospectionRootField(name, field: document.name(field.name)), at: field.offset)
        }
    }

    /// What nearly every subscription has: one field, which is none of introspection.
    private func isSingleField(_ selections: NodeRange<Selection>) -> Bool {
        guard selections.count == 1, case .field(let field) = document.selections[selections.indices.lowerBound] else {
            return false
        }
        return !document.isIntrospection(field.name)
    }

    func applies(_ condition: Name?, to type: TypeID) -> Bool {
        guard let condition else { return true }
        return index.type(named: condition, in: document).map { schema.isPossible(type, of: $0) } ?? false
    }
}

extension Document {
    /// Whether a name is one of those that introspection has for itself. Spec §4.3 Reserved Names.
    fileprivate func isIntrospection(_ name: Name) -> Bool { bytes(of: name).starts(with: "__".utf8) }
}
