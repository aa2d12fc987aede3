import GraphQL
import JSON
import Testing
import Transformer

@testable import API

@Suite("Random schemas served", .bothExecutors) struct RandomSchemaServingTests {
    @Test(
        "every model is created, read, listed, updated and deleted, and every relation walked, as the reference says",
        arguments: [false, true])
    func serves(isVersionTwo: Bool) throws {
        let first = UInt64.testSeed(in: 0...UInt64.max >> 1)
        print("Random schemas served from seed \(first).")
        var walkCount = 0
        for seed in first..<first + 20 {
            var schema = RandomSchema(seed: seed), schemaOfTwo = RandomVersionTwoSchema(seed: seed)
            let text = isVersionTwo ? schemaOfTwo.text() : schema.text()
            do {
                var session = try Session(text, seed: seed)
                try session.run()
                walkCount += session.walkCount
            } catch {
                Issue.record("seed \(seed): \(error)\n\(text)")
                return
            }
        }
        // Random keys that never met would make a test that cannot fail.
        #expect(walkCount > 20, "from seed \(first)")
    }
}

/// One schema and its service, beside the reference of all that was written.
private struct Session {
    let service: Service
    var reference: ReferenceItems
    var inputs: RandomInputs
    /// How many related items were found.
    private(set) var walkCount = 0

    /// How many steps of relations and nested types are selected: there, and back again.
    private static let depth = 2

    init(_ text: String, seed: UInt64) throws {
        service = try Service(text, transform: TransformOptions(improvePluralization: seed % 2 == 0))
        reference = ReferenceItems(service.definition)
        inputs = RandomInputs(service.definition, random: SeededGenerator(seed: seed ^ 0x5EED))
    }

    private var definition: APIDefinition { service.definition }
    private var schema: Schema { definition.schema }

    mutating func run() throws {
        try checkPrint()
        for _ in 0..<3 {
            for model in definition.models.indices { try create(model) }
        }
        for model in definition.models.indices { try read(model) }
        for model in definition.models.indices { try update(model) }
        for model in definition.models.indices { try read(model) }
        countWalks()
        for model in definition.models.indices { try delete(model) }
        for model in definition.models.indices { try read(model) }
    }

    /// The print is a schema again. One whose models have no queries has no root of queries to be one with.
    private func checkPrint() throws {
        let printed = Printer.print(definition.document)
        let parsed = Parser.parseTypeSystem([Source(printed)])
        guard parsed.errors.isEmpty else { throw TestFailure("the print is not read: \(parsed.errors)") }
        if printed.contains("type Query ") { _ = try SchemaBuilder.build(from: parsed.document) }
    }

    // MARK: - Mutations

    private mutating func create(_ model: Int) throws {
        guard let field = field(of: schema.mutationType, .createItem(model: model)),
            let argument = field.arguments.first(where: { $0.name == "input" })
        else { return }
        var input = inputs.input(argument.type.namedType, model: model, items: reference.items)
        let key = reference.key(of: input, model: model)
        // A key of an enum is soon taken.
        guard key.contains(.null) || reference.position(of: key, model: model) == nil else { return }
        let answer = try answer("mutation", field, [(argument, .object(JSONObject(input.sorted { $0.key < $1.key })))])
        for value in definition.models[model].defaultValues where (input[value.field] ?? .null).isNull {
            input[value.field] = try JSONReader.read(value.value.jsonText)
        }
        try take(definition.models[model].filledDates + ["id"], from: answer, model: model, into: &input)
        try compare(answer, reference.answer(input, of: field.type.namedType, depth: 0), field)
        reference.items[model].append(input)
    }

    private mutating func update(_ model: Int) throws {
        guard let field = field(of: schema.mutationType, .updateItem(model: model)),
            let argument = field.arguments.first(where: { $0.name == "input" })
        else { return }
        for position in reference.items[model].indices {
            var item = reference.items[model][position]
            let fixed = item.filter { definition.models[model].primaryKey.contains($0.key) }
            let input = inputs.input(
                argument.type.namedType, model: model, items: reference.items, fixed: fixed)
            let answer = try answer(
                "mutation", field, [(argument, .object(JSONObject(input.sorted { $0.key < $1.key })))])
            item.merge(input) { $1 }
            if let updatedAt = definition.models[model].updatedAt, (input[updatedAt] ?? .null).isNull {
                item[updatedAt] = nil
                try take([updatedAt], from: answer, model: model, into: &item)
            }
            try compare(answer, reference.answer(item, of: field.type.namedType, depth: 0), field)
            reference.items[model][position] = item
        }
    }

    /// Deletes the oldest item, and asks for it again.
    private mutating func delete(_ model: Int) throws {
        guard let field = field(of: schema.mutationType, .deleteItem(model: model)),
            let argument = field.arguments.first(where: { $0.name == "input" }),
            let item = reference.items[model].first
        else { return }
        let names = definition.models[model].primaryKey
        let input = JSONObject(names.map { ($0, item[$0] ?? .null) })
        let answer = try answer("mutation", field, [(argument, .object(input))])
        try compare(answer, reference.answer(item, of: field.type.namedType, depth: 0), field)
        reference.items[model].removeFirst()
        if let get = getField(of: model) { try compare(try self.get(item, get), .null, get) }
    }

    /// What the service fills in is taken as it answers it, and must be there.
    private func take(
        _ names: [String], from answer: JSONValue, model: Int, into item: inout ReferenceItems.Item
    ) throws {
        for name in names where (item[name] ?? .null).isNull {
            guard let value = answer[name] else { continue }
            let isFilled = name != "id" || definition.models[model].generatesID
            if isFilled && value.isNull { throw TestFailure("\(name) is not filled in: \(answer)") }
            item[name] = value
        }
    }

    // MARK: - Queries

    private func read(_ model: Int) throws {
        if let field = getField(of: model) {
            for item in reference.items[model] {
                let expected = reference.answer(item, of: field.type.namedType, depth: Self.depth)
                try compare(try get(item, field, depth: Self.depth), expected ?? .null, field)
            }
        }
        guard let field = listField(of: model), let type = schema.type(named: definition.models[model].name),
            let limit = field.arguments.first(where: { $0.name == "limit" })
        else { return }
        let answer = try answer(
            "query", field, [(limit, 100)], selection: "items { \(reference.selection(of: type, depth: 0)) }")
        let items = reference.items[model].compactMap { reference.answer($0, of: type, depth: 0) }
        try compare(answer, ["items": .array(items)], field)
    }

    private func get(_ item: ReferenceItems.Item, _ field: FieldType, depth: Int = 0) throws -> JSONValue {
        let arguments = field.arguments.map { ($0, item[$0.name] ?? .null) }
        let selection = reference.selection(of: field.type.namedType, depth: depth)
        return try answer("query", field, arguments, selection: selection, mayFail: depth > 0)
    }

    private mutating func countWalks() {
        for (index, model) in definition.models.enumerated() {
            guard let type = schema.type(named: model.name) else { continue }
            for field in schema[type].fields?.fields ?? [] {
                for item in reference.items[index] {
                    switch definition.resolver(type: model.name, field: field.name) {
                    case .related(let relation): walkCount += reference.related(by: relation, of: item).count
                    case .query(let relation): walkCount += reference.related(by: relation, of: item).count
                    default: break
                    }
                }
            }
        }
    }

    // MARK: - Requests

    private func field(of root: TypeID?, _ resolver: Resolver) -> FieldType? {
        fields(of: root).first { $0.resolver == resolver }?.field
    }

    private func getField(of model: Int) -> FieldType? {
        fields(of: schema.queryType).first { field in
            if case .getItem(let item) = field.resolver { item.model == model } else { false }
        }?.field
    }

    private func listField(of model: Int) -> FieldType? {
        fields(of: schema.queryType).first { field in
            if case .query(let query) = field.resolver { query.model == model && query.kind == .list } else { false }
        }?.field
    }

    private func fields(of root: TypeID?) -> [(field: FieldType, resolver: Resolver)] {
        guard let root else { return [] }
        return (schema[root].fields?.fields ?? []).compactMap { field in
            definition.resolver(type: schema[root].name, field: field.name).map { (field, $0) }
        }
    }

    /// The answer of one root field, its arguments given as variables.
    private func answer(
        _ operation: String, _ field: FieldType, _ arguments: [(InputField, JSONValue)], selection: String? = nil,
        mayFail: Bool = false
    ) throws -> JSONValue {
        let selection = selection ?? reference.selection(of: field.type.namedType, depth: 0)
        let variables = arguments.map { "$\($0.0.name): \(schema.name(of: $0.0.type))" }.joined(separator: ", ")
        let given = arguments.map { "\($0.0.name): $\($0.0.name)" }.joined(separator: ", ")
        let document = "\(operation)(\(variables)) { \(field.name)(\(given)) { \(selection) } }"
        let values = JSONValue.object(JSONObject(arguments.map { ($0.0.name, $0.1) })).description
        let answer = try service.run(document, values)
        guard let data = answer["data"]?[field.name], mayFail || answer["errors"] == nil else {
            throw TestFailure("\(document)\n\(values)\n\(answer)")
        }
        return data
    }

    private func compare(_ answer: JSONValue, _ expected: JSONValue?, _ field: FieldType) throws {
        guard Self.sorted(answer) == Self.sorted(expected ?? .null) else {
            throw TestFailure("\(field.name) answers\n\(answer)\nnot\n\(expected ?? .null)")
        }
    }

    /// The value with the items of its pages in an order of their own: other tests look at that of the indexes.
    private static func sorted(_ value: JSONValue) -> JSONValue {
        if case .array(let elements) = value { return .array(elements.map(sorted)) }
        guard case .object(let object) = value else { return value }
        let members = object.map { (key, value) -> (String, JSONValue) in
            let value = sorted(value)
            guard key == "items", case .array(let items) = value else { return (key, value) }
            return (key, .array(items.sorted { $0.description < $1.description }))
        }
        return .object(JSONObject(members))
    }
}
