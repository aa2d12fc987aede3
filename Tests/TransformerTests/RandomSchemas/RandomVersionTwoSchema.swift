/// A random schema of version 2 that is valid: models, keys, indexes, every form of relation, defaults, mapped names.
struct RandomVersionTwoSchema: SchemaDice {
    private struct Model {
        var name: String
        var directives: [String] = []
        var fields: [String] = []
        /// The primary key, its names and types in key order.
        var key: [(name: String, type: String)] = [("id", "ID")]
    }

    var random: SeededGenerator
    private var types: [String] = []
    private var models: [Model] = []
    var counter = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let scalars = [
        "ID", "String", "Int", "Float", "AWSDate", "AWSDateTime", "AWSTimestamp", "AWSEmail", "Mood", "BigInt",
        "Double",
    ]
    private static let defaults = [
        ("String", "text"), ("Int", "-3"), ("Float", "1.5"), ("Boolean", "true"), ("AWSDate", "2020-02-29"),
        ("AWSDateTime", "2020-01-01T00:00:00Z"), ("AWSTimestamp", "12"), ("Mood", "GOOD"), ("AWSJSON", "{}"),
    ]

    mutating func text() -> String {
        types.append("enum Mood { GOOD BAD }")
        types.append("type Place { street: String geo: Geo tags: [String!]! mood: Mood }")
        types.append("type Geo { lat: Float! lon: Float! place: Place }")
        // Without it a schema that happens to use no directive of version 2 would be of version 1.
        types.append("input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }")
        if chance(40) { types.append("type Query { ping(times: Int = 1): String }") }
        if chance(20) { types.append("type Subscription { onMine: Int @aws_subscribe(mutations: []) }") }
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            models.append(Model(name: name(pick(["Post", "box", "Reply", "Data_", "HTTPLog"]))))
        }
        for index in models.indices { declare(index) }
        for _ in 0..<Int.random(in: 0...6, using: &random) { relate() }
        for model in models {
            let fields = model.fields.joined(separator: "\n  ")
            types.insert(
                "type \(model.name) \(model.directives.joined(separator: " ")) {\n  \(fields)\n}",
                at: Int.random(in: 0...types.count, using: &random))
        }
        return types.joined(separator: "\n")
    }

    private mutating func declare(_ index: Int) {
        models[index].directives.append("@model" + modelArguments())
        if chance(15) { models[index].directives.append("@mapsTo(name: \"\(name("Old"))\")") }
        if chance(70) { models[index].fields.append(pick(["id: ID!", "id: ID!", "id: String!"])) }
        var plain = (0..<Int.random(in: 2...6, using: &random)).map { _ in (name: name("f"), type: pick(Self.scalars)) }
        if chance(35) {
            models[index].key = Array(plain.prefix(Int.random(in: 1...3, using: &random)))
            let sortKeys = models[index].key.dropFirst().map { "\"\($0.name)\"" }.joined(separator: ", ")
            let arguments = sortKeys.isEmpty ? "" : "(sortKeyFields: [\(sortKeys)])"
            models[index].fields.append("\(plain[0].name): \(plain[0].type)! @primaryKey\(arguments)")
            plain.removeFirst()
            models[index].fields += plain.map { "\($0.name): \($0.type)!" }
        } else {
            if models[index].fields.first == "id: String!" { models[index].key = [("id", "String")] }
            models[index].fields += plain.map {
                "\($0.name): \($0.type)!\(self.index(of: $0.name, among: plain.map(\.name)))"
            }
        }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let type = pick(Self.scalars + ["Place", "Boolean", "Geo", "AWSJSON"])
            models[index].fields.append("\(name("g")): \(pick([type, "[\(type)]", "[\(type)!]!", "\(type)!"]))")
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let (type, value) = pick(Self.defaults)
            let text = value.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
            models[index].fields.append("\(name("d")): \(type)\(pick(["", "!"])) @default(value: \"\(text)\")")
        }
        if chance(15) { models[index].fields.append("\(name("r")): Int @refersTo(name: \"\(name("column_"))\")") }
        if chance(30) { models[index].fields.append("createdAt: \(pick(["AWSDateTime!", "String", "Int"]))") }
    }

    /// An index on a field of a model without a primary key of its own, sorted by others.
    private mutating func index(of field: String, among fields: [String]) -> String {
        guard chance(30) else { return "" }
        var arguments: [String] = []
        if chance(60) { arguments.append("name: \"\(name("by"))\"") }
        let sortKeys = fields.filter { $0 != field }.shuffled(using: &random)
            .prefix(Int.random(in: 0...3, using: &random))
        if !sortKeys.isEmpty {
            arguments.append("sortKeyFields: [\(sortKeys.map { "\"\($0)\"" }.joined(separator: ", "))]")
        }
        if chance(40) { arguments.append("queryField: \(pick(["null", "\"\(name("query"))\""]))") }
        return " @index" + (arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))")
    }

    private mutating func modelArguments() -> String {
        var arguments: [String] = []
        if chance(15) {
            arguments.append("queries: \(pick(["null", "{}", "{ get: \"\(name("one"))\", list: null }"]))")
        }
        if chance(15) { arguments.append("mutations: \(pick(["null", "{ create: \"\(name("make"))\" }"]))") }
        if chance(20) {
            arguments.append(
                "subscriptions: "
                    + pick(["null", "{ level: off }", "{ level: public }", "{ onCreate: [\"\(name("on"))\"] }"]))
        }
        if chance(10) { arguments.append("timestamps: \(pick(["null", "{ createdAt: \"\(name("made"))\" }"]))") }
        return arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
    }

    private mutating func relate() {
        let parent = models.indices.randomElement(using: &random) ?? 0
        let related = models.indices.randomElement(using: &random) ?? 0
        let field = name("to"), back = name("from")
        let (parentName, relatedName) = (models[parent].name, models[related].name)
        let bang = chance(30) ? "!" : ""
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
            models[parent].fields.append("\(field): [\(relatedName)]\(bang) @hasMany(limit: 5)")
            if chance(60) { models[related].fields.append("\(back): \(parentName)\(bang) @belongsTo") }
        case 1:
            models[parent].fields.append("\(field): \(relatedName)\(bang) @hasOne")
            if chance(60) { models[related].fields.append("\(back): \(parentName) @belongsTo") }
        case 2:
            // By an index that is sorted or not, with one field, so that the sort key is an argument.
            let key = name("by"), column = name("k"), own = name("k"), sort = name("k")
            let isSorted = chance(50)
            let sortKeys = isSorted ? ", sortKeyFields: [\"\(sort)\"]" : ""
            if isSorted { models[related].fields.append("\(sort): \(pick(["Int", "String!", "AWSDateTime"]))") }
            models[related].fields.append("\(column): ID @index(name: \"\(key)\"\(sortKeys))")
            models[parent].fields.append("\(own): ID")
            models[parent].fields.append(
                "\(field): [\(relatedName)] @hasMany(indexName: \"\(key)\", fields: [\"\(own)\"])")
        case 3:
            let names = copy(of: models[related].key, into: parent, isNonNull: !bang.isEmpty)
            models[parent].fields.append("\(field): \(relatedName)\(bang) @hasOne(fields: [\(names)])")
        case 4:
            models[related].fields.append("\(back): [\(parentName)] @hasMany")
            let names = copy(of: models[related].key, into: parent, isNonNull: false)
            models[parent].fields.append("\(field): \(relatedName) @belongsTo(fields: [\(names)])")
        case 5:
            let names = copy(of: models[parent].key, into: related, isNonNull: !bang.isEmpty)
            models[parent].fields.append("\(field): [\(relatedName)] @hasMany(references: [\(names)])")
            models[related].fields.append("\(back): \(parentName) @belongsTo(references: [\(names)])")
        case 6:
            let names = copy(of: models[parent].key, into: related, isNonNull: !bang.isEmpty)
            models[parent].fields.append("\(field): \(relatedName) @hasOne(references: [\(names)])")
            models[related].fields.append("\(back): \(parentName) @belongsTo(references: [\(names)])")
        default:
            guard parent != related else { return }
            let pair = name("Pair")
            models[parent].fields.append("\(field): [\(relatedName)] @manyToMany(relationName: \"\(pair)\")")
            models[related].fields.append("\(back): [\(parentName)!]! @manyToMany(relationName: \"\(pair)\", limit: 7)")
        }
    }

    /// Declares a field for each part of a key in another model, and gives their names as a list's elements.
    private mutating func copy(
        of key: [(name: String, type: String)], into model: Int, isNonNull: Bool
    ) -> String {
        let fields = key.map { (name: name("k"), type: $0.type) }
        models[model].fields += fields.map { "\($0.name): \($0.type)\(isNonNull ? "!" : "")" }
        return fields.map { "\"\($0.name)\"" }.joined(separator: ", ")
    }
}
