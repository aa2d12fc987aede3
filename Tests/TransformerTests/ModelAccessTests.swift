import JSON
import Testing

@testable import Transformer

@Suite("What the rules of a model allow")
struct ModelAccessTests {
    private static let schema = """
        type Menu @model { id: ID a: String b: String dishes: [Dish] @hasMany }
        type Dish @model { id: ID! owner: String menu: Menu @belongsTo }
        """

    private func rule(
        _ type: String, field: String? = nil, _ allow: AuthorizationRule.Allow,
        _ operations: Set<AuthorizationRule.Operation> = AuthorizationRule.Operation.all,
        by provider: AuthorizationRule.Provider = .userPools
    ) -> AuthorizationRule {
        AuthorizationRule(type: type, field: field, allow: allow, provider: provider, operations: operations)
    }

    private func group(_ name: String) -> AuthorizationRule.Allow { .groups([name], groupClaim: "cognito:groups") }

    private func access(_ rules: [AuthorizationRule]) throws -> [ModelAccess?] {
        var definition = try definition(Self.schema)
        definition.enforcedRules = rules
        return definition.modelAccess
    }

    @Test("a rule of the type is about all fields, and the rules of a field replace it")
    func matrix() throws {
        let menu = try #require(
            try access([
                rule("Menu", group("A"), [.list]), rule("Menu", group("B"), AuthorizationRule.Operation.read),
                rule("Menu", group("Z")), rule("Menu", field: "b", group("C")),
            ])[0])
        #expect(
            menu.description == """
                Menu:userPools:staticGroup:A:cognito:groups list [id, a, dishes]
                Menu:userPools:staticGroup:B:cognito:groups get [id, a, dishes] list [id, a, dishes] sync [id, a, dishes] \
                search [id, a, dishes] listen [id, a, dishes]
                Menu:userPools:staticGroup:Z:cognito:groups get [id, a, dishes] list [id, a, dishes] sync [id, a, dishes] \
                search [id, a, dishes] listen [id, a, dishes] create [id, a, dishes] update [id, a, dishes] \
                delete [id, a, dishes]
                Menu:userPools:staticGroup:C:cognito:groups get [b] list [b] sync [b] search [b] listen [b] create [b] \
                update [b] delete [b]
                """)
        // A has no `get`, so it is no reader; C makes a reader of each other field be asked for.
        #expect(menu.readers == ["id": [1, 2], "a": [1, 2], "dishes": [1, 2], "b": [3]])
        #expect(menu.roles(with: .list) == [0, 1, 2, 3] && menu.roles(with: .get) == [1, 2, 3])
        #expect(menu.roles.indices.filter { menu.isWhole($0, .delete) } == [])
    }

    @Test("rules are combined for each field of a model, however many it has")
    func manyFields() {
        let fields = (0..<130).map { "f\($0)" }
        let own: Set = ["f63", "f128"]
        let access = ModelAccess(
            model: "Menu", fields: fields,
            rules: [
                rule("Menu", field: "f63", group("C")), rule("Menu", .private),
                rule("Menu", field: "f128", group("C"), [.get, .list]), rule("Menu", field: "f128", group("C"), [.get]),
                rule("Menu", field: "missing", group("C")),
            ], redactsResults: true)
        #expect(access.roles.map(\.isStatic) == [true, true] && !access.isWhole(0, .get) && !access.isWhole(1, .get))
        #expect(access.fields(of: 1, .get) == Set(fields).subtracting(own))
        #expect(access.fields(of: 1, .update) == Set(fields).subtracting(own))
        #expect(access.fields(of: 0, .get) == own && access.fields(of: 0, .list) == ["f63"])
        #expect(access.readers == ["f63": [0], "f128": [0]])
        #expect(access.shownFields(of: 0, .get) == fields)
        #expect(access.shownFields(of: 1, .list) == fields.filter { !own.contains($0) })
        #expect(access.shownFields(of: 0, .create) == ["f63"])
    }

    @Test("a role for all signed-in callers makes those of its provider needless, and no others")
    func hiding() throws {
        let reads = AuthorizationRule.Operation.read
        let rules = [rule("Menu", .private, reads), rule("Menu", field: "b", group("C"))]
        #expect(try access(rules)[0]?.readers == ["b": [1]])
        let key = rule("Menu", .public, reads, by: .apiKey)
        #expect(try access([key] + rules)[0]?.readers == ["b": [2]])
        #expect(try access([rules[0], rule("Menu", field: "b", .public, by: .apiKey)])[0]?.readers.count == 4)
    }

    @Test("a model without rules has no access table, and without enforced rules no model has one")
    func none() throws {
        #expect(try access([rule("Dish", .private)]).map { $0 == nil } == [true, false])
        #expect(try definition(Self.schema).modelAccess == [nil, nil])
    }

    @Test("the access that a transform has made is that of its rules, and is made anew after they have changed")
    func change() throws {
        var options = TransformOptions(transformerVersion: .v2)
        options.authModes = [.userPools]
        var definition = try definition(
            "type Menu @model @auth(rules: [{allow: owner}, {allow: private, operations: [read]}]) { id: ID! }",
            options: options)
        let made = try #require(definition.madeAccess)
        #expect(made.versionTwo == definition.makeModelAccess() && made.versionOne == [nil])
        #expect(definition.modelAccess.map { $0?.roles.count } == [2])
        definition.enforcedRules = [rule("Menu", .private)]
        #expect(definition.modelAccess.map { $0?.roles.count } == [1])
    }

    @Test("a relation is left out of results where its readers and those of its model overlap, but are not the same")
    func redaction() throws {
        func redacted(_ menu: [AuthorizationRule], _ dish: [AuthorizationRule]) throws -> [Set<String>?] {
            try access(menu + dish).map { $0?.redactedRelations }
        }
        let owner = AuthorizationRule.Allow.owner(field: "owner", identityClaim: "username")
        #expect(try redacted([rule("Menu", .private)], [rule("Dish", owner)]) == [["dishes"], ["menu"]])
        #expect(try redacted([rule("Menu", group("M"))], [rule("Dish", group("M"))]) == [[], []])
        #expect(try redacted([rule("Menu", group("M"))], [rule("Dish", group("N"))]) == [[], []])
        #expect(try redacted([rule("Menu", owner)], [rule("Dish", owner)]) == [["dishes"], ["menu"]])
        #expect(
            try redacted([rule("Menu", group("M")), rule("Menu", group("R"))], [rule("Dish", group("M"))])
                == [["dishes"], ["menu"]])
        // A relation with rules of its own is left out in any case.
        #expect(
            try redacted(
                [rule("Menu", group("M")), rule("Menu", field: "dishes", group("M"), [.get])],
                [rule("Dish", group("N"))])
                == [[], []])
    }

    @Test("events have a relation only where every subscriber may read all items that it leads to")
    func eventRelations() throws {
        func withheld(_ menu: [AuthorizationRule], _ dish: [AuthorizationRule]) throws -> [Set<String>] {
            var definition = try definition(Self.schema)
            definition.enforcedRules = menu + dish
            return definition.fieldsWithheldFromEvents
        }
        let owner = AuthorizationRule.Allow.owner(field: "owner", identityClaim: "username")
        #expect(try withheld([rule("Menu", group("M"))], [rule("Dish", owner)]) == [["dishes"], ["menu"]])
        #expect(try withheld([rule("Menu", group("M"))], [rule("Dish", group("M"))]) == [[], []])
        #expect(try withheld([rule("Menu", group("M"))], [rule("Dish", .private)]) == [[], ["menu"]])
        #expect(try withheld([rule("Menu", .private)], [rule("Dish", .public, by: .apiKey)]) == [["dishes"], ["menu"]])
        // A model without rules is closed.
        #expect(try withheld([rule("Menu", .private)], []) == [["dishes"], []])
        #expect(try definition(Self.schema).fieldsWithheldFromEvents == [[], []])
    }

    @Test("a claim with two colons is several claims in version 2, and one in version 1")
    func claims() throws {
        let rule = rule("Menu", .owner(field: "owner", identityClaim: "sub::username"))
        #expect(rule.roles(in: .v2).map(\.claims) == [["sub", "username"]])
        #expect(rule.roles(in: .v1).map(\.claims) == [["sub::username"]])
        #expect(rule.roles(in: .v2).map { "Menu:\($0)" } == rule.roleNames)
        let groups = self.rule("Menu", .groups(["A", "B"], groupClaim: "org"))
        #expect(groups.roles(in: .v2).map { "Menu:\($0)" } == groups.roleNames)
        var definition = try definition(Self.schema)
        definition.enforcedRules = [rule, groups]
        #expect(definition.ruleClaims == ["sub", "username", "org"])
    }

    @Test("roles, lists of groups and claims whose names differ by their bytes alone are different")
    func names() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let menu = try #require(
            try access([rule("Menu", group(composed), [.get]), rule("Menu", group(decomposed), [.create])])[0])
        #expect(menu.roles.count == 2 && menu.roles(with: .get) == [0] && menu.roles(with: .create) == [1])
        #expect(rule("Menu", group(composed)) != rule("Menu", group(decomposed)))
        var options = TransformOptions(transformerVersion: .v2)
        options.authModes = [.userPools]
        func claimed(_ claim: String) -> String {
            #"{allow: groups, groups: ["\#(composed)", "\#(decomposed)"], groupClaim: "\#(claim)"}"#
        }
        func gated(_ group: String) -> String { #"@aws_cognito_user_pools(cognito_groups: ["\#(group)"])"# }
        let definition = try definition(
            """
            type Menu @model @auth(rules: [\(claimed(composed)), \(claimed(decomposed))]) { id: ID! }
            type Query { one: String \(gated(composed)) two: String \(gated(decomposed)) }
            """, options: options)
        #expect(definition.modelAccess[0]?.roles.count == 4)
        #expect(definition.ruleClaims.count == 2 && definition.gates.groupLists.count == 2)
        #expect(
            definition.gates.gate(type: "Query", field: "one") != definition.gates.gate(type: "Query", field: "two"))
        let list = AccessReport(of: definition).subjects.first?.entries.first { $0.operation == "list" }
        #expect(list?.callers.count == 4)
    }
}
