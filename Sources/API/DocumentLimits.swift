import GraphQL

/// How much a document may ask for, whatever it selects: counts of its parts, and how deep its selections nest.
///
/// Tokens and nesting are bounded by the parser; these bounds come after validation, when fragments have no cycles.
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

    /// AppSync's `queryDepthLimit`: levels of nested selections, introspection included (appsync-protocol §1.6).
    private func depthRefusal(of operation: OperationDefinition) -> GraphQLError? {
        guard limits.queryDepthLimit > 0 else { return nil }
        var depths: [UInt32: Int] = [:]
        let depth = depth(of: operation.selectionSet, &depths)
        guard depth > limits.queryDepthLimit else { return nil }
        return GraphQLError(
            "Query depth limit exceeded: depth \(depth) is greater than the limit \(limits.queryDepthLimit).",
            errorType: "QueryDepthLimitReached")
    }

    /// Levels of fields below a set; a fragment's are counted once and kept by its place.
    private func depth(of set: NodeRange<Selection>, _ depths: inout [UInt32: Int]) -> Int {
        var deepest = 0
        for selection in document[set] {
            switch selection {
            case .field(let field): deepest = max(deepest, 1 + depth(of: field.selectionSet ?? .none, &depths))
            case .inlineFragment(let fragment): deepest = max(deepest, depth(of: fragment.selectionSet, &depths))
            case .fragmentSpread(let spread):
                guard let fragment = document.fragment(named: spread.name) else { continue }
                if let known = depths[fragment.offset] {
                    deepest = max(deepest, known)
                } else {
                    let found = depth(of: fragment.selectionSet, &depths)
                    depths[fragment.offset] = found
                    deepest = max(deepest, found)
                }
            }
        }
        return deepest
    }
}
