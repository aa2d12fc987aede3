public import Tables
import GraphQL
import Transformer

extension GraphQLAPI {
    /// Answers a request.
    ///
    /// `reply` is called exactly once: at once for an ordinary query, later and on the context's loop for mutations
    /// and long reads. The bytes live for the call only.
    ///
    /// - Parameter client: Whose the request is: long reads of one client take turns with those of the others.
    public func respond(
        to request: consuming GraphQLRequest, as identity: Identity, on context: LoopContext,
        options answerOptions: AnswerOptions = AnswerOptions(),
        client: ReadClient = .unnamed,
        reply: @escaping @Sendable (AnswerKind, UnsafeRawBufferPointer) -> Void
    ) {
        let lastPlanNumber = answerOptions.notesWork ? Plan.lastNumber : 0
        let plan: Plan
        switch context.plan(request, madeBy: self, for: identity) {
        case .plan(let found): plan = found
        case .refused(let errors):
            return unsafe Answer.requestErrors(errors, answerOptions).of(request).send(to: reply)
        case .badRequest(let kind, let error):
            return unsafe Answer.refusal(kind, error).of(request).send(to: reply)
        case .forbidden(let fields):
            let kind = AnswerKind(status: 401, errorType: GraphQLError.permissionDenied.errorType)
            return unsafe Answer.refusal(kind, .permissionDenied).of(request)
                .decided(DecidedRequest(schema, forbidden: fields, identity)).send(to: reply)
        }
        let refuse = unsafe answerOptions.explainsRules ? explaining(plan, identity, nil, reply) : reply
        let operationType = plan.operation.definition.type
        if operationType == .mutation, !answerOptions.allowsMutations {
            return unsafe Answer.mutationRefused.of(plan.record).send(to: refuse)
        }
        let variables: VariableValues
        do {
            variables = try plan.operation.variables.coerceVariableValues(
                request.variables, schema: definition.schema)
        } catch {
            return unsafe Answer.requestErrors([error], answerOptions).of(request).of(plan.record).send(to: refuse)
        }
        let reply = unsafe answerOptions.explainsRules ? explaining(plan, identity, variables, reply) : reply

        let details = plan.hasPipelines || operationType == .mutation ? request.details : nil
        let expectation = operationType == .mutation ? request.expectation : nil
        context.giveBack(request)
        let scope = Completion.Scope(
            schema: schema, plan: plan, variables: variables, identity: identity,
            decisions: context.decisions.table(of: plan, schema, for: identity),
            source: context.source(keeping: context.rows), client: client,
            requestDetails: details, expectation: expectation,
            isPlanCached: answerOptions.notesWork ? Self.noteUse(of: plan, after: lastPlanNumber) : nil)
        switch operationType {
        case .query: unsafe Query.run(scope, by: self, on: context, reply: reply)
        case .mutation:
            let notes = answerOptions.notesWork ? WorkNotes() : nil
            unsafe Mutation.run(scope, by: self, on: context, notes: notes, reply: reply)
        case .subscription:
            unsafe Answer.requestErrors([.subscriptionOverHTTP], answerOptions).of(plan.record).send(to: reply)
        }
    }

    /// What the rules decide of a request that is not carried out, such as a subscription that has begun; nil of one that cannot
    /// be planned.
    public func explanation(
        of request: GraphQLRequest, as identity: Identity, on context: LoopContext
    ) -> AuthorizationExplanation? {
        guard case .plan(let plan) = context.plan(request, madeBy: self, for: identity) else { return nil }
        return DecidedRequest(schema, plan, identity).explanation(of: [], includesRoots: true)
    }

    /// Notes in the report of an answer what the rules have decided.
    private func explaining(
        _ plan: Plan, _ identity: Identity, _ variables: VariableValues?,
        _ reply: @escaping @Sendable (AnswerKind, UnsafeRawBufferPointer) -> Void
    ) -> @Sendable (AnswerKind, UnsafeRawBufferPointer) -> Void {
        let decided = DecidedRequest(schema, plan, identity, variables)
        return { kind, bytes in
            var kind = kind
            kind.report.note(decided)
            unsafe reply(kind, bytes)
        }
    }

    /// Counts a request whose work is noted. Returns whether its plan was made for an earlier one.
    ///
    /// - Parameter lastNumber: The number of the newest plan before the request was planned.
    private static func noteUse(of plan: Plan, after lastNumber: Int) -> Bool {
        plan.record?.noteUse()
        return plan.number <= lastNumber
    }

    /// Whether some operations call functions, which receive the details of their request.
    public var callsFunctions: Bool { schema.hasPipelines || schema.hasConflictFunctions }

    /// Finds out whether requests would be answered now: one look at the database on this loop's connection, and one
    /// write that commits nothing. `reply` is called on the context's loop, at once when the database cannot be read.
    public func probe(on context: LoopContext, reply: @escaping @Sendable (StoreError?) -> Void) {
        if case .live(let reader) = context.reads {
            context.beginRequest(.loop(steps: options.limits.readStepsMax), by: reader)
            do throws(StoreError) {
                _ = try reader.beginSnapshotVersion()
            } catch { return reply(error) }
        }
        store.probe(on: context.executor) { result in
            if case .failure(let error) = result { reply(error) } else { reply(nil) }
        }
    }

    /// Deletes every item of every model in one transaction. `reply` is called on the context's loop once that is
    /// committed, with the models' names.
    public func clear(
        on context: LoopContext, reply: @escaping @Sendable (Result<[String], StoreError>) -> Void
    ) {
        let names = definition.models.map(\.name)
        store.clear(schema.tables, on: context.executor) { result in reply(result.map { names }) }
    }
}

extension GraphQLError {
    static let subscriptionOverHTTP = GraphQLError(
        "Subscriptions are only supported over the realtime endpoint.", errorType: "OperationNotSupported")
    static let timeout = GraphQLError("Execution timed out.", errorType: "ExecutionTimeout")
}
