import GraphQL
import Testing

@testable import Transformer

@Suite("Rules of @auth as values")
struct AuthorizationRuleTests {
    typealias Rule = AuthorizationRule

    /// The only rule of a model with it; the errors where it has none.
    private func rule(
        _ text: String, _ version: TransformOptions.TransformerVersion,
        options: TransformOptions = TransformOptions()
    ) -> Rule? {
        let declarations = declarations(
            "type Post @model @auth(rules: [\(text)]) { id: ID! }", version, options: options)
        return declarations.rules.count == 1 ? declarations.rules[0] : nil
    }

    /// A version, a rule, and what it is read into.
    static let rules: [(TransformOptions.TransformerVersion, String, Rule.Allow, Rule.Provider, Set<Rule.Operation>)] =
        [
            (
                .v1, "{ allow: owner }", .owner(field: "owner", identityClaim: "username"), .userPools,
                Rule.Operation.all
            ),
            (
                .v2, "{ allow: owner }", .owner(field: "owner", identityClaim: "sub::username"), .userPools,
                Rule.Operation.all
            ),
            (
                .v1, "{ allow: owner, ownerField: \"editors\", identityField: \"sub\", provider: oidc }",
                .owner(field: "editors", identityClaim: "sub"), .oidc, Rule.Operation.all
            ),
            (
                .v2, "{ allow: owner, ownerField: \"editors\", identityClaim: \"email\", operations: [read, update] }",
                .owner(field: "editors", identityClaim: "email"), .userPools, Rule.Operation.read.union([.update])
            ),
            (
                .v1, "{ allow: groups }", .groupsField("groups", groupClaim: "cognito:groups"), .userPools,
                Rule.Operation.all
            ),
            (
                .v2, "{ allow: groups, groupsField: \"teams\", groupClaim: \"org\" }",
                .groupsField("teams", groupClaim: "org"), .userPools, Rule.Operation.all
            ),
            (
                .v1, "{ allow: groups, groups: [\"A\", \"B\"], operations: [create] }",
                .groups(["A", "B"], groupClaim: "cognito:groups"), .userPools, [.create]
            ),
            (
                .v2, "{ allow: groups, groups: \"A\" }", .groups(["A"], groupClaim: "cognito:groups"), .userPools,
                Rule.Operation.all
            ),
            (.v1, "{ allow: private }", .private, .userPools, Rule.Operation.all),
            (.v2, "{ allow: private, provider: oidc }", .private, .oidc, Rule.Operation.all),
            (.v2, "{ allow: private, provider: identityPool }", .private, .iam, Rule.Operation.all),
            (.v1, "{ allow: public, provider: iam }", .public, .iam, Rule.Operation.all),
            (.v2, "{ allow: public }", .public, .apiKey, Rule.Operation.all),
            (.v2, "{ allow: custom, operations: [get, listen] }", .custom, .function, [.get, .listen]),
            (.v2, "{ allow: public, operations: null }", .public, .apiKey, Rule.Operation.all),
            (.v2, "{ allow: public, operations: [] }", .public, .apiKey, []),
            (.v1, "{ allow: public, operations: null }", .public, .apiKey, []),
            (.v1, "{ allow: public, operations: read }", .public, .apiKey, Rule.Operation.read),
            (.v1, "{ allow: public, queries: [get] }", .public, .apiKey, [.get, .create, .update, .delete]),
            (.v1, "{ allow: public, queries: null, mutations: [update] }", .public, .apiKey, [.update]),
            (.v1, "{ allow: public, mutations: null }", .public, .apiKey, Rule.Operation.read),
            (.v1, "{ allow: public, operations: [create], queries: [get] }", .public, .apiKey, [.create]),
        ]

    @Test("a rule is read with its defaults resolved, and is the same after it was printed", arguments: rules.indices)
    func reading(row: Int) throws {
        let (version, text, allow, provider, operations) = Self.rules[row]
        let rule = try #require(self.rule(text, version))
        #expect(rule == Rule(type: "Post", allow: allow, provider: provider, operations: operations))
        #expect(self.rule(rule.constValue(in: version).description, version) == rule)
        #expect(version == .v1 || self.rule(rule.description, .v2) == rule)
    }

    @Test("an owner is stored by the name alone where the flag of version 2 is off")
    func defaultClaim() {
        let options = TransformOptions(useSubUsernameForDefaultIdentityClaim: false)
        #expect(
            rule("{ allow: owner }", .v2, options: options)?.allow == .owner(field: "owner", identityClaim: "username"))
    }

    @Test("a rule names the type and the field that it stands on")
    func coordinates() {
        let schema = """
            type Post @model @auth(rules: [{ allow: owner }]) {
              id: ID! text: String @auth(rules: [{ allow: private, operations: [read] }, { allow: owner }]) place: Place
            }
            type Place { city: String @auth(rules: [{ allow: groups, groups: ["A"] }]) }
            type Query { now: String @auth(rules: [{ allow: private }]) }
            """
        for version in [TransformOptions.TransformerVersion.v1, .v2] {
            let declarations = declarations(schema, version)
            #expect(
                declarations.rules.map { "\($0.type).\($0.field ?? "") \($0.allow.name) \($0.operations.count)" } == [
                    "Post. owner 8", "Post.text private 5", "Post.text owner 8", "Place.city groups 8",
                    "Query.now private 8",
                ])
        }
    }

    @Test("the roles of a rule have the names that Amplify gives them")
    func roles() {
        let rules: [(String, [String])] = [
            ("{ allow: public }", ["Post:apiKey:public"]), ("{ allow: custom }", ["Post:function:custom"]),
            ("{ allow: private, provider: identityPool }", ["Post:iam:private"]),
            ("{ allow: owner }", ["Post:userPools:owner:owner:sub::username"]),
            ("{ allow: groups, groupsField: \"g\" }", ["Post:userPools:dynamicGroup:g:cognito:groups"]),
            (
                "{ allow: groups, groups: [\"A\", \"B\"], groupClaim: \"c\", provider: oidc }",
                ["Post:oidc:staticGroup:A:c", "Post:oidc:staticGroup:B:c"]
            ),
        ]
        for (text, names) in rules { #expect(rule(text, .v2)?.roleNames == names) }
    }

    @Test("a random rule is the same after it was printed", arguments: [TransformOptions.TransformerVersion.v1, .v2])
    func randomRules(version: TransformOptions.TransformerVersion) {
        let seed = UInt64.testSeed(in: 0...UInt64.max)
        print("Random rules from seed \(seed).")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let word = ["owner", "a\"b", "sub::username", "ü", "x y"].randomElement(using: &random) ?? ""
            let name = ["owner", "editors", "_x1"].randomElement(using: &random) ?? ""
            let (allow, providers): (Rule.Allow, [Rule.Provider]) =
                switch Int.random(in: 0..<(version == .v2 ? 6 : 5), using: &random) {
                case 0: (.public, [.apiKey, .iam])
                case 1: (.private, [.userPools, .iam])
                case 2: (.owner(field: name, identityClaim: word), [.userPools, .oidc])
                case 3: (.groups([word, "B"], groupClaim: word), [.userPools, .oidc])
                case 4: (.groupsField("g", groupClaim: word), [.userPools, .oidc])
                default: (.custom, [.function])
                }
            var operations = Rule.Operation.all.filter { _ in Bool.random(using: &random) }
            // Version 1 allows sync and its like all or none, and get and list with them.
            if version == .v1, !operations.isDisjoint(with: [.sync, .search, .listen]) {
                operations.formUnion(Rule.Operation.read)
            }
            let rule = Rule(
                type: "Post", allow: allow, provider: providers.randomElement(using: &random) ?? .apiKey,
                operations: operations)
            let text = rule.constValue(in: version).description
            #expect(self.rule(text, version) == rule, "seed \(seed): \(text)")
        }
    }

    // MARK: - Errors

    /// A version, what a model has, and the error.
    static let faults: [(TransformOptions.TransformerVersion, String, String)] = [
        (
            .v1, "@auth(rules: [{ allow: owner, provider: apiKey }]) { id: ID! }",
            "@auth directive with 'owner' strategy only supports 'userPools' (default) and 'oidc' providers, but found 'apiKey' assigned."
        ),
        (
            .v2, "@auth(rules: [{ allow: groups, groups: [\"A\"], provider: iam }]) { id: ID! }",
            "@auth directive with 'groups' strategy only supports 'userPools' and 'oidc' providers, but found 'iam' assigned."
        ),
        (
            .v1, "@auth(rules: [{ allow: public, provider: userPools }]) { id: ID! }",
            "@auth directive with 'public' strategy only supports 'apiKey' (default) and 'iam' providers, but found 'userPools' assigned."
        ),
        (
            .v2, "@auth(rules: [{ allow: public, provider: oidc }]) { id: ID! }",
            "@auth directive with 'public' strategy only supports 'apiKey' (default) and 'identityPool' providers, but found 'oidc' assigned."
        ),
        (
            .v1, "@auth(rules: [{ allow: private, provider: oidc }]) { id: ID! }",
            "@auth directive with 'private' strategy only supports 'userPools' (default) and 'iam' providers, but found 'oidc' assigned."
        ),
        (
            .v2, "@auth(rules: [{ allow: custom, provider: apiKey }]) { id: ID! }",
            "@auth directive with 'custom' strategy only supports 'function' (default) provider, but found 'apiKey' assigned."
        ),
        (
            .v1, "@auth(rules: [{ allow: custom }]) { id: ID! }",
            "Value \"custom\" does not exist in \"AuthStrategy\" enum."
        ),
        (
            .v1, "@auth(rules: [{ allow: public, provider: identityPool }]) { id: ID! }",
            "Value \"identityPool\" does not exist in \"AuthProvider\" enum."
        ),
        (
            .v1, "@auth(rules: [{ provider: iam }]) { id: ID! }",
            "Field \"AuthRule.allow\" of required type \"AuthStrategy!\" was not provided."
        ),
        (
            .v2, "@auth(rules: [{ allow: public, queries: [get] }]) { id: ID! }",
            "Field \"queries\" is not defined by type \"AuthRule\"."
        ),
        (
            .v2, "@auth(rules: [\"public\"]) { id: ID! }",
            "Expected type \"AuthRule\" to be an object, found \"public\"."
        ),
        (
            .v2, "@auth(rules: [{ allow: owner, ownerField: 5 }]) { id: ID! }",
            "String cannot represent a non string value: 5"
        ),
        (
            .v1, "@auth(rules: [{ allow: public, identityClaim: \"sub\" }]) { id: ID! }",
            "@auth identityField/Claim can only be used for 'allow: owner'"
        ),
        (
            .v2, "@auth(rules: [{ allow: groups, groups: [\"A\"], identityClaim: \"sub\" }]) { id: ID! }",
            "@auth identityClaim can only be used for 'allow: owner'"
        ),
        (
            .v2, "@auth(rules: [{ allow: owner, groupClaim: \"c\" }]) { id: ID! }",
            "@auth groupClaim can only be used 'allow: groups'"
        ),
        (
            .v1, "@auth(rules: [{ allow: groups, groups: [\"A\"], groupsField: \"g\" }]) { id: ID! }",
            "This rule has groupsField and groups, please use one or the other"
        ),
        (
            .v1, "@auth(rules: [{ allow: owner, identityField: \"a\", identityClaim: \"b\" }]) { id: ID! }",
            "Please use consider IdentifyClaim over IdentityField as it is deprecated."
        ),
        (
            .v2, "@auth(rules: [{ allow: groups }]) { id: ID! }",
            "@auth directive with 'groups' should have a defined groups list or a groupsField."
        ),
        (
            .v2, "@auth(rules: [{ allow: groups, groups: [] }]) { id: ID! }",
            "@auth rules using groups cannot have an empty list"
        ),
        (
            .v2, "@auth(rules: [{ allow: owner }, { allow: owner, operations: [read] }]) { id: ID! }",
            "@auth Post:userPools:owner:owner:sub::username already exists for Post"
        ),
        (
            .v2, "@auth(rules: [{ allow: groups, groups: [\"A\", \"A\"] }]) { id: ID! }",
            "@auth Post:userPools:staticGroup:A:cognito:groups already exists for Post"
        ),
        (
            .v2, "{ id: ID! text: String @auth(rules: [{ allow: owner, operations: [create, list] }]) }",
            "'list' operation is not allowed at the field level."
        ),
        (
            .v1, "@auth(rules: [{ allow: owner, ownerField: \"\\\\(print(1))\" }]) { id: ID! }",
            "'\\(print(1))' cannot be the name of a field."
        ),
        (
            .v2, "@auth(rules: [{ allow: owner, ownerField: \"o\\\" TEXT\" }]) { id: ID! }",
            "'o\" TEXT' cannot be the name of a field."
        ),
        (
            .v2, "@auth(rules: [{ allow: groups, groupsField: \"1a\" }]) { id: ID! }",
            "'1a' cannot be the name of a field."
        ),
        (
            .v1, "@auth(rules: [{ allow: groups, groupsField: \"é\" }]) { id: ID! }",
            "'é' cannot be the name of a field."
        ),
        (
            .v1, "{ id: ID! text: String @auth(rules: [{ allow: owner, ownerField: \"a b\" }]) }",
            "'a b' cannot be the name of a field."
        ),
        (
            .v2, "{ id: ID! text: String @auth(rules: [{ allow: groups, groupsField: \"a.b\" }]) }",
            "'a.b' cannot be the name of a field."
        ),
        (
            .v1, "{ id: ID! text: String! @auth(rules: [{ allow: owner, operations: [read] }]) }",
            "Per-field auth on the required field text is not supported with subscriptions."
        ),
    ]

    @Test("a rule that Amplify refuses is refused with its message, where it stands", arguments: faults.indices)
    func refused(row: Int) {
        let (version, text, message) = Self.faults[row]
        let diagnostics = refusal(
            "type Post @model \(text)", options: TransformOptions(transformerVersion: version))
        #expect(diagnostics.map(\.message) == [message])
        #expect(diagnostics.first?.place?.line == 1)
        #expect(["InvalidDirectiveError", "SchemaValidationError"].contains(diagnostics.first?.kind))
    }

    @Test("two owner rules of version 2 on one field with different claims are legal")
    func twoClaims() {
        let declarations = declarations(
            "type Post @model @auth(rules: [{ allow: owner }, { allow: owner, identityClaim: \"email\" }]) { id: ID! }",
            .v2)
        #expect(declarations.rules.count == 2)
    }
}
