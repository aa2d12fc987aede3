/// Random schemas of both versions: models with keys, relations and rules, enums, custom types, a union, a query.
struct RandomSchemaText {
    var random: SeededGenerator
    let isVersionTwo: Bool

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    private mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }

    mutating func text() -> String {
        let count = Int.random(in: 1...4, using: &random)
        var definitions = (0..<count).map { model($0, of: count) }
        definitions.append("enum Kind {\n  ONE\n  TWO\n  THREE\n}")
        if chance(50) { definitions.append("enum Color { RED GREEN }") }
        definitions.append("type Address {\n  \"where\"\n  street: String!\n  kind: Kind\n}")
        if chance(30) { definitions.append("union Any = M0 | Address") }
        if chance(30) {
            definitions.append(
                "input Ask {\n  kind: Kind = ONE\n}\n\ntype Query {\n  ask(ask: Ask, kinds: [Kind] = [TWO]): Address\n}"
            )
        }
        if chance(50) { definitions.shuffle(using: &random) }
        return definitions.joined(separator: "\n\n") + "\n"
    }

    private mutating func model(_ index: Int, of count: Int) -> String {
        let scalars = ["String", "Int", "Float", "Boolean", "ID", "AWSDate", "AWSTimestamp", "Kind", "Address"]
        var directives = ["@model"]
        if chance(30) {
            directives[0] += pick([
                "(subscriptions: {level: off})", "(queries: null)", "(timestamps: {createdAt: \"made\"})",
            ])
        }
        if chance(40) {
            directives.append(
                pick([
                    "@auth(rules: [{allow: public}])",
                    "@auth(rules: [{allow: owner, ownerField: \"f1\"}, { allow: private }])",
                ]))
        }
        if !isVersionTwo, chance(40) { directives.append("@key(name: \"byF1\", fields: [\"f1\", \"f2\"])") }
        if chance(15) { directives.append("@custom(x: \"y\")") }
        var fields = [isVersionTwo ? "id: ID! @primaryKey" : "id: ID!"]
        fields.append(
            "f1: String!" + (isVersionTwo && chance(40) ? " @index(name: \"byF1\", sortKeyFields: [\"f2\"])" : ""))
        fields.append("f2: ID")
        for number in 3..<3 + Int.random(in: 0...3, using: &random) {
            let type = pick(scalars)
            let written = pick([type, type + "!", "[\(type)]", "[\(type)!]!"])
            let hasDefault = isVersionTwo && type == "Kind" && written == "Kind"
            fields.append("f\(number): \(written)" + (hasDefault ? " @default(value: \"ONE\")" : ""))
        }
        if index + 1 < count {
            fields.append("next: M\(index + 1) " + (isVersionTwo ? "@hasOne" : "@connection"))
            if chance(40) {
                fields.append(
                    "own: M\(index + 1) "
                        + (isVersionTwo ? "@hasOne(fields: [\"f2\"])" : "@connection(fields: [\"f2\"])"))
            }
        }
        let head = "type M\(index) " + directives.joined(separator: " ")
        if chance(15) { return head + " { " + fields.joined(separator: pick([", ", " "])) + " }" }
        return head + " {\n" + fields.map { "  \($0)\n" }.joined() + "}"
    }
}
