import GraphQL

/// How much a document may ask for, whatever it selects: counts of its parts, and how deep its selections nest.
///
/// Tokens and nesting of the text are bounded by the parser. `levels` are counted before validation, the rest after it.
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

    /// AppSync's `queryDepthLimit`: levels of nested selections, introspection included
    /// (reference: appsync-protocol, "Limits").
    private func depthRefusal(of operation: OperationDefinition) -> GraphQLError? {
        guard limits.queryDepthLimit > 0 else { return nil }
        let depth = SelectionDepths(of: document).depth(of: operation).fields
        return Self.depthRefusal(depth, limits.queryDepthLimit)
    }

    /// The error of AppSync's depth limit, for a depth beyond this one.
    static func depthRefusal(_ depth: Int, _ most: Int) -> GraphQLError? {
        guard depth > most else { return nil }
        return GraphQLError(
            "Query depth limit exceeded: depth \(depth) is greater than the limit \(most).",
            errorType: "QueryDepthLimitReached")
    }

    /// Levels of the document's operations and fragments, fragments spread. Where no bound is near, a number that is
    /// large enough will do.
    var levels: Int {
        // No way through the document passes through a definition twice.
        let most = document.nesting * (document.fragments.count + 1)
        let isShallow = most <= min(Plan.shallowLevelsMax, limits.operationDepthMax)
        return isShallow ? most : SelectionDepths(of: document).levelsMax
    }
}
