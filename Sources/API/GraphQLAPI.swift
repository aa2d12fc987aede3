public import Tables
public import Transformer
import GraphQL
import JSON
import Synchronization

/// A GraphQL request in, response bytes out.
///
/// Made at start and at reload from what the transformer found; never changed, only replaced. Requests come in on
/// event loops, each with its `LoopContext`; an ordinary query runs from body to bytes on that one thread.
public final class GraphQLAPI: Sendable {
    /// Distinguishes an API from the one that replaces it: plans are kept per generation.
    let generation: Int
    private static let generations = Atomic<Int>(0)

    let definition: APIDefinition
    let tables: [StoredTable]
    let store: SQLiteStore
    /// Where reads go on that are too long for a loop.
    let workers: Workers
    let environment: APIEnvironment
    let options: APIOptions
    /// How filters are read.
    let filterRules: FilterRules
    /// Answers of fields that have no generated resolver, by type and field.
    let functions: [FieldCoordinate: FieldFunction]
    /// Rules by type and field; a field that the definition closes denies everyone.
    let rules: [FieldCoordinate: [AuthorizationRule]]
    /// What the definition says each field does, by the places of types and fields in the schema: a plan asks for every
    /// field it selects, and to hash two names for each took a twentieth of planning.
    private let resolvers: [[Resolver?]]
    /// The keys of fields without an alias, by the same places.
    private let keys: [[[UInt8]]]
    /// The keys by which a model's base sync may be read, by the model's place.
    let syncIndexes: [[SyncIndex]]
    /// The fetches of plans.
    let fetches: FetchCache
    /// The mutation fields that some subscription follows.
    let topics: [String: Topic]
    let notices = Notices()

    /// An API over a store whose tables are already those of the definition.
    /// - Parameter tables: what `store.migrate` gave for `definition.tables`, in its order.
    public convenience init(
        definition: APIDefinition, tables: [StoredTable], store: SQLiteStore, environment: APIEnvironment,
        options: APIOptions
    ) {
        self.init(
            definition: definition, tables: tables, store: store, environment: environment, options: options,
            functions: [:], rules: [:])
    }

    private static func closed(_ definition: APIDefinition) -> [FieldCoordinate: [AuthorizationRule]] {
        let deny = AuthorizationRule { _ in .deny }
        return Dictionary(
            definition.closedFields.map { (FieldCoordinate(type: $0.type, field: $0.field), [deny]) },
            uniquingKeysWith: { first, _ in first })
    }

    init(
        definition: APIDefinition, tables: [StoredTable], store: SQLiteStore, environment: APIEnvironment,
        options: APIOptions, functions: [FieldCoordinate: FieldFunction],
        rules: [FieldCoordinate: [AuthorizationRule]]
    ) {
        generation = Self.generations.add(1, ordering: .relaxed).newValue
        self.definition = definition
        self.tables = tables
        self.store = store
        workers = Workers(
            store: store, longMax: options.limits.longReadsMax, stepsPerTurn: options.limits.readTurnSteps)
        filterRules = FilterRules(options.limits, isVersionTwo: definition.transformerVersion == .v2)
        self.environment = environment
        self.options = options
        self.functions = functions
        self.rules = Self.closed(definition).merging(rules) { closed, _ in closed }
        fetches = FetchCache(countMax: options.limits.fetchCacheCountMax)
        resolvers = definition.schema.types.map { type in
            (type.fields?.fields ?? []).map { definition.resolver(type: type.name, field: $0.name) }
        }
        keys = definition.schema.types.map { type in
            (type.fields?.fields ?? []).map { PlannedField.key($0.name) }
        }
        syncIndexes = definition.models.map {
            SyncIndex.all(of: $0, tables[$0.table].table, in: definition.schema)
        }
        topics = Self.topics(of: definition, environment.publisher)
        environment.publisher.lanes.setLimits(options.limits)
        environment.publisher.plans.setLimit(options.limits.planBytesMax)
    }

    /// What a field does; nil is a property of its parent, and a meta field.
    func resolver(of reference: FieldReference, in type: TypeID) -> Resolver? {
        guard case .field(let position) = reference else { return nil }
        return resolvers[type.index][position]
    }

    /// A field's key in its response, as it is written.
    func key(of field: CollectedField) -> [UInt8] {
        guard case .field(let position) = field.reference, field.node.alias == nil else {
            return PlannedField.key(field.responseKey)
        }
        return keys[field.parentType.index][position]
    }

    private static func topics(of definition: APIDefinition, _ publisher: Publisher) -> [String: Topic] {
        let schema = definition.schema
        guard let type = schema.subscriptionType, let fields = schema[type].fields?.fields else { return [:] }
        var topics: [String: Topic] = [:]
        for field in fields {
            guard case .subscription(let mutations)? = definition.resolver(type: schema[type].name, field: field.name)
            else { continue }
            for mutation in mutations where topics[mutation] == nil { topics[mutation] = publisher.topic(of: mutation) }
        }
        return topics
    }

    /// Answers the request that `context` has read.
    ///
    /// `reply` is called exactly once: at once for an ordinary query, later and on the context's loop for mutations
    /// and long reads. The bytes live for the call only.
    ///
    /// - Parameter client: Whose the request is: long reads of one client take turns with those of the others.
    public func respond(
        as identity: Identity, on context: LoopContext, options answerOptions: AnswerOptions = AnswerOptions(),
        client: ReadClient = .unnamed,
        reply: @escaping @Sendable (AnswerKind, UnsafeRawBufferPointer) -> Void
    ) {
        let plan: Plan
        switch context.plan(madeBy: self) {
        case .plan(let found): plan = found
        case .refused(let errors):
            return Answer.requestErrors(errors, answerOptions).of(context.request).send(to: reply)
        case .badRequest(let kind, let error):
            return Answer.refusal(kind, error).of(context.request).send(to: reply)
        }
        let operationType = plan.operation.definition.type
        if operationType == .mutation, !answerOptions.allowsMutations {
            return Answer.mutationRefused.of(plan.record).send(to: reply)
        }
        let variables: VariableValues
        do {
            variables = try plan.operation.variables.coerceVariableValues(
                context.request.variables, schema: definition.schema)
        } catch {
            return Answer.requestErrors([error], answerOptions).of(context.request).of(plan.record).send(to: reply)
        }

        let scope = Completion.Scope(
            api: self, plan: plan, variables: variables, identity: identity,
            source: Completion.Source(reader: context.reader, rows: context.rows), client: client)
        switch operationType {
        case .query: Query.run(scope, on: context, reply: reply)
        case .mutation: Mutation.run(scope, on: context, reply: reply)
        case .subscription:
            Answer.requestErrors([.subscriptionOverHTTP], answerOptions).of(plan.record).send(to: reply)
        }
    }

    /// Finds out whether requests would be answered now: one look at the database on this loop's connection, and one
    /// write that commits nothing. `reply` is called on the context's loop, at once when the database cannot be read.
    public func probe(on context: LoopContext, reply: @escaping @Sendable (StoreError?) -> Void) {
        context.beginRequest(.loop(steps: options.limits.readStepsMax))
        do throws(StoreError) {
            _ = try context.reader.beginSnapshotVersion()
        } catch { return reply(error) }
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
        store.clear(tables, on: context.executor) { result in reply(result.map { names }) }
    }
}

extension GraphQLError {
    static let subscriptionOverHTTP = GraphQLError(
        "Subscriptions are only supported over the realtime endpoint.", errorType: "OperationNotSupported")
    static let timeout = GraphQLError("Execution timed out.", errorType: "ExecutionTimeout")
}
