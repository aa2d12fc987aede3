/// A random schema of version 1 that is valid: models, keys, all styles of connection, enums, nested types.
struct RandomSchema: SchemaDice {
    var random: SeededGenerator
    private var types: [String] = []
    private var models: [String] = []
    /// Per model: its directives and fields as text, and the names already taken.
    private var directives: [String: [String]] = [:]
    private var fields: [String: [String]] = [:]
    private var keyed: Set<String> = []
    var counter = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func text() -> String {
        types.append("enum Mood { GOOD BAD }")
        types.append("enum Size { S M L }")
        types.append("type Place { street: String geo: Geo tags: [String!]! size: Size }")
        types.append("type Geo { lat: Float! lon: Float! place: Place }")
        types.append("type Unused { a: Int mood: [Mood!] }")
        if chance(50) { types.append("\"Roots.\" type Query { ping(times: Int = 1): String }") }
        if chance(30) { types.append("type Subscription { onMine: Int @aws_subscribe(mutations: []) }") }
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            models.append(name(pick(["Post", "box", "Reply", "Data_", "HTTPLog"])))
        }
        for model in models { declare(model) }
        for _ in 0..<Int.random(in: 0...6, using: &random) { connect() }
        for model in models {
            types.insert(
                "type \(model) \((directives[model] ?? []).joined(separator: " ")) {\n  "
                    + (fields[model] ?? []).joined(separator: "\n  ") + "\n}",
                at: Int.random(in: 0...types.count, using: &random))
        }
        return types.joined(separator: "\n")
    }

    private mutating func declare(_ model: String) {
        var directives = ["@model" + modelArguments()]
        var fields: [String] = []
        let scalars = [
            "ID", "String", "Int", "Float", "AWSDate", "AWSDateTime", "AWSTimestamp", "AWSEmail", "Mood", "BigInt",
            "Double", "AWSJSON",
        ]
        if chance(75) { fields.append("id: ID!") }
        let plain = (0..<Int.random(in: 1...6, using: &random)).map { _ in (name("f"), pick(scalars)) }
        fields += plain.map { "\($0): \($1)!" }
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let type = pick(scalars + ["Place", "Boolean", "Geo"])
            fields.append("\(name("g")): \(pick([type, "[\(type)]", "[\(type)!]!", "\(type)!"]))")
        }
        if chance(30) { fields.append("createdAt: \(pick(["AWSDateTime!", "String", "Int"]))") }
        if chance(40) {
            directives.append("@key(fields: [\(plain.prefix(3).map { "\"\($0.0)\"" }.joined(separator: ", "))])")
            keyed.insert(model)
        }
        // The primary key begins with the first field, so that an index by another is always allowed.
        for _ in 0..<Int.random(in: 0...2, using: &random) where plain.count > 1 {
            let key = plain.dropFirst().shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random))
            let names = key.map { "\"\($0.0)\"" }.joined(separator: ", ")
            let queryField = chance(60) ? ", queryField: \"\(name("query"))\"" : ""
            directives.append("@key(name: \"\(name("by"))\", fields: [\(names)]\(queryField))")
        }
        self.directives[model] = directives
        self.fields[model] = fields
    }

    private mutating func modelArguments() -> String {
        var arguments: [String] = []
        if chance(15) { arguments.append("queries: \(pick(["null", "{}", "{ get: \"\(name("one"))\" }"]))") }
        if chance(15) { arguments.append("mutations: \(pick(["null", "{ create: \"\(name("make"))\" }"]))") }
        if chance(15) { arguments.append("subscriptions: \(pick(["null", "{ level: off }", "{ level: public }"]))") }
        if chance(10) { arguments.append("timestamps: \(pick(["null", "{ createdAt: \"\(name("made"))\" }"]))") }
        return arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
    }

    private mutating func connect() {
        let parent = pick(models), related = pick(models)
        let field = name("to"), back = name("from"), pair = name("Pair")
        let bang = chance(30) ? "!" : ""
        switch Int.random(in: 0..<6, using: &random) {
        case 0: fields[parent]?.append("\(field): [\(related)] @connection(limit: 5)")
        case 1: fields[parent]?.append("\(field): \(related)\(bang) @connection")
        case 2:
            fields[parent]?.append("\(field): [\(related)\(bang)] @connection(name: \"\(pair)\")")
            fields[related]?.append("\(back): \(parent)\(bang) @connection(name: \"\(pair)\")")
        case 3:
            let at = name("at")
            fields[parent]?.append("\(field): [\(related)] @connection(name: \"\(pair)\", sortField: \"\(at)\")")
            fields[related]?.append(
                "\(at): AWSTimestamp! \(back): \(parent) @connection(name: \"\(pair)\", sortField: \"\(at)\")")
        case 4:
            // A query needs the type of the index: an ID that both sides declare.
            let key = name("by"), column = name("k"), own = name("k")
            let sort = chance(50) ? ", \"\(name("k"))\"" : ""
            let sortField = sort.isEmpty ? "" : "\(sort.dropFirst(3).dropLast()): \(pick(["Int", "String!"]))"
            directives[related]?.append("@key(name: \"\(key)\", fields: [\"\(column)\"\(sort)])")
            fields[related]?.append("\(column): ID \(sortField)")
            fields[parent]?.append(
                "\(own): ID \(field): [\(related)] @connection(keyName: \"\(key)\", fields: [\"\(own)\"])")
        default:
            guard !keyed.contains(related), fields[related]?.first == "id: ID!" else { return }
            let own = name("k")
            fields[parent]?.append("\(own): ID\(bang) \(field): \(related) @connection(fields: [\"\(own)\"])")
        }
    }
}
