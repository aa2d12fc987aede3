import Foundation
import JSON
import Testing
import Transformer

@testable import API

/// SYNCLINE_RULE_SCHEMAS is how many schemas of each version are drawn, SYNCLINE_SEED the first seed. Without the former, as
/// in `make test`, the same schemas are drawn each time; `make rules` draws new ones.
@Suite("Random schemas with rules answer what a plain reading of the rules answers", .bothExecutors)
struct RandomRuledSchemaTests {
    private static let countGiven =
        ProcessInfo.processInfo.environment["SYNCLINE_RULE_SCHEMAS"].flatMap { UInt64($0) }
    private static let count = countGiven ?? 20
    private static let seeds: ClosedRange<UInt64> = countGiven == nil ? 20_000...20_000 : 0...UInt64.max >> 1

    @Test(
        "data, nulls and errors of gets, lists, queries of indexes, syncs, relations and mutations",
        arguments: [TransformOptions.TransformerVersion.v1, .v2])
    func answers(version: TransformOptions.TransformerVersion) throws {
        let first = UInt64.testSeed(in: Self.seeds)
        print("Random schemas with rules from seed \(first).")
        var counts: [String: Int] = [:]
        var failures = 0
        for seed in first..<first + Self.count where failures < 5 {
            var session = RuledSession(seed: seed, version)
            do {
                if try !session.run(&counts) { failures += 1 }
            } catch {
                Issue.record("seed \(seed): \(error)\n\(session.text)")
                failures += 1
            }
        }
        print(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
        guard Self.count >= 20 else { return }
        for kind in ["data", "U", "C", "U within", "401"] + (version == .v2 ? ["F", "syncs"] : []) {
            #expect(counts[kind, default: 0] > 0, "\(kind) from seed \(first)")
        }
    }
}

/// One schema, its service, and the plain reading of it.
private struct RuledSession {
    private let seed: UInt64
    private var dice: RuledSchemaDice
    private var schema: RuledSchema
    private var reading: PlainReading
    private var callers = PlainCaller.all

    var text: String { schema.text() }

    init(seed: UInt64, _ version: TransformOptions.TransformerVersion) {
        self.seed = seed
        dice = RuledSchemaDice(seed: seed, version)
        schema = dice.schema()
        reading = Self.reading(schema)
    }

    private static func reading(_ schema: RuledSchema) -> PlainReading {
        schema.version == .v1 ? PlainVersionOne(schema) : PlainVersionTwo(schema)
    }

    /// - Returns: Whether all answers agreed.
    mutating func run(_ counts: inout [String: Int]) throws -> Bool {
        guard let (ruled, open) = try services(&counts) else { return true }
        if schema.hasAdmins { callers.append(.admin) }
        for model in schema.models {
            for _ in 0..<5 { try seed(model, open) }
        }
        for _ in 0..<40 {
            let request = request()
            let caller = caller(of: request.model)
            let before = reading.items
            let expected = reading.answer(request, caller)
            let found = try Self.answer(ruled, request, caller)
            counts[Self.kind(of: expected), default: 0] += 1
            if case .sync = request.operation { counts["syncs", default: 0] += 1 }
            guard found == expected else {
                Issue.record(
                    """
                    seed \(seed): \(request.text)
                    as \(caller.name)
                    answers  \(found)
                    expected \(expected)
                    items \(before[request.model.name] ?? [])
                    modes \(schema.modes), sub::username \(schema.usesSubUsername), populates \(schema.populatesOwners), \
                    inherits \(schema.inheritsPrimary)
                    \(text)
                    """)
                return false
            }
        }
        for model in schema.models {
            let names = model.allFields.filter { !$0.isRelation }
            let selection = PlainSelection(parts: names.map { PlainSelection.Part(field: $0) })
            let page = PlainRequest.Page(key: model.key, limit: 100)
            let request = PlainRequest(model: model, operation: .list(page), selection: selection)
            let stored = try Self.answer(open, request, PlainCaller(name: "key", mode: .apiKey)).data
            let items = (reading.items[model.name] ?? []).map { item in
                JSONValue.object(JSONObject(names.map { ($0.name, item[$0.name] ?? .null) }))
            }
            let expected = JSONValue.object([request.field: ["items": .array(items)]]).description
            guard stored == expected else {
                Issue.record("seed \(seed): stored are\n\(stored)\nexpected\n\(expected)\n\(text)")
                return false
            }
        }
        return true
    }

    /// The service with rules and the one without; nil where nothing is left of a schema that has the error that it should have.
    private mutating func services(_ counts: inout [String: Int]) throws -> (ruled: Service, open: Service)? {
        let functions = FakeFunctions(["ping": { _ in .answered(Array("\"pong\"".utf8)) }])
        var options = schema.options
        options.authModes = [.apiKey]
        options.adminRoles = []
        let open = try Service(
            schema.text(hasRules: false), transform: options, home: Service.Home(invokeFunction: functions.invoker))
        let required = (reading as? PlainVersionTwo)?.unreadableRequiredFields ?? []
        if !required.isEmpty {
            counts["schemas refused", default: 0] += 1
            do {
                _ = try open.reloaded(text, transform: schema.options)
                throw TestFailure("accepted, although some readers may not read \(required)")
            } catch let failure as TestFailure where failure.description.contains("missing field-level authorization") {
            }
            // Without the rules of fields it is served. The owners that they add stay, which nobody reads.
            for place in schema.models.indices {
                let added = schema.models[place].addedFields.filter { $0.name != "id" }
                schema.models[place].fields += added
                for field in schema.models[place].fields.indices { schema.models[place].fields[field].rules = nil }
            }
            guard schema.models.contains(where: \.isRuled) else { return nil }
            reading = Self.reading(schema)
        }
        counts["schemas", default: 0] += 1
        return (try open.reloaded(text, transform: schema.options), open)
    }

    private mutating func seed(_ model: RuledSchema.Model, _ open: Service) throws {
        var item: PlainReading.Item = [:]
        for field in model.allFields where !field.isRelation && (isKey(field, model) || dice.chance(70)) {
            item[field.name] = value(of: field)
        }
        guard reading.position(model.key.map { item[$0] ?? .null }, model) == nil else { return }
        let request = PlainRequest(
            model: model, operation: .create(item),
            selection: PlainSelection(parts: [.init(field: model.allFields[0])]))
        try open.seed(request.text)
        reading.items[model.name, default: []].append(item)
    }

    // MARK: - Requests

    private func isKey(_ field: RuledSchema.Field, _ model: RuledSchema.Model) -> Bool {
        model.key.contains(field.name)
    }

    /// A value; a foreign key is often that of an item.
    private mutating func value(of field: RuledSchema.Field) -> JSONValue {
        if field.name == "appleKey" {
            let apples = reading.items["Apple"] ?? [], key = schema.models[0].key[0]
            if let apple = apples.randomElement(using: &dice.random), dice.chance(80) { return apple[key] ?? .null }
            return .string(dice.one(of: RuledSchemaDice.names))
        }
        return dice.value(of: field)
    }

    private mutating func input(_ model: RuledSchema.Model, _ fixed: PlainReading.Item = [:]) -> PlainReading.Item {
        var input = fixed
        for field in model.inputFields where fixed[field.name] == nil {
            if isKey(field, model) {
                input[field.name] = value(of: field)
            } else if dice.chance(30) {
                input[field.name] = dice.chance(25) && !field.isNonNull ? .null : value(of: field)
            }
        }
        return input
    }

    /// The key of an item, or of none.
    private mutating func key(_ model: RuledSchema.Model) -> PlainReading.Item {
        let item = (reading.items[model.name] ?? []).randomElement(using: &dice.random)
        var key: PlainReading.Item = [:]
        for name in model.key {
            guard let field = model.field(name) else { continue }
            key[name] = dice.chance(85) ? item?[name] ?? value(of: field) : value(of: field)
        }
        return key
    }

    private mutating func selection(_ model: RuledSchema.Model, depth: Int = 2) -> PlainSelection {
        var parts: [PlainSelection.Part] = []
        for field in model.allFields where dice.chance(70) {
            var part = PlainSelection.Part(field: field)
            switch field.kind {
            case .toMany(let other, _), .toOne(let other, _):
                guard depth > 0 else { continue }
                part.inner = selection(reading.model(other), depth: depth - 1).parts
                part.limit = dice.one(of: [2, 3, 50])
            case .text, .number, .texts, .bag: break
            }
            parts.append(part)
        }
        return PlainSelection(parts: parts.isEmpty ? [.init(field: model.allFields[0])] : parts)
    }

    private mutating func filter(_ model: RuledSchema.Model, _ percent: Int) -> PlainFilter? {
        guard dice.chance(percent) else { return nil }
        let rating = PlainFilter(field: "rating", isGreater: true, value: .number("\(dice.one(of: [0, 2]))"))
        let title = PlainFilter(field: "title", value: "t")
        return dice.one(of: [rating, title])
    }

    /// A condition of a mutation. Those of version 1 have none on the fields of groups.
    private mutating func condition(_ model: RuledSchema.Model) -> PlainFilter? {
        let filter = filter(model, 20)
        return schema.version == .v1 && filter?.field == "title" ? nil : filter
    }

    /// A caller, most often of a mode that some rule is about.
    private mutating func caller(of model: RuledSchema.Model) -> PlainCaller {
        let rules = (model.rules ?? []) + model.fields.flatMap { $0.rules ?? [] }
        guard let rule = rules.randomElement(using: &dice.random), dice.chance(85) else { return dice.one(of: callers) }
        return dice.one(of: callers.filter { $0.mode == rule.mode })
    }

    private mutating func page(_ model: RuledSchema.Model, _ key: [String], isIndex: Bool) -> PlainRequest.Page {
        var page = PlainRequest.Page(key: key, limit: dice.one(of: [1, 2, 3, 50]))
        page.filter = filter(model, 30)
        guard isIndex || model.key != ["id"] && dice.chance(70) else { return page }
        let item = (reading.items[model.name] ?? []).randomElement(using: &dice.random)
        func value(_ name: String, _ session: inout Self) -> JSONValue {
            if let value = item?[name], !value.isNull, session.dice.chance(80) { return value }
            return model.field(name).map { session.value(of: $0) } ?? .null
        }
        page.partition = value(key[0], &self)
        guard key.count == 2, dice.chance(50) else { return page }
        let sort = value(key[1], &self)
        switch sort {
        case .string(let text) where dice.chance(30): page.sort = .beginsWith(String(text.prefix(1)))
        default: page.sort = dice.chance(70) ? .eq(sort) : .ge(sort)
        }
        return page
    }

    private mutating func request() -> PlainRequest {
        let model = dice.one(of: schema.models)
        let operation: PlainRequest.Operation
        switch Int.random(in: 0..<24, using: &dice.random) {
        case 0...4:
            let key = key(model)
            operation = .get(model.key.map { key[$0] ?? .null })
        case 5...8: operation = .list(page(model, model.key, isIndex: false))
        case 9...12:
            if let index = model.indexes.randomElement(using: &dice.random) {
                operation = .index(index.queryField, page(model, index.fields, isIndex: true))
            } else {
                operation = .list(page(model, model.key, isIndex: false))
            }
        case 13...16: operation = .create(input(model))
        // An update needs a version, which the plain reading does not keep.
        case 17...22 where schema.isVersioned:
            var page = PlainRequest.Page(key: model.key, limit: dice.one(of: [1, 2, 3, 50]))
            // A filter for one title is read by an index of titles, in the order of that.
            page.filter = filter(model, 30).flatMap { $0.field == "title" ? nil : $0 }
            operation = .sync(page)
        case 17...20: operation = .update(input(model, key(model)), condition(model))
        case 21, 22: operation = .delete(key(model), condition(model))
        default: operation = .ping
        }
        return PlainRequest(model: model, operation: operation, selection: selection(model))
    }

    // MARK: - Answers

    private static func kind(of answer: PlainReading.Answer) -> String {
        guard let error = answer.errors.first else { return answer.data == "401" ? "401" : "data" }
        if error.contains("/") { return "U within" }
        return error.contains(" F[") ? "F" : String(error.suffix(1))
    }

    private static func answer(
        _ service: Service, _ request: PlainRequest, _ caller: PlainCaller
    ) throws -> PlainReading.Answer {
        let sent = try service.send(body: Service.body(request.text, nil), as: caller.identity)
        if sent.kind.status == 401 { return PlainReading.Answer(data: "401", errors: []) }
        let answer = try JSONReader.read(sent.text)
        let errors = (answer["errors"]?.arrayValue ?? []).map { error -> String in
            let path = (error["path"]?.arrayValue ?? []).map { $0.stringValue ?? $0.description }
            let message = error["message"]?.stringValue ?? ""
            let kind =
                switch error["errorType"]?.stringValue {
                case "Unauthorized" where message.hasPrefix("Not Authorized to access \(path.last ?? "") on type "): "U"
                case "Unauthorized" where message.hasPrefix("Unauthorized on ["):
                    "F[\(message.dropFirst("Unauthorized on [".count).dropLast().components(separatedBy: ", ").sorted().joined(separator: ", "))]"
                case "DynamoDB:ConditionalCheckFailedException", "ConditionalCheckFailedException": "C"
                default: message.hasPrefix("Cannot return null for non-nullable type") ? "N" : error.description
                }
            return "\(path.joined(separator: "/")) \(kind)"
        }
        return PlainReading.Answer(data: answer["data"]?.description ?? "no data", errors: errors)
    }
}
