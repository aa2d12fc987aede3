import GraphQL
import Tables
import Transformer

/// What became of a document and an operation name.
enum Planning {
    case plan(Plan)
    /// Syntax or validation errors; never cached.
    case refused([GraphQLError])
    /// No operation could be chosen: HTTP 400 (reference: appsync-protocol, "Status codes and error bodies").
    case badRequest(AnswerKind, GraphQLError)
    /// The policy of a signed request allows none of the root fields: HTTP 401
    /// (reference: authorization, "Signed requests").
    case forbidden([FieldCoordinate])
}

extension ExecutableSchema {
    /// Parser → Validate → CollectFields → bound to resolvers.
    /// - Parameters:
    ///   - caller: Whom the plan is for.
    ///   - cache: Whose plans are evicted first when memory for the plan is needed.
    ///   - record: Makes what logs and counters know of the plan.
    func plan(
        _ text: [UInt8], operationName: String?, for caller: CallerClass = .only, besides cache: PlanCache? = nil,
        record: OperationRecord.Make = { _, _ in nil }
    ) -> Planning {
        let source = Source(text)
        let document: Document
        do {
            document = try Parser.parse(source, limits: parserLimits(depthMax: Plan.shallowLevelsMax))
        } catch {
            // What is nested deeper than most stacks hold is read once more, on a stack that holds it.
            guard error.kind == .limit, options.limits.documentDepthMax > Plan.shallowLevelsMax else {
                return .refused([error.graphQLError])
            }
            return onLargeStack {
                planDeep(source, operationName: operationName, for: caller, besides: cache, record: record)
            }
        }
        let (refusal, isDeep) = depthCheck(of: document)
        if let refusal { return refusal }
        guard isDeep else {
            return plan(
                document, operationName: operationName, for: caller, isDeep: false, besides: cache, record: record)
        }
        return onLargeStack {
            plan(document, operationName: operationName, for: caller, isDeep: true, besides: cache, record: record)
        }
    }

    /// The same of a document that is nested deep as it is written.
    private func planDeep(
        _ source: Source, operationName: String?, for caller: CallerClass, besides cache: PlanCache?,
        record: OperationRecord.Make
    ) -> Planning {
        let document: Document
        do {
            document = try Parser.parse(source, limits: parserLimits(depthMax: .max))
        } catch { return .refused([error.graphQLError]) }
        return depthCheck(of: document).refusal
            ?? plan(document, operationName: operationName, for: caller, isDeep: true, besides: cache, record: record)
    }

    /// The refusal of a document whose selections nest too deep, and whether what walks one that is not refused needs a
    /// `LargeStack`.
    private func depthCheck(of document: Document) -> (refusal: Planning?, isDeep: Bool) {
        let levels = DocumentLimits(document: document, limits: options.limits).levels
        let refusal = DocumentLimits.depthRefusal(levels, options.limits.operationDepthMax)
        return (refusal.map { .refused([$0]) }, levels > Plan.shallowLevelsMax)
    }

    private func parserLimits(depthMax: Int) -> ParserLimits {
        ParserLimits(
            tokensMax: options.limits.documentTokensMax, depthMax: min(depthMax, options.limits.documentDepthMax))
    }

    private func onLargeStack(_ plan: () -> Planning) -> Planning {
        do throws(StoreError) {
            return try LargeStack.run(plan)
        } catch { return .unavailable("The server is too busy to plan the operation. Try again.") }
    }

    private func plan(
        _ document: Document, operationName: String?, for caller: CallerClass, isDeep: Bool, besides cache: PlanCache?,
        record: OperationRecord.Make
    ) -> Planning {
        let errors = Validate.validate(
            document, definition.schema, allowsIntrospection: options.allowsIntrospection)
        guard errors.isEmpty else { return .refused(errors) }
        let budget = environment.publisher.plans
        var forbidden: [FieldCoordinate] = []
        do {
            let operation = try Operation(document, named: operationName, schema: definition.schema)
            let limits = DocumentLimits(document: document, limits: options.limits)
            if let refusal = limits.refusal(of: operation.definition) { return .refused([refusal]) }
            var planner = Planner(
                executable: self, operation: operation, caller: caller, bytesMax: budget.operationBytesMax,
                keepsFields: isDeep)
            defer { forbidden = planner.forbiddenRoots }
            let roots = try planner.roots()
            guard budget.reserve(planner.byteCount, evictingFirst: cache) else {
                return .unavailable(
                    "Operations in use and open subscriptions take all memory that plans may take "
                        + "(limits.planBytesMax: \(budget.bytesMax) bytes). Try again later.")
            }
            return .plan(
                Plan(
                    operation: operation, roots: roots, subjects: planner.subjects, record: record(operation, roots),
                    isDeep: isDeep, hasPipelines: planner.hasPipelines,
                    allFields: planner.allFields.reversed(), byteCount: planner.byteCount, budget: budget))
        } catch {
            guard forbidden.isEmpty else { return .forbidden(forbidden) }
            guard let errorType = error.errorType else { return .refused([error]) }
            return .badRequest(AnswerKind(status: 400, errorType: errorType), error)
        }
    }
}

extension GraphQLError {
    /// The policy of a signed request allows none of the root fields (reference: authorization, "Signed requests").
    static let permissionDenied = GraphQLError("Permission denied", errorType: "UnauthorizedException")
}

extension Planning {
    /// The server has no memory or thread left for the plan: HTTP 503, and on the realtime channel AppSync's
    /// `LimitExceededError`.
    fileprivate static func unavailable(_ message: String) -> Planning {
        .badRequest(
            AnswerKind(status: 503, errorType: "LimitExceededError"),
            GraphQLError(message, errorType: "LimitExceededError"))
    }
}
