import Foundation
import JSON
import Transformer

/// Draws schemas with rules, and values that their rules and their callers have in common.
struct RuledSchemaDice {
    var random: SeededGenerator
    let version: TransformOptions.TransformerVersion

    init(seed: UInt64, _ version: TransformOptions.TransformerVersion) {
        random = SeededGenerator(seed: seed)
        self.version = version
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func some<Element>(of elements: [Element], _ percent: Int) -> [Element] {
        elements.filter { _ in chance(percent) }
    }

    // MARK: - Schemas

    mutating func schema() -> RuledSchema {
        var modes = TransformOptions.AuthMode.allCases
        if chance(60) { modes = [.userPools, .apiKey, .iam, .oidc, .lambda] } else { modes.shuffle(using: &random) }
        var schema = RuledSchema(version: version, modes: modes, models: [])
        schema.models = (0..<Int.random(in: 1...3, using: &random)).map { model(["Apple", "Boat", "Cart"][$0]) }
        if schema.models.count > 1, chance(70) { relate(&schema.models) }
        for place in schema.models.indices { addRules(to: &schema.models[place]) }
        if !schema.models.contains(where: \.isRuled) { schema.models[0].rules = rules(of: schema.models[0], 1...3) }
        if chance(40) { schema.bagRules = plainRules() }
        if chance(60) { schema.pingRules = plainRules() }
        guard version == .v2 else { return schema }
        schema.isSandbox = chance(20)
        schema.isVersioned = chance(30)
        schema.usesSubUsername = chance(70)
        schema.populatesOwners = chance(60)
        schema.inheritsPrimary = chance(30)
        // What roles of administrators may do outside of models is not specified.
        schema.hasAdmins = schema.bagRules == nil && schema.pingRules == nil && chance(50)
        return schema
    }

    private mutating func model(_ name: String) -> RuledSchema.Model {
        func text(_ name: String, _ type: String = "String") -> RuledSchema.Field {
            RuledSchema.Field(name: name, type: type, kind: .text)
        }
        let no = RuledSchema.Field(name: "no", type: "Int!", kind: .number)
        var fields: [RuledSchema.Field]
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2: fields = [text("id", "ID")]
        case 3: fields = []
        case 4: fields = [text("id", "ID!")]
        case 5: fields = [text("owner", "String!")]
        case 6: fields = [text("owner", "String!"), no]
        case 7: fields = [text("k", "String!"), text("owner", "String!")]
        case 8: fields = [text("k", "String!"), no, text("owner", "String!")]
        case 9: fields = [text("team", "String!"), no]
        case 10: fields = [text("k", "String!"), text("team", "String!")]
        default: fields = [text("team", "String!"), text("owner", "String!")]
        }
        let key = fields.isEmpty ? ["id"] : fields.map(\.name)
        fields += [text("title"), RuledSchema.Field(name: "rating", type: "Int", kind: .number)]
        if !key.contains("owner"), chance(60) { fields.append(text("owner")) }
        fields.append(RuledSchema.Field(name: "editors", type: "[String]", kind: .texts))
        fields.append(RuledSchema.Field(name: "teams", type: "[String]", kind: .texts))
        if !key.contains("team") { fields.append(text("team")) }
        fields.append(RuledSchema.Field(name: "bag", type: "Bag", kind: .bag))
        var model = RuledSchema.Model(name: name, fields: fields, key: key)
        for partition in ["title", "owner", "team"] where fields.contains(where: { $0.name == partition }) {
            guard partition != key[0], chance(30) else { continue }
            let sorts = ["owner", "team", "rating", "title"].filter { sort in
                sort != partition && fields.contains { $0.name == sort }
            }
            let sort = chance(70) ? [one(of: sorts)] : []
            model.indexes.append(
                RuledSchema.Index(
                    name: "by\(partition.capitalized)", fields: [partition] + sort,
                    queryField: "\(name.lowercased())sBy\(partition.capitalized)"))
        }
        model.hasRuledSubscriptions = chance(80)
        return model
    }

    /// Relates two models with each other, where the first has a key of one part.
    private mutating func relate(_ models: inout [RuledSchema.Model]) {
        guard models[0].key.count == 1, let key = models[0].fields.first(where: { $0.name == models[0].key[0] }) else {
            return
        }
        let type = key.type.replacing("!", with: "")
        models[0].fields.append(
            RuledSchema.Field(name: "boats", type: "[Boat]", kind: .toMany(model: "Boat", index: "byApple")))
        models[1].fields.append(RuledSchema.Field(name: "appleKey", type: type, kind: .text))
        models[1].fields.append(
            RuledSchema.Field(name: "apple", type: "Apple", kind: .toOne(model: "Apple", key: "appleKey")))
        let sorts = ["owner", "team", "title"].filter { name in models[1].fields.contains { $0.name == name } }
        models[1].indexes.append(
            RuledSchema.Index(
                name: "byApple", fields: ["appleKey"] + (chance(60) ? [one(of: sorts)] : []),
                queryField: "boatsByApple"))
    }

    // MARK: - Rules

    private mutating func addRules(to model: inout RuledSchema.Model) {
        if chance(85) { model.rules = rules(of: model, 1...4) }
        guard chance(50) else { return }
        for place in model.fields.indices where chance(22) {
            let field = model.fields[place]
            if field.isNonNull, version == .v1 || chance(80) { continue }
            model.fields[place].rules = (0..<Int.random(in: 1...2, using: &random)).map { _ in
                rule(of: model, ofField: true)
            }
        }
    }

    private mutating func rules(of model: RuledSchema.Model, _ count: ClosedRange<Int>) -> [WrittenRule] {
        var rules: [WrittenRule] = []
        for _ in 0..<Int.random(in: count, using: &random) {
            let rule = rule(of: model, ofField: false)
            // The same role twice on a type is an error of version 2.
            if version == .v1 || Set(rules.flatMap(roleNames)).isDisjoint(with: roleNames(rule)) { rules.append(rule) }
        }
        return rules
    }

    /// What is compared to find equal roles.
    private func roleNames(_ rule: WrittenRule) -> [String] {
        switch rule.allow {
        case .owner(let field, let claim):
            // The claim without a name is one of these, by a flag of the schema.
            (claim.map { [$0] } ?? ["username", "sub::username"]).map { "\(rule.mode) owner \(field ?? "owner") \($0)" }
        case .groups(let groups, let claim): groups.map { "\(rule.mode) \($0) \(claim ?? "cognito:groups")" }
        case .groupsField(let field, let claim): ["\(rule.mode) in \(field ?? "") \(claim ?? "cognito:groups")"]
        case .public, .private, .custom: ["\(rule.mode) \(rule.allow)"]
        }
    }

    private mutating func rule(of model: RuledSchema.Model, ofField: Bool) -> WrittenRule {
        var rule: WrittenRule
        switch Int.random(in: 0..<12, using: &random) {
        case 0...4: rule = WrittenRule(allow: .owner(field: ownerField(of: model), claim: identityClaim()))
        case 5, 6: rule = staticGroups()
        case 7, 8:
            let field = one(of: ["teams", "team", "team", "title"])
            rule = WrittenRule(allow: .groupsField(field, claim: groupClaim()))
        default: rule = generalRule()
        }
        if rule.provider == nil { rule.provider = provider(of: rule.allow) }
        rule.operations = version == .v1 ? versionOneOperations(ofField) : versionTwoOperations(ofField)
        return rule
    }

    /// A rule of a field of a root type or of a type that is no model.
    private mutating func plainRules() -> [WrittenRule] {
        (0..<Int.random(in: 1...2, using: &random)).map { _ in
            var rule: WrittenRule
            switch Int.random(in: 0..<6, using: &random) {
            case 0: rule = WrittenRule(allow: .owner(field: nil, claim: nil))
            case 1, 2: rule = staticGroups()
            default: rule = generalRule()
            }
            if rule.provider == nil { rule.provider = provider(of: rule.allow) }
            return rule
        }
    }

    private mutating func staticGroups() -> WrittenRule {
        let groups = one(of: [["G"], ["red"], ["G", "x"], ["blue", "red"]])
        return WrittenRule(allow: .groups(groups, claim: groupClaim()))
    }

    private mutating func generalRule() -> WrittenRule {
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: return WrittenRule(allow: .private)
        case 2: return WrittenRule(allow: .private, provider: "iam")
        case 3: return WrittenRule(allow: .public)
        case 4: return WrittenRule(allow: .public, provider: "iam")
        default: return version == .v2 ? WrittenRule(allow: .custom) : WrittenRule(allow: .public)
        }
    }

    private mutating func provider(of allow: WrittenRule.Allow) -> String? {
        switch allow {
        case .owner, .groups, .groupsField: one(of: [nil, nil, "userPools", "oidc"])
        case .private:
            version == .v2 ? one(of: [nil, "userPools", "oidc", "identityPool"]) : one(of: [nil, "userPools"])
        case .public: version == .v2 ? one(of: [nil, "apiKey", "identityPool"]) : one(of: [nil, "apiKey"])
        case .custom: one(of: [nil, "function"])
        }
    }

    private mutating func ownerField(of model: RuledSchema.Model) -> String? {
        var fields: [String?] = [nil, nil, nil, "owner", "editors", "editors", "title", "keeper"]
        if model.fields.contains(where: { $0.name == "appleKey" }) { fields += ["appleKey", "appleKey"] }
        return one(of: fields)
    }

    private mutating func identityClaim() -> String? {
        var claims: [String?] = [
            nil, nil, nil, "username", "username", "sub", "sub", "email", "custom:x", "cognito:username", "num",
            "sub:username",
        ]
        claims += version == .v2 ? ["sub::username", "org::email", "org::email"] : ["org::email"]
        return one(of: claims)
    }

    private mutating func groupClaim() -> String? { one(of: [nil, nil, nil, "cognito:groups", "org", "roles"]) }

    private mutating func versionTwoOperations(_ ofField: Bool) -> [String: [String]?] {
        if chance(45) { return chance(10) ? ["operations": nil as [String]?] : [:] }
        var operations = some(of: ["create", "update", "delete"], 55)
        if ofField || chance(60) {
            if chance(60) { operations.append("read") }
        } else {
            operations += some(of: ["get", "list", "sync", "search", "listen"], 50)
        }
        return ["operations": operations]
    }

    private mutating func versionOneOperations(_ ofField: Bool) -> [String: [String]?] {
        if chance(40) { return [:] }
        if ofField || chance(70) {
            return chance(6)
                ? ["operations": nil as [String]?]
                : ["operations": some(of: ["create", "update", "delete", "read"], 60)]
        }
        var operations: [String: [String]?] = [:]
        if chance(60) { operations["queries"] = chance(15) ? nil as [String]? : some(of: ["get", "list"], 60) }
        if chance(60) {
            operations["mutations"] = chance(15) ? nil as [String]? : some(of: ["create", "update", "delete"], 60)
        }
        return operations
    }

    // MARK: - Values

    static let names = ["ann", "bob", "s-ann", "s-ann::ann", "s-bob::bob", "o", "a@x", "o::a@x", "7", "cy"]
    static let groups = ["red", "blue", "G", "x"]

    /// A value for a field; keys have values that collide now and then.
    mutating func value(of field: RuledSchema.Field) -> JSONValue {
        switch field.kind {
        case .number: return .number("\(Int.random(in: 0..<6, using: &random))")
        case .texts:
            let values = field.name == "teams" ? Self.groups : Self.names
            return .array((0..<Int.random(in: 0...2, using: &random)).map { _ in .string(one(of: values)) })
        case .bag: return ["outer": "o", "inner": chance(20) ? .null : "i"]
        case .text, .toMany, .toOne: break
        }
        switch field.name {
        case "owner", "keeper": return .string(one(of: Self.names))
        case "team": return .string(one(of: Self.groups))
        case "id": return .string("\(Int.random(in: 1...9, using: &random))")
        case "k": return .string(one(of: ["k", "l"]))
        case "title": return .string(one(of: ["t", "u", "ann", "red"]))
        default: return .string("t")
        }
    }
}
