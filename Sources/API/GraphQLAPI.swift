public import Tables
public import Transformer
import Synchronization

/// A GraphQL request in, response bytes out.
///
/// Made at start and at reload from what the transformer found; never changed, only replaced. Requests come in on
/// event loops, each with its `LoopContext`; an ordinary query runs from body to bytes on that one thread.
public final class GraphQLAPI: Sendable {
    /// Distinguishes an API from the one that replaces it: plans are kept per generation.
    let generation: Int
    private static let generations = Atomic<Int>(0)

    /// What operations are planned and completed by.
    let schema: ExecutableSchema
    let store: any Store
    /// Where live reads go on that are too long for a loop; nil of a store without them.
    let workers: Workers?
    let notices = Notices()

    /// An API over a store whose tables are already those of the definition.
    /// - Parameter tables: what `store.migrate` gave for `definition.tables`, in its order.
    public convenience init(
        definition: APIDefinition, tables: [StoredTable], store: any Store, environment: APIEnvironment,
        options: APIOptions
    ) {
        self.init(
            definition: definition, tables: tables, store: store, environment: environment, options: options,
            functions: [:])
    }

    init(
        definition: APIDefinition, tables: [StoredTable], store: any Store, environment: APIEnvironment,
        options: APIOptions, functions: [FieldCoordinate: FieldFunction]
    ) {
        generation = Self.generations.add(1, ordering: .relaxed).newValue
        schema = ExecutableSchema(
            definition: definition, tables: tables, environment: environment, options: options, functions: functions)
        self.store = store
        workers = store.makeWorkers(
            longMax: options.limits.longReadsMax, stepsPerTurn: options.limits.readTurnSteps)
        environment.publisher.eventQueues.setLimits(options.limits)
        environment.publisher.plans.setLimit(options.limits.planBytesMax)
    }

    var definition: APIDefinition { schema.definition }
    var environment: APIEnvironment { schema.environment }
    var options: APIOptions { schema.options }
}
