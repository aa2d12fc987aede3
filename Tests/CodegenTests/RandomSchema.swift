import Testing

/// Random numbers that a seed repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// A schema of random models: every scalar, list, enum, embedded type, key, rule and kind of relation of a version.
struct RandomSchema {
    private(set) var text = ""

    private static let scalars = [
        "ID", "String", "Int", "Float", "Boolean", "AWSDate", "AWSTime", "AWSDateTime", "AWSTimestamp", "AWSEmail",
        "AWSJSON", "AWSURL", "AWSPhone", "AWSIPAddress",
    ]
    /// Keywords of Swift that the generator escapes.
    private static let keywords = [
        "in", "default", "where", "case", "is", "as", "switch", "operator", "return", "left",
    ]

    private var generator: SeededGenerator
    private let prefix: String
    private let isVersionTwo: Bool

    /// - Parameter prefix: What the names of the types begin with.
    init(seed: UInt64, isVersionTwo: Bool, prefix: String) {
        generator = SeededGenerator(seed: seed)
        self.prefix = prefix
        self.isVersionTwo = isVersionTwo
        text = write()
    }

    private mutating func chance(_ part: Int) -> Bool { Int.random(in: 0..<part, using: &generator) == 0 }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    private mutating func wrapped(_ type: String) -> String {
        // In version 2 a required list of optional elements is decoded wrongly where relations are lazy.
        pick(
            [type, "\(type)!", "[\(type)]", "[\(type)!]", "[\(type)!]!"] + (isVersionTwo ? [] : ["[\(type)]!"]))
    }

    private mutating func scalarFields(_ count: Int, _ types: [String]) -> [String] {
        var names = (0..<count).map { "field\($0)" }
        if chance(2) { names.append(pick(Self.keywords)) }
        if chance(3) { names.append("snake_case") }
        return names.map { "  \($0): \(wrapped(pick(types)))" }
    }

    private mutating func rules() -> String {
        guard chance(2) else { return "" }
        let rules = [
            "{ allow: public }", "{ allow: owner, operations: [create, read] }",
            "{ allow: owner, ownerField: \"writer\", identityClaim: \"sub\" }",
            "{ allow: groups, groups: [\"Editors\", \"Readers\"] }",
            "{ allow: public, provider: iam, operations: [read] }",
        ]
        let chosen = rules.filter { _ in chance(2) } + ["{ allow: private }"]
        return " @auth(rules: [\(chosen.joined(separator: ", "))])"
    }

    private mutating func write() -> String {
        let status = "\(prefix)Status"
        let place = "\(prefix)Place"
        var parts = [
            "enum \(status) { DRAFT published IN_REVIEW default }",
            "type \(place) {\n\(scalarFields(2, Self.scalars + [status]).joined(separator: "\n"))\n}",
        ]
        let types = Self.scalars + [status, place]
        var fields: [String: [String]] = [:]
        let names = ["Blog", "Post", "Tag", "Reply"].map { prefix + $0 }
        for name in names { fields[name] = scalarFields(Int.random(in: 1...4, using: &generator), types) }
        let (blog, post, tag, reply) = (names[0], names[1], names[2], names[3])
        var heads = Dictionary(uniqueKeysWithValues: names.map { ($0, " @model\(rules())") })
        let bang = chance(2) ? "!" : ""
        fields[post, default: []].insert("  id: ID!", at: 0)
        if isVersionTwo {
            if chance(2) {
                let sort = chance(2) ? "(sortKeyFields: [\"title\"])" : ""
                fields[blog, default: []] += ["  code: ID! @primaryKey\(sort)", "  title: String!"]
            }
            fields[blog, default: []] += ["  posts: [\(post)\(bang)] @hasMany", "  motto: \(tag)\(bang) @hasOne"]
            if chance(2) { fields[post, default: []] += ["  blog: \(blog)\(bang) @belongsTo"] }
            fields[post, default: []] += [
                "  slug: String! @index(name: \"bySlug\", sortKeyFields: [\"rank\"])", "  rank: Int!",
            ]
            fields[post, default: []] += [
                "  tags: [\(tag)] @manyToMany(relationName: \"\(prefix)PostTags\")",
                "  replies: [\(reply)] @hasMany(indexName: \"byPost\", fields: [\"id\"])",
            ]
            fields[tag, default: []] += ["  posts: [\(post)] @manyToMany(relationName: \"\(prefix)PostTags\")"]
            fields[reply, default: []] += [
                "  postID: ID! @index(name: \"byPost\")", "  post: \(post)\(bang) @belongsTo(fields: [\"postID\"])",
            ]
        } else {
            fields[blog, default: []] += [
                "  posts: [\(post)] @connection(name: \"BlogPosts\")", "  tags: [\(tag)\(bang)] @connection",
            ]
            fields[post, default: []] += [
                "  blog: \(blog)\(bang) @connection(name: \"BlogPosts\")", "  tag: \(tag)\(bang) @connection",
                "  replies: [\(reply)] @connection(keyName: \"byPost\", fields: [\"id\"], limit: 50)",
            ]
            heads[reply, default: ""] += " @key(name: \"byPost\", fields: [\"postID\", \"rank\"])"
            fields[reply, default: []] += [
                "  postID: ID!", "  rank: Int!", "  post: \(post)\(bang) @connection(fields: [\"postID\"])",
            ]
        }
        if chance(2) {
            heads[tag, default: ""] = " @model(timestamps: { createdAt: \"madeAt\", updatedAt: \"changedAt\" })"
        }
        parts += names.map { "type \($0)\(heads[$0] ?? "") {\n\((fields[$0] ?? []).joined(separator: "\n"))\n}" }
        return parts.joined(separator: "\n\n")
    }
}
