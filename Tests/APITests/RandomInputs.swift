import GraphQL
import JSON
import Tables
import Transformer

/// Made-up input values, and foreign keys that point at items which are there.
struct RandomInputs {
    var random: SeededGenerator
    private let definition: APIDefinition
    private let pairs: [Pair]
    private var counter = 0

    /// Two lists of fields that a relation compares; those of `model` may be set to the values of `other`.
    private struct Pair {
        var model: Int
        var fields: [String]
        var other: Int
        var otherFields: [String]
    }

    init(_ definition: APIDefinition, random: SeededGenerator) {
        self.definition = definition
        self.random = random
        pairs = definition.models.indices.flatMap { Self.pairs(of: $0, in: definition) }
    }

    private static func pairs(of model: Int, in definition: APIDefinition) -> [Pair] {
        let name = definition.models[model].name
        guard let type = definition.schema.type(named: name) else { return [] }
        return (definition.schema[type].fields?.fields ?? []).flatMap { field -> [Pair] in
            let (columns, other, access): ([String], Int, Access)
            switch definition.resolver(type: name, field: field.name) {
            case .related(let relation): (columns, other, access) = (relation.columns, relation.model, relation.access)
            case .query(let relation):
                (columns, other, access) = (relation.parentColumns ?? [], relation.model, relation.access)
            default: return []
            }
            let key = Array(definition.fields(of: access, model: other).prefix(columns.count))
            return [
                Pair(model: model, fields: columns, other: other, otherFields: key),
                Pair(model: other, fields: key, other: model, otherFields: columns),
            ]
        }
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// An input for a model: what it must have and some of the rest, around the `fixed` fields, which an update has.
    mutating func input(
        _ type: TypeID, model: Int, items: [[ReferenceItems.Item]], fixed: ReferenceItems.Item = [:]
    ) -> ReferenceItems.Item {
        guard case .inputObject(let fields) = definition.schema[type].kind else { return fixed }
        let types = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.type) })
        var input = fixed
        let clearable = fixed.isEmpty ? [] : clearable(model)
        for field in fields
        where fixed[field.name] == nil && (field.type.isNonNull || chance(60)) {
            let isCleared = clearable.contains(field.name) && chance(20)
            input[field.name] = isCleared ? .null : value(field.type, depth: 2)
        }
        for pair in pairs where pair.model == model && chance(80) {
            guard let item = items[pair.other].randomElement(using: &random),
                zip(pair.fields, pair.otherFields).allSatisfy({
                    fixed[$0] == nil && mayBe(types[$0], item[$1] ?? .null, of: $1, model: pair.other)
                })
            else { continue }
            for (field, other) in zip(pair.fields, pair.otherFields) { input[field] = item[other] }
        }
        while let (field, type) = missingPart(of: input, model, types) { input[field] = value(type, depth: 2) }
        return input
    }

    /// What an update may set to null.
    private func clearable(_ model: Int) -> Set<String> {
        let type = definition.schema.type(named: definition.models[model].name)
        let fields = type.flatMap { definition.schema[$0].fields?.fields } ?? []
        return Set(fields.filter { !$0.type.isNonNull }.map(\.name))
    }

    /// Whether an input of this type takes the value of another model's field: any text is an ID, and a key that was
    /// generated is one whatever it points at.
    private func mayBe(_ type: GraphQLType?, _ value: JSONValue, of field: String, model: Int) -> Bool {
        guard let type, !value.isNull else { return false }
        let name = definition.schema[type.namedType].name
        if name == "ID" || name == "String" { return value.stringValue != nil }
        let other = definition.schema.type(named: definition.models[model].name)
        let fields = other.flatMap { definition.schema[$0].fields?.fields } ?? []
        return fields.first { $0.name == field }?.type.nullable == type.nullable
    }

    /// A field that has to be given because another part of the same composite sort key is.
    private func missingPart(
        of input: ReferenceItems.Item, _ model: Int, _ types: [String: GraphQLType]
    ) -> (String, GraphQLType)? {
        for key in definition.models[model].compositeSortKeys where key.fields.contains(where: { input[$0] != nil }) {
            for field in key.fields where input[field] == nil {
                if let type = types[field] { return (field, type) }
            }
        }
        return nil
    }

    private mutating func value(_ type: GraphQLType, depth: Int) -> JSONValue {
        if let element = type.element {
            return .array((0..<Int.random(in: 0...2, using: &random)).map { _ in value(element, depth: depth) })
        }
        let named = definition.schema[type.namedType]
        switch named.kind {
        case .enumeration(let values): return .string(values.randomElement(using: &random)?.name ?? "")
        case .inputObject(let fields):
            var members: [(String, JSONValue)] = []
            for field in fields
            where field.type.isNonNull
                || (chance(60) && (depth > 0 || definition.schema[field.type.namedType].isLeaf))
            {
                members.append((field.name, value(field.type, depth: depth - 1)))
            }
            return .object(JSONObject(members))
        default: return scalar(named.name)
        }
    }

    private mutating func scalar(_ name: String) -> JSONValue {
        counter += 1
        let number = counter
        let day = number % 20 + 10
        switch name {
        case "Int", "BigInt", "AWSTimestamp": return .number(String(number - 20))
        case "Float", "Double": return .number("\(number - 20).5")
        case "Boolean": return .bool(chance(50))
        case "AWSDate": return .string("20\(number % 80 + 10)-03-\(day)")
        case "AWSDateTime": return .string("20\(number % 80 + 10)-03-\(day)T01:02:03.\(100 + number % 900)Z")
        case "AWSEmail": return .string("n\(number)@example.com")
        case "AWSJSON": return .string("{\"n\":\(number)}")
        default: return .string("\(name) \"\(number)\" é")
        }
    }
}
