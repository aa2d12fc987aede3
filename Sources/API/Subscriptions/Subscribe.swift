import GraphQL
import JSON
import Tables
import Transformer

/// Errors of subscriptions on the realtime channel (reference: appsync-protocol, "Subscription errors").
extension RealtimeError {
    init(_ error: GraphQLError) { self.init(errorType: error.errorType, message: error.message) }

    init(_ error: ResolverError) { self.init(errorType: error.errorType, message: error.message) }

    static let eventsLost = RealtimeError(
        errorType: "InternalFailure", message: "Events came faster than they could be delivered.")
    static let notCompleted = RealtimeError(
        errorType: "InternalFailure", message: "The store could not serve an event.")
    static func planBytes(_ bytesMax: Int) -> RealtimeError {
        RealtimeError(
            errorType: "LimitExceededError",
            message: "The plans of the server's subscriptions reached their limit of \(bytesMax) bytes "
                + "(three quarters of limits.planBytesMax)")
    }

    static func subscriberBytes(_ bytesMax: Int) -> RealtimeError {
        RealtimeError(
            errorType: "LimitExceededError",
            message: "The subscribers of the server and their filters reached their limit of \(bytesMax) bytes "
                + "(limits.subscriberBytesMax)")
    }

    static func tooMany(_ countMax: Int) -> RealtimeError {
        RealtimeError(
            errorType: "LimitExceededError", message: "Max number of \(countMax) subscriptions per server reached")
    }
}

extension GraphQLAPI {
    /// Registers a request as a subscription.
    ///
    /// When this returns `.subscribed`, every change that is committed from now on and wanted reaches the subscriber
    /// once, on the context's loop, changes of one item in the order of their commits. The context holds on to the
    /// subscriber until the subscription is cancelled or ended.
    ///
    /// - Parameters:
    ///   - id: The client's identifier of the subscription. When a subscription to a model with versions begins again
    ///     under an old identifier, `LoopContext.replay` delivers what it may have missed in between.
    ///   - others: The open subscriptions of the same client: nothing older than what they have delivered is replayed.
    public func subscribe(
        to request: GraphQLRequest, as identity: Identity, id: String? = nil,
        besides others: [SubscriptionHandle] = [], on context: LoopContext, for subscriber: any Subscriber
    ) -> SubscribeOutcome {
        let api = context.adopt(self)
        func refused(_ errors: [RealtimeError], _ decided: DecidedRequest? = nil) -> SubscribeOutcome {
            var report = AnswerReport(errors.map { GraphQLError($0.message) }, of: request)
            if let decided { report.note(decided) }
            return .refused(errors, report)
        }
        let plan: Plan
        switch context.plan(request, madeBy: api, for: identity) {
        case .plan(let found): plan = found
        case .refused(let errors): return refused(errors.map { RealtimeError($0) })
        case .badRequest(_, let error): return refused([RealtimeError(error)])
        case .forbidden(let fields):
            return refused([.permissionDenied], DecidedRequest(api.schema, forbidden: fields, identity))
        }
        switch plan.operation.definition.type {
        case .query: return .otherOperation(name: "query")
        case .mutation: return .otherOperation(name: "mutation")
        case .subscription: break
        }
        do throws(RealtimeError) {
            let operation = try api.subscription(plan, request.variables, as: identity)
            try operation.authorize(identity)
            let key = operation.replayKey(id, identity)
            return .subscribed(try context.register(operation, as: identity, for: subscriber, key, besides: others))
        } catch {
            let isOfRules = error.errorType == "Unauthorized"
            return refused([error], isOfRules ? DecidedRequest(api.schema, plan, identity, isRefused: true) : nil)
        }
    }

    /// Binds a planned subscription to its variables and to who asks.
    func subscription(
        _ plan: Plan, _ given: JSONObject?, as identity: Identity
    ) throws(RealtimeError) -> SubscriptionOperation {
        let variables: VariableValues
        do {
            variables = try plan.operation.variables.coerceVariableValues(given, schema: definition.schema)
        } catch { throw RealtimeError(error) }
        // Validation has seen to it that there is one; a directive may have taken it away (GraphQL spec §5.2.3.1).
        guard let field = plan.roots.first, field.isIncluded(variables),
            case .subscription(let subscription) = field.resolution
        else { throw RealtimeError(message: "A subscription selects one field.") }
        let decisions = DecisionTable.table(of: plan, schema, for: identity)
        guard let decision = decisions.decision(about: field) else {
            throw RealtimeError(.unauthorized(field))
        }
        let filter = try SubscriptionFilter(
            of: subscription, variables, strictNullArguments: options.strictNullArguments,
            operandBytesMax: options.limits.filterOperandBytesMax, decision)
        guard let filter else { throw RealtimeError(.unauthorized(field)) }
        return SubscriptionOperation(
            api: self, field: field, subscription: subscription, given: given, variables: variables, filter: filter,
            decisions: decisions,
            passedIdentity: subscription.passesIdentity ? identity : nil, plan: plan)
    }
}

extension SubscriptionOperation {
    /// `nil` for unversioned models: a replay may deliver an event twice, and only versions let a client notice.
    fileprivate func replayKey(_ id: String?, _ identity: Identity) -> ReplayKey? {
        guard subscription.row?.table.table.isVersioned == true else { return nil }
        return ReplayKey(
            id, identity: identity, document: plan.operation.document.source.bytes, variables: given)
    }

    /// Runs the field's own resolver, whose error refuses the subscription
    /// (reference: appsync-protocol, "Subscriptions and mutations").
    fileprivate func authorize(_ identity: Identity) throws(RealtimeError) {
        guard let function = subscription.function else { return }
        let arguments: ArgumentValues
        do {
            arguments = try subscription.arguments.coerceArgumentValues(variables)
        } catch { throw RealtimeError(error) }
        do {
            _ = try function(FieldCall(arguments: arguments, identity: identity))
        } catch { throw RealtimeError(error) }
    }
}

extension AnswerKind {
    /// What the log has of a refused subscription.
    public init(_ errors: [RealtimeError], _ report: AnswerReport) {
        self.init(status: 400, errorType: errors.first?.errorType)
        self.report = report
    }
}
