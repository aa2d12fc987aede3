import GraphQL

/// How much a document may ask for, whatever it selects: counts of its parts, and how deep its selections nest.
///
/// Tokens, and the nesting of each definition, are bounded by the parser; these bounds come after validation, when
/// fragments have no cycles.
struct DocumentLimits {
    let document: Document
    let limits: APILimits

    /// The first bound that an operation passes, as the error that refuses it.
    func refusal(of operation: OperationDefinition) -> GraphQLError? {
        countRefusal ?? depthRefusal(of: operation)
    }

    private var countRefusal: GraphQLError? {
        var fieldCount = 0
        var aliasCount = 0
        for case .field(let field) in document.selections {
            fieldCount += 1
            if field.alias != nil { aliasCount += 1 }
        }
        return exceeded("fields", fieldCount, limits.documentFieldsMax)
            ?? exceeded("aliases", aliasCount, limits.documentAliasesMax)
            ?? exceeded("directives", document.directives.count, limits.documentDirectivesMax)
            ?? exceeded("fragments", document.fragments.count, limits.documentFragmentsMax)
    }

    private func exceeded(_ parts: String, _ count: Int, _ most: Int) -> GraphQLError? {
        guard count > most else { return nil }
        return GraphQLError(
            "Document limit exceeded: \(count) \(parts) are more than the limit of \(most).",
            errorType: "DocumentLimitReached")
    }

    /// How deep the operation's fields nest, those of fragments where they are spread. Planner and completion recurse as
    /// deep. A document without fragments has passed the parser's bound already.
    ///
    /// AppSync's `queryDepthLimit`: levels of nested selections, introspection included.
    private func depthRefusal(of operation: OperationDefinition) -> GraphQLError? {
        guard limits.queryDepthLimit > 0 || !document.fragments.isEmpty else { return nil }
        var depths: [UInt32: Int] = [:]
        guard let depth = depth(of: operation.selectionSet, within: limits.documentDepthMax, &depths) else {
            return GraphQLError(
                "Document limit exceeded: fields nest deeper than the limit of \(limits.documentDepthMax) levels.",
                errorType: "DocumentLimitReached")
        }
        guard limits.queryDepthLimit > 0, depth > limits.queryDepthLimit else { return nil }
        return GraphQLError(
            "Query depth limit exceeded: depth \(depth) is greater than the limit \(limits.queryDepthLimit).",
            errorType: "QueryDepthLimitReached")
    }

    /// Levels of fields in a set, or nil if they are more than so many, past which this does not recurse; a fragment's
    /// are counted once and kept by its place.
    private func depth(
        of set: NodeRange<Selection>, within levelsMax: Int, _ depths: inout [UInt32: Int]
    ) -> Int? {
        var deepest = 0
        for selection in document[set] {
            let found: Int?
            switch selection {
            case .field(let field):
                guard levelsMax > 0 else { return nil }
                found = depth(of: field.selectionSet ?? .none, within: levelsMax - 1, &depths).map { $0 + 1 }
            case .inlineFragment(let fragment):
                found = depth(of: fragment.selectionSet, within: levelsMax, &depths)
            case .fragmentSpread(let spread):
                guard let fragment = document.fragment(named: spread.name) else { continue }
                found = depths[fragment.offset] ?? depth(of: fragment.selectionSet, within: levelsMax, &depths)
                depths[fragment.offset] = found
            }
            guard let found, found <= levelsMax else { return nil }
            deepest = max(deepest, found)
        }
        return deepest
    }
}
