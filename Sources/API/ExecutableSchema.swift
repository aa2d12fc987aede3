import GraphQL
import Tables
import Transformer

/// A schema with all that decides how its operations are executed: what each field does, the stored tables, rules,
/// options and what requests share. Planner and completion are made from it, and do not depend on the kind of store.
///
/// Made once for each generation of the API, and never changed.
final class ExecutableSchema: Sendable {
    let definition: APIDefinition
    let tables: [StoredTable]
    let environment: APIEnvironment
    let options: APIOptions
    /// How filters are read.
    let filterRules: FilterRules
    /// Answers of fields that have no generated resolver, by type and field.
    let functions: [FieldCoordinate: FieldFunction]
    /// The rules that requests are held to; nil where there are none.
    let authorization: SchemaAuthorization?
    /// Which callers reach which fields; nil where all reach all alike.
    let gates: SchemaGates?
    /// What the definition says each field does, by the places of types and fields in the schema: a plan asks for every
    /// field it selects, and to hash two names for each took a twentieth of planning.
    private let resolvers: [[Resolver?]]
    /// Whether some field is answered by a pipeline.
    let hasPipelines: Bool
    /// Whether a function decides the conflicts of some model.
    let hasConflictFunctions: Bool
    /// The keys of fields without an alias, by the same places.
    private let keys: [[[UInt8]]]
    /// The keys by which a model's base sync may be read, by the model's place.
    let syncIndexes: [[SyncIndex]]
    /// The fetches of plans.
    let fetches: FetchCache
    /// The mutation fields that some subscription follows.
    let topics: [String: Topic]

    init(
        definition: APIDefinition, tables: [StoredTable], environment: APIEnvironment, options: APIOptions,
        functions: [FieldCoordinate: FieldFunction]
    ) {
        self.definition = definition
        self.tables = tables
        self.environment = environment
        self.options = options
        filterRules = FilterRules(options.limits, isVersionTwo: definition.transformerVersion == .v2)
        self.functions = functions
        authorization = SchemaAuthorization(definition, tables)
        gates = SchemaGates(definition)
        definition.schema.prepareForDocuments()
        fetches = FetchCache(countMax: options.limits.fetchCacheCountMax)
        resolvers = definition.schema.types.map { type in
            (type.fields?.fields ?? []).map { definition.resolver(type: type.name, field: $0.name) }
        }
        hasPipelines = resolvers.joined().contains { if case .pipeline = $0 { true } else { false } }
        hasConflictFunctions = definition.models.contains { $0.conflictHandler == .lambda }
        keys = definition.schema.types.map { type in
            (type.fields?.fields ?? []).map { PlannedField.key($0.name) }
        }
        syncIndexes = definition.models.map {
            SyncIndex.all(of: $0, tables[$0.table].table, in: definition.schema)
        }
        topics = Self.topics(of: definition, environment.publisher)
    }

    /// The keys of a model's table that its author has declared: all but a primary key that is `id` for lack of another.
    func declaredKeys(of model: Int) -> [KeySchema] {
        let table = tables[definition.models[model].table].table
        let declared = definition.declarations.model(named: definition.models[model].name)
        return (declared?.primaryKey == nil ? [] : [table.key]) + table.indexes.map(\.key)
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
}
