/// The root fields of a document's fragments, gathered once for all its subscriptions.
struct FragmentRootFields {
    /// Per fragment, what it holds itself.
    private var fields: [RootFields] = []
    /// Per fragment, the keys of all it reaches, and some field of introspection where it reaches one.
    private var reached: [RootFields] = []

    init(of type: TypeID, in validator: inout Validator) {
        let document = validator.document
        fields = document.fragments.map { fragment in
            var fields = RootFields()
            if validator.applies(fragment.typeCondition, to: type) {
                fields.gather(fragment.selectionSet, of: type, in: &validator)
            }
            return fields
        }
        reached = fields
        for component in FragmentGraph(edges: fields.map(\.spreads)).components {
            var union = RootFields()
            for fragment in component { union.formUnion(all(fields[fragment], in: document), in: document) }
            for fragment in component { reached[fragment] = union }
        }
    }

    /// The keys of a set and of all that it spreads.
    func all(_ fields: RootFields, in document: Document) -> RootFields {
        var union = fields
        for fragment in fields.spreads { union.formUnion(reached[fragment], in: document) }
        return union
    }

    /// The first field of introspection in the order in which fragments are spread, each once.
    func introspection(in set: RootFields, _ visited: inout BitSet) -> Field? {
        for fragment in set.spreads.prefix(set.leadingSpreads)
        where reached[fragment].introspection != nil && visited.insert(fragment) {
            if let field = introspection(in: fields[fragment], &visited) { return field }
        }
        return set.introspection
    }
}
