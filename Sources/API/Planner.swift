import GraphQL
import Tables
import Transformer

/// Binds the collected fields of a validated operation to what the transformer says each of them does.
struct Planner {
    let executable: ExecutableSchema
    let operation: Operation
    private var collector: FieldCollector
    /// What the fields planned so far ask of the rules, each once, and where each is.
    private(set) var subjects: [DecisionSubject] = []
    private var subjectPlaces: [DecisionSubject: Int] = [:]
    /// Whether a function was planned, which is given the identity.
    private var passesIdentity = false
    /// The root fields of an operation that was refused because its caller's policy has none of them.
    private(set) var forbiddenRoots: [FieldCoordinate] = []
    /// Whether a pipeline was planned.
    private(set) var hasPipelines = false
    /// What the plan takes of memory, as far as it is made.
    private(set) var byteCount: Int
    private let bytesMax: Int
    /// Of a deep plan the fields that were made, each after those of its selection.
    private(set) var allFields: [PlannedField] = []
    private let keepsFields: Bool

    /// Whom the plan is for.
    private let caller: CallerClass
    /// The mutation whose result the fields are of; nil of queries.
    private var mutation: AuthorizationRule.Operation?

    init(
        executable: ExecutableSchema, operation: Operation, caller: CallerClass, bytesMax: Int, keepsFields: Bool
    ) {
        self.caller = caller
        self.keepsFields = keepsFields
        self.executable = executable
        self.operation = operation
        collector = FieldCollector(operation, selectionsMax: executable.options.limits.operationFieldsMax)
        byteCount = PlanBytes.operation(operation)
        self.bytesMax = bytesMax
    }

    /// Counts a part of the plan, and refuses a plan that would take too much before more of it is made.
    private mutating func charge(_ bytes: Int) throws(GraphQLError) {
        byteCount += bytes
        guard byteCount <= bytesMax else {
            throw GraphQLError(
                "Query complexity limit exceeded: the operation's plan takes more than \(bytesMax) bytes.")
        }
    }

    private var schema: Schema { operation.schema }

    mutating func roots() throws(GraphQLError) -> [PlannedField] {
        var projection = Projection()
        let fields = try collector.collectFields()
        try requirePermission(fields)
        return try bind(fields, model: nil, &projection)
    }

    /// A signed request whose role may call none of the root fields is refused as a whole
    /// (reference: authorization, "Signed requests").
    private mutating func requirePermission(_ fields: [CollectedField]) throws(GraphQLError) {
        guard let gates = executable.gates, caller.mode == .iam else { return }
        let coordinates = fields.compactMap { field -> FieldCoordinate? in
            guard case .field = field.reference else { return nil }
            let definition = schema.definition(of: field.reference, in: field.parentType)
            return FieldCoordinate(type: schema[field.parentType].name, field: definition.name)
        }
        guard !coordinates.isEmpty, !coordinates.contains(where: { gates.isPermitted($0, to: caller) }) else { return }
        forbiddenRoots = coordinates
        throw .permissionDenied
    }

    // MARK: - Objects

    /// The fields selected of a field's value, an item of this model; the columns they need are added to the
    /// projection.
    private mutating func fields(
        of collected: CollectedField, as type: TypeID, model: Int, _ projection: inout Projection
    ) throws(GraphQLError) -> [PlannedField] {
        try bind(try collector.collectSubfields(of: collected, as: type), model: model, &projection)
    }

    /// The same of an item that another one leads to. What a mutation leaves out of its result, version 1 does not leave out
    /// of related items.
    private mutating func relatedFields(
        of collected: CollectedField, as type: TypeID, model: Int, _ projection: inout Projection
    ) throws(GraphQLError) -> [PlannedField] {
        let outer = mutation
        if executable.definition.transformerVersion == .v1 { mutation = nil }
        defer { mutation = outer }
        return try fields(of: collected, as: type, model: model, &projection)
    }

    private mutating func bind(
        _ fields: [CollectedField], model: Int?, _ projection: inout Projection
    ) throws(GraphQLError) -> [PlannedField] {
        var planned: [PlannedField] = []
        planned.reserveCapacity(fields.count)
        for field in fields {
            let resolution = try resolution(of: field, model: model, &projection)
            let authorization = try authorization(of: field, resolution, model: model, &projection)
            planned.append(try self.planned(field, resolution, authorization))
        }
        return planned
    }

    private mutating func planned(
        _ collected: CollectedField, _ resolution: Resolution, _ authorization: FieldAuthorization?
    ) throws(GraphQLError) -> PlannedField {
        let key = executable.key(of: collected)
        try charge(PlanBytes.field(collected, key: key))
        let definition = schema.definition(of: collected.reference, in: collected.parentType)
        let parent = schema[collected.parentType].name
        let planned = PlannedField(
            responseKey: collected.responseKey, key: key, inclusion: collected.inclusion,
            offset: collected.node.offset, fieldName: definition.name, parentName: parent,
            typeName: schema[definition.type.namedType].name, isNonNull: definition.type.isNonNull,
            resolution: resolution, authorization: authorization)
        if keepsFields { allFields.append(planned) }
        return planned
    }

    private mutating func resolution(
        of collected: CollectedField, model: Int?, _ projection: inout Projection
    ) throws(GraphQLError) -> Resolution {
        let parent = schema[collected.parentType].name
        let definition = schema.definition(of: collected.reference, in: collected.parentType)
        switch collected.reference {
        case .typename: return .typename(Array("\"\(parent)\"".utf8))
        case .schema, .type:
            let plan = try IntrospectionPlan(collected, &collector)
            try charge(plan.byteCount)
            return .introspection(plan)
        case .field: break
        }
        if collected.parentType == schema.subscriptionType { return try subscription(collected, definition) }
        if !executable.functions.isEmpty,
            let function = executable.functions[FieldCoordinate(type: parent, field: definition.name)]
        {
            try charge(PlanBytes.function)
            passesIdentity = true
            return .function(
                FunctionPlan(
                    arguments: try arguments(collected, definition), shape: try shape(definition.type, of: collected),
                    function: function, topic: topic(of: collected, definition)))
        }
        switch executable.resolver(of: collected.reference, in: collected.parentType) {
        case .getItem(let getItem):
            let table = executable.tables[executable.definition.models[getItem.model].table]
            let arguments = try arguments(collected, definition)
            let parts = zip(getItem.arguments, table.table.key.columns).map { name, column in
                (template: arguments[name], type: table.table.columns[column].type)
            }
            return try item(getItem.model, key: .arguments(parts), collected, definition)
        case .related(let related):
            guard let columns = positions(of: related.columns, model: model, &projection) else { return .null }
            return try item(related.model, key: .parent(columns), access: related.access, collected, definition)
        case .query(let query):
            return try page(query, of: query.model, collected, definition, model: model, &projection)
        case .sync(let target):
            return try page(nil, of: target, collected, definition, model: model, &projection)
        case .createItem(let target): return try write(.create, target, collected, definition)
        case .updateItem(let target): return try write(.update, target, collected, definition)
        case .deleteItem(let target): return try write(.delete, target, collected, definition)
        case .pipeline(let steps):
            return try pipeline(steps, collected, definition, model: model, isObject: false, &projection)
        case .subscription: return .null
        case nil: return try property(definition, collected, model: model, &projection)
        }
    }

    /// A field without a resolver: a column of its model's row; otherwise null.
    private mutating func property(
        _ definition: FieldType, _ collected: CollectedField, model: Int?, _ projection: inout Projection
    ) throws(GraphQLError) -> Resolution {
        guard let model else { return .null }
        guard
            let column = executable.tables[executable.definition.models[model].table].table.position(
                of: definition.name)
        else {
            return .null
        }
        let position = projection.position(of: column)
        let showsLastClaim = showsLastClaim(definition.name, of: model)
        if definition.type.element == nil, let leaf = Leaf(definition.type.namedType, in: schema) {
            if case .text = leaf, showsLastClaim { return .column(position: position, .owner) }
            return .column(position: position, leaf)
        }
        var shape = try shape(definition.type, of: collected, areParents: executable.hasPipelines && !isSubscription)
        if showsLastClaim { shape = shape.showingLastClaim }
        return .json(position: position, shape)
    }

    /// Whether a field of a model is an owner that is shown by the last of several claims, wherever its object comes from.
    private func showsLastClaim(_ field: String, of model: Int?) -> Bool {
        guard let model, let authorization = executable.authorization else { return false }
        return authorization.fieldsShowingLastClaim(model).contains(field)
    }

    private var isSubscription: Bool { operation.definition.type == .subscription }

    // MARK: - Pipelines

    /// A pipeline below a root type, a model's row or an object. An event has what the mutation's own pipelines have
    /// answered, and where it is filled nothing of them.
    private mutating func pipeline(
        _ steps: [PipelineStep], _ collected: CollectedField, _ definition: FieldType, model: Int?, isObject: Bool,
        _ projection: inout Projection
    ) throws(GraphQLError) -> Resolution {
        guard !isSubscription else { return .null }
        hasPipelines = true
        try charge(PlanBytes.pipeline(steps: steps.count, arguments: definition.arguments.count))
        var parent = PipelinePlan.Parent.root
        if isObject {
            parent = .object
        } else if let model {
            let table = executable.tables[executable.definition.models[model].table].table
            parent = .row(
                table.columns.indices.map { column in
                    PipelinePlan.Attribute(
                        name: table.columns[column].field, type: table.columns[column].type,
                        position: projection.position(of: column))
                })
        }
        let document = operation.document
        let written = Set(document[collected.node.arguments].map { document.name($0.name) })
        return .pipeline(
            PipelinePlan(
                steps: steps, typeName: schema[collected.parentType].name, fieldName: definition.name, parent: parent,
                template: try arguments(collected, definition),
                arguments: definition.arguments.map {
                    PipelinePlan.Argument(name: $0.name, type: $0.type, isWritten: written.contains($0.name))
                }, shape: try shape(definition.type, of: collected, areParents: true),
                topic: topic(of: collected, definition)))
    }

    /// The fields selected of an object in JSON below which fields may wait, and the members that they look at.
    private mutating func objectFields(
        of collected: CollectedField, as type: TypeID
    ) throws(GraphQLError) -> (fields: [PlannedField], columns: [ObjectColumn]) {
        let model = executable.definition.model(named: schema[type].name)
        var projection = Projection()
        var fields: [PlannedField] = []
        for field in try collector.collectSubfields(of: collected, as: type) {
            let resolution = try objectResolution(of: field, as: type, model: model, &projection)
            let authorization =
                model == nil
                ? try authorization(of: field) : try authorization(of: field, resolution, model: model, &projection)
            fields.append(try planned(field, resolution, authorization))
        }
        guard let model else { return (fields, []) }
        let table = executable.tables[executable.definition.models[model].table].table
        return (
            fields,
            projection.columns.map { ObjectColumn(name: table.columns[$0].field, type: table.columns[$0].type) }
        )
    }

    private mutating func objectResolution(
        of field: CollectedField, as type: TypeID, model: Int?, _ projection: inout Projection
    ) throws(GraphQLError) -> Resolution {
        let definition = schema.definition(of: field.reference, in: type)
        switch (field.reference, executable.resolver(of: field.reference, in: type)) {
        case (.typename, _): return .typename(Array("\"\(schema[type].name)\"".utf8))
        case (_, .pipeline(let steps)):
            return try pipeline(steps, field, definition, model: model, isObject: true, &projection)
        case (_, .related), (_, .query): return try resolution(of: field, model: model, &projection)
        default:
            let shape = try shape(definition.type, of: field, areParents: true)
            let showsLastClaim = showsLastClaim(definition.name, of: model)
            return .property(definition.name, showsLastClaim ? shape.showingLastClaim : shape)
        }
    }

    // MARK: - Rules

    /// What rules have to do with a field of a root type or of a model's item; the columns that they look at are added to
    /// the projection. Nil where they have nothing to do with it.
    private mutating func authorization(
        of collected: CollectedField, _ resolution: Resolution, model: Int?, _ projection: inout Projection
    ) throws(GraphQLError) -> FieldAuthorization? {
        guard case .field = collected.reference else { return nil }
        let definition = schema.definition(of: collected.reference, in: collected.parentType)
        let coordinate = FieldCoordinate(type: schema[collected.parentType].name, field: definition.name)
        if let gates = executable.gates, !gates.admits(caller, to: coordinate) { return .unreachable }
        guard let rules = executable.authorization else { return nil }
        let field = place(ofRulesOf: coordinate, rules)
        let action = action(of: collected, definition, resolution, rules).map { place(of: $0) }
        guard let model else { return try makeAuthorization(field: field, action: action) }
        let isRedacted = mutation.map { rules.redactedFields(model, in: $0).contains(definition.name) } ?? false
        // An event lacks the field for all subscribers, so nothing is decided per subscriber.
        if isRedacted, operation.definition.type == .subscription {
            return try makeAuthorization(field: field, isRedacted: true)
        }
        let check = rules.check(model, definition.name)
        var positions: [Int] = []
        if let check {
            positions = Array(repeating: -1, count: check.table.columns.count)
            for column in check.columns { positions[column] = projection.position(of: column) }
        }
        return try makeAuthorization(
            field: field, check: check.map { _ in place(of: .check(model: model, field: definition.name)) },
            action: action, isRedacted: isRedacted, table: check?.table, positions: positions)
    }

    /// The same of a field of a page or of a nested type, which has static rules alone.
    private mutating func authorization(of collected: CollectedField) throws(GraphQLError) -> FieldAuthorization? {
        guard case .field = collected.reference else { return nil }
        let definition = schema.definition(of: collected.reference, in: collected.parentType)
        let coordinate = FieldCoordinate(type: schema[collected.parentType].name, field: definition.name)
        if let gates = executable.gates, !gates.admits(caller, to: coordinate) { return .unreachable }
        guard let rules = executable.authorization else { return nil }
        return try makeAuthorization(field: place(ofRulesOf: coordinate, rules))
    }

    private mutating func makeAuthorization(
        field: Int?, check: Int? = nil, action: Int? = nil, isRedacted: Bool = false, table: Table? = nil,
        positions: [Int] = []
    ) throws(GraphQLError) -> FieldAuthorization? {
        guard field != nil || check != nil || action != nil || isRedacted else { return nil }
        try charge(PlanBytes.authorization(columns: positions.count))
        return FieldAuthorization(
            field: field, check: check, action: action, isRedacted: isRedacted, table: table, positions: positions)
    }

    /// What a field does that the rules of a model are about: its own for an operation, those of the related model for a
    /// relation.
    private func action(
        of collected: CollectedField, _ definition: FieldType, _ resolution: Resolution, _ rules: SchemaAuthorization
    ) -> DecisionSubject? {
        let subject = subject(of: collected, definition, resolution, rules)
        guard let model = subject?.model, !rules.isOpen(model) else { return nil }
        return subject
    }

    private func subject(
        of collected: CollectedField, _ definition: FieldType, _ resolution: Resolution, _ rules: SchemaAuthorization
    ) -> DecisionSubject? {
        if case .subscription = resolution {
            return rules.subscriptions[definition.name].map { .operation(.listen, model: $0) }
        }
        let resolver = executable.resolver(of: collected.reference, in: collected.parentType)
        return executable.definition.ruledAction(of: resolver).map(DecisionSubject.init)
    }

    private mutating func place(ofRulesOf field: FieldCoordinate, _ rules: SchemaAuthorization) -> Int? {
        rules.hasRules(field) ? place(of: .field(field)) : nil
    }

    private mutating func place(of subject: DecisionSubject) -> Int {
        if let place = subjectPlaces[subject] { return place }
        subjects.append(subject)
        subjectPlaces[subject] = subjects.count - 1
        return subjects.count - 1
    }

    // MARK: - Items, pages, writes

    private mutating func item(
        _ model: Int, key: ItemPlan.Key, access: Access = .item, _ collected: CollectedField, _ definition: FieldType
    ) throws(GraphQLError) -> Resolution {
        var projection = Projection()
        let fields = try relatedFields(of: collected, as: definition.type.namedType, model: model, &projection)
        let table = executable.tables[executable.definition.models[model].table]
        try charge(PlanBytes.item(columns: projection.columns.count))
        return .item(
            ItemPlan(
                key: key, access: access, table: table, columns: projection.columns, fields: fields,
                from: executable.fetches))
    }

    /// The page of a query or, without one, of a sync of the model.
    private mutating func page(
        _ query: QueryItems?, of target: Int, _ collected: CollectedField, _ definition: FieldType, model: Int?,
        _ projection: inout Projection
    ) throws(GraphQLError) -> Resolution {
        var parentColumns: [String] = []
        if case .parent(let column)? = query?.partitionKey { parentColumns.append(column) }
        if case .parent(let columns)? = query?.sortKey { parentColumns += columns }
        guard let positions = positions(of: parentColumns, model: model, &projection) else { return .null }

        let table = executable.tables[executable.definition.models[target].table]
        try charge(PlanBytes.page)
        guard let query else {
            let fetches = { [cache = executable.fetches] (columns: [Int]) in
                SyncFetches(table: table, columns: columns, cache: cache)
            }
            let parts = try connection(of: collected, definition, model: target, startedAt: .startedAt, fetches)
            return .sync(
                SyncPlan(
                    table: table, indexes: executable.syncIndexes[target], keys: executable.declaredKeys(of: target),
                    arguments: try arguments(collected, definition), parts: parts,
                    bare: try makeFetches([], fetches)))
        }
        let fetches = { [cache = executable.fetches] (columns: [Int]) in
            FetchFamily(table: table, columns: columns, access: query.access, cache: cache)
        }
        let parts = try connection(of: collected, definition, model: target, startedAt: .null, fetches)
        return .page(
            PagePlan(
                query: query, table: table, arguments: try arguments(collected, definition),
                parentPositions: Dictionary(zip(parentColumns, positions), uniquingKeysWith: { first, _ in first }),
                parts: parts, bare: try makeFetches([], fetches)))
    }

    /// The fields of a page's connection object, and what each is.
    private mutating func connection<Fetches>(
        of collected: CollectedField, _ definition: FieldType, model: Int, startedAt: ConnectionPart<Fetches>,
        _ fetches: ([Int]) -> Fetches
    ) throws(GraphQLError) -> [(field: PlannedField, part: ConnectionPart<Fetches>)] {
        let connection = definition.type.namedType
        var parts: [(field: PlannedField, part: ConnectionPart<Fetches>)] = []
        for field in try collector.collectSubfields(of: collected, as: connection) {
            let definition = schema.definition(of: field.reference, in: connection)
            let part: ConnectionPart<Fetches>
            switch (field.reference, definition.name) {
            case (.typename, _): part = .typename(Array("\"\(schema[connection].name)\"".utf8))
            case (_, "nextToken"): part = .nextToken
            case (_, "startedAt"): part = startedAt
            case (_, "items"):
                var projection = Projection()
                let fields = try relatedFields(of: field, as: definition.type.namedType, model: model, &projection)
                part = .items(try makeFetches(projection.columns, fetches), ItemSelection(fields))
            default: part = .null
            }
            parts.append((field: try planned(field, .null, try authorization(of: field)), part: part))
        }
        return parts
    }

    private mutating func makeFetches<Fetches>(
        _ columns: [Int], _ fetches: ([Int]) -> Fetches
    ) throws(GraphQLError) -> Fetches {
        try charge(PlanBytes.part(columns: columns.count))
        return fetches(columns)
    }

    private mutating func write(
        _ kind: WritePlan.Kind, _ model: Int, _ collected: CollectedField, _ definition: FieldType
    ) throws(GraphQLError) -> Resolution {
        let target = executable.definition.models[model]
        let table = executable.tables[target.table]
        let topic = topic(of: collected, definition)
        // An event that is filled carries the whole item, and so does the call of a conflict's function.
        let fillsEvents = topic != nil && fillsEvents(of: target)
        let isWhole = fillsEvents || target.conflictHandler == .lambda
        var projection = Projection(isWhole ? Array(table.table.columns.indices) : [])
        let operation: AuthorizationRule.Operation =
            switch kind {
            case .create: .create
            case .update: .update
            case .delete: .delete
            }
        mutation = operation
        defer { mutation = nil }
        let fields = try fields(of: collected, as: definition.type.namedType, model: model, &projection)
        let versionPosition = table.table.metadata.map { projection.position(of: $0.version) }
        try charge(PlanBytes.write(columns: projection.columns.count))
        return .write(
            WritePlan(
                kind: kind, model: target, table: table, arguments: try arguments(collected, definition),
                returning: projection.columns, fields: fields, topic: topic, fillsEvents: fillsEvents,
                redactedFields: executable.authorization?.redactedFields(model, in: operation) ?? [],
                versionPosition: versionPosition))
    }

    private func fillsEvents(of model: Model) -> Bool {
        executable.options.subscriptions == .fill || model.conflictHandler != nil
    }

    // MARK: - Subscriptions

    /// Whatever the field follows; a field that follows nothing receives no events.
    private mutating func subscription(
        _ collected: CollectedField, _ definition: FieldType
    ) throws(GraphQLError) -> Resolution {
        let parent = schema[collected.parentType].name
        var topics: [Topic] = []
        if case .subscription(let mutations)? = executable.definition.resolver(type: parent, field: definition.name) {
            topics = mutations.compactMap { executable.topics[$0] }
            let definition = executable.definition
            // The results of other mutations are under no rule of version 1.
            mutation =
                mutations.compactMap { definition.mutation($0) }.first
                ?? (definition.transformerVersion == .v2 ? .update : nil)
        }
        defer { mutation = nil }
        try charge(PlanBytes.subscription)
        let shape = try shape(definition.type, of: collected)
        let row = try rowPlan(collected, definition)
        return .subscription(
            SubscriptionPlan(
                topics: topics, arguments: try arguments(collected, definition),
                argumentNames: definition.arguments.map(\.name),
                function: executable.functions[FieldCoordinate(type: parent, field: definition.name)], shape: shape,
                row: row, passesIdentity: passesIdentity))
    }

    private mutating func rowPlan(
        _ collected: CollectedField, _ definition: FieldType
    ) throws(GraphQLError) -> SubscriptionPlan.RowPlan? {
        let type = definition.type
        guard type.element == nil, let model = executable.definition.model(named: schema[type.namedType].name),
            fillsEvents(of: executable.definition.models[model])
        else { return nil }
        let table = executable.tables[executable.definition.models[model].table]
        var projection = Projection(Array(table.table.columns.indices))
        return SubscriptionPlan.RowPlan(
            table: table, fields: try fields(of: collected, as: type.namedType, model: model, &projection))
    }

    /// Where a mutation field's results are published.
    private func topic(of collected: CollectedField, _ definition: FieldType) -> Topic? {
        collected.parentType == schema.mutationType ? executable.topics[definition.name] : nil
    }

    /// Where the parent's row holds these columns; nil when the parent is no model or lacks one.
    private func positions(of names: [String], model: Int?, _ projection: inout Projection) -> [Int]? {
        guard !names.isEmpty else { return [] }
        guard let model else { return nil }
        let table = executable.tables[executable.definition.models[model].table].table
        var positions: [Int] = []
        for name in names {
            guard let column = table.position(of: name) else { return nil }
            positions.append(projection.position(of: column))
        }
        return positions
    }

    private mutating func arguments(
        _ collected: CollectedField, _ definition: FieldType
    ) throws(GraphQLError) -> ArgumentTemplate {
        let arguments = ArgumentTemplate(definition.arguments, collected.node.arguments, in: operation)
        try charge(arguments.byteCount)
        return arguments
    }

    // MARK: - JSON

    /// - Parameter areParents: Whether fields of the objects that have resolvers are run; otherwise they are members, as
    ///   in events.
    private mutating func shape(
        _ type: GraphQLType, of collected: CollectedField, areParents: Bool = false
    ) throws(GraphQLError) -> JSONShape {
        try charge(PlanBytes.shape)
        switch type {
        case .nonNull(let inner): return try shape(inner, of: collected, areParents: areParents)
        case .list(let element):
            return .list(
                try shape(element, of: collected, areParents: areParents), isNonNull: element.isNonNull,
                elementTypeName: schema[element.namedType].name)
        case .named(let id):
            guard schema[id].isComposite else { return .leaf(id) }
            var selections: [String: [PlannedField]] = [:]
            var columns: [String: [ObjectColumn]] = [:]
            var isGathered = false
            for object in schema.possibleTypes(of: id) {
                try charge(PlanBytes.objectShape)
                let name = schema[object].name
                guard areParents else {
                    selections[name] = try properties(of: collected, as: object)
                    continue
                }
                let (fields, members) = try objectFields(of: collected, as: object)
                (selections[name], columns[name]) = (fields, members)
                isGathered = isGathered || !members.isEmpty || fields.contains(where: \.resolution.isGathered)
            }
            return .object(selections, rows: isGathered ? ObjectRows(columns: columns) : nil)
        }
    }

    private mutating func properties(
        of collected: CollectedField, as type: TypeID
    ) throws(GraphQLError) -> [PlannedField] {
        let model = executable.definition.model(named: schema[type].name)
        var properties: [PlannedField] = []
        for property in try collector.collectSubfields(of: collected, as: type) {
            let definition = schema.definition(of: property.reference, in: type)
            let resolution: Resolution
            switch property.reference {
            case .typename: resolution = .typename(Array("\"\(schema[type].name)\"".utf8))
            default:
                let shape = try shape(definition.type, of: property)
                let showsLastClaim = showsLastClaim(definition.name, of: model)
                resolution = .property(definition.name, showsLastClaim ? shape.showingLastClaim : shape)
            }
            var authorization = try authorization(of: property)
            // Events have no field that not every subscriber may read.
            let rules = mutation != nil && operation.definition.type == .subscription ? executable.authorization : nil
            if authorization == nil, let model, rules?.isWithheldFromEvents(definition.name, of: model) == true {
                authorization = try makeAuthorization(field: nil, isRedacted: true)
            }
            properties.append(try planned(property, resolution, authorization))
        }
        return properties
    }
}
