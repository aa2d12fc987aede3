import GraphQL
import Testing

@testable import Transformer

@Suite("Rules for callers with the API key")
struct PublicRuleTests {
    private static let versionTwo = TransformOptions(transformerVersion: .v2)

    /// The operations of a model that no role has.
    private func closed(_ definition: APIDefinition, _ model: String = "Post") throws -> Set<
        AuthorizationRule.Operation
    > {
        let index = try #require(definition.model(named: model))
        let access = try #require(definition.modelAccess[index])
        return Set(AuthorizationRule.Operation.allCases.filter { access.roles(with: $0).isEmpty })
    }

    @Test(
        "in version 1 such a rule closes nothing, whatever operations it names, for what no rule mentions is open",
        arguments: [
            "[{ allow: public }]", "[{ allow: public, operations: [read] }]", "[{ allow: public, operations: [] }]",
            "[{ allow: public, operations: null }]", "[{ allow: public, queries: [get], mutations: null }]",
            "[{ allow: public, operations: [create] }, { allow: public, provider: apiKey, operations: \"read\" }]",
        ])
    func versionOne(rules: String) throws {
        let guarded = try TransformerTests.definition(
            "type Post @model @auth(rules: \(rules)) { id: ID! text: String }")
        let plain = try TransformerTests.definition("type Post @model { id: ID! text: String }")
        #expect(Printer.print(guarded.document) == Printer.print(plain.document))
        #expect(guarded.versionOneAccess == [nil] && guarded.models == plain.models)
    }

    @Test(
        "in version 2 a rule allows what it names and nothing else",
        arguments: [
            ("", []), ("operations: [create, update, delete, read]", []), ("operations: null", []),
            ("operations: [read]", [.create, .update, .delete]),
            ("operations: [create]", [.get, .list, .sync, .search, .listen, .update, .delete]),
            ("operations: [get, create, update, delete]", [.list, .sync, .search, .listen]),
            ("operations: [list, listen]", [.get, .sync, .search, .create, .update, .delete]),
        ] as [(String, Set<AuthorizationRule.Operation>)])
    func versionTwo(operations: String, expected: Set<AuthorizationRule.Operation>) throws {
        let rule = operations.isEmpty ? "{ allow: public }" : "{ allow: public, \(operations) }"
        let schema = { (rules: String) in
            """
            type Blog @model { id: ID! posts: [Post] @hasMany(indexName: "byBlog", fields: ["id"]) }
            type Post @model \(rules) { id: ID! text: String blogID: ID @index(name: "byBlog", queryField: "postsByBlogID") }
            """
        }
        let definition = try definitionTwo(schema("@auth(rules: [\(rule)])"))
        #expect(try closed(definition) == expected)
        #expect(definition.closedModels == ["Blog"])
        let plain = try definitionTwo(schema(""))
        #expect(Printer.print(definition.document) == Printer.print(plain.document))
    }

    private func definitionTwo(_ schema: String) throws -> APIDefinition {
        try TransformerTests.definition(schema, options: Self.versionTwo)
    }

    @Test("in version 2 a join model has the rules of both of its sides")
    func joinModel() throws {
        let definition = try definitionTwo(
            """
            type Post @model @auth(rules: [{ allow: public, operations: [read] }]) {
              id: ID! tags: [Tag] @manyToMany(relationName: "PostTags")
            }
            type Tag @model @auth(rules: [{ allow: public, operations: [read, create] }]) {
              id: ID! posts: [Post] @manyToMany(relationName: "PostTags")
            }
            """)
        #expect(try closed(definition, "PostTags") == [.update, .delete])
    }

    @Test(
        "a rule on a field of a root type or a nested one changes nothing in either version",
        arguments: [TransformOptions.TransformerVersion.v1, .v2])
    func fieldsOutsideModels(version: TransformOptions.TransformerVersion) throws {
        let rule = "@auth(rules: [{ allow: public }])"
        let definition = try TransformerTests.definition(
            """
            type Post @model @auth(rules: [{ allow: public }]) { id: ID! place: Place }
            type Place { city: String \(rule) }
            extend type Query { now: String \(rule) }
            type Query { a: Int }
            """, options: TransformOptions(transformerVersion: version))
        #expect(definition.fieldRoles.map { "\($0.type).\($0.field)" }.sorted() == ["Place.city", "Query.now"])
        #expect(!Printer.print(definition.document).contains("auth"))
    }

    /// A version, a schema, and what the error and its hint contain.
    static let refusals: [(TransformOptions.TransformerVersion, String, message: String, hint: String)] = [
        (.v1, "type Post @model @auth(rules: []) { id: ID! }", "does not have any auth rules", "Write @auth(rules: ["),
        (.v2, "type Post @model @auth { id: ID! }", "@auth on Post does not have any auth rules.", "leave @auth out"),
        (
            .v1, "type Query @auth(rules: [{ allow: public }]) { a: Int }", "must also be annotated with @model",
            "@model"
        ),
        (.v2, "type Note @auth(rules: [{ allow: public }]) { a: Int }", "must also be annotated with @model", "@model"),
        (
            .v1, "interface Node { id: ID! @auth(rules: [{ allow: public }]) }",
            "cannot be placed on an interface's field",
            "implement Node"
        ),
        (.v1, "enum E @auth(rules: [{ allow: public }]) { A }", "must also be annotated with @model", "E"),
        (
            .v1, "enum E { A @auth(rules: [{ allow: public }]) }", "may only be used on object types and their fields",
            ""
        ),
        (
            .v1, "type Post @model @auth(rules: [{ allow: public, operations: [get] }]) { id: ID! }",
            "get is no operation of @auth.", "create, update, delete, read"
        ),
        (
            .v2, "type Post @model @auth(rules: [{ allow: public, operations: [lst] }]) { id: ID! }",
            "lst is no operation of @auth.", "\"list\""
        ),
        (
            .v2, "type Post @model @auth(rules: [{ allow: public, operations: [read, get, list] }]) { id: ID! }",
            "'get,list' operations are specified in addition to 'read'.", ""
        ),
        (
            .v2,
            "type Post @model @auth(rules: [{ allow: public }, { allow: public, operations: [read] }]) { id: ID! }",
            "@auth Post:apiKey:public already exists for Post", "one rule"
        ),
        (
            .v1, "type Post @model @auth(rules: [{ allow: public }]) @auth(rules: [{ allow: public }]) { id: ID! }",
            "can only be used once at this location", "one directive"
        ),
        (
            .v1, "type Query { a: Int @auth(rules: [{ allow: public, operations: [read] }]) }",
            "cannot specify 'operations' argument", "Leave `operations` out."
        ),
        (
            .v2, "type Place { a: Int @auth(rules: [{ allow: public, operations: [read] }]) }",
            "does not have @model directive cannot specify 'operations'", "Leave `operations` out."
        ),
        (
            .v1, "type Post @model { id: ID! text: String! @auth(rules: [{ allow: public, operations: [read] }]) }",
            "Per-field auth on the required field text is not supported with subscriptions.", "level: off"
        ),
        (
            .v1, "type Post @model { id: ID! text: String @auth(rules: [{ allow: public, queries: [get] }]) }",
            "may not specify the 'queries' or 'mutations' arguments", "operations"
        ),
    ]

    @Test("what cannot be served is refused where it stands, with a hint that holds", arguments: refusals.indices)
    func refused(row: Int) throws {
        let (version, schema, message, hint) = Self.refusals[row]
        let diagnostics = refusal(schema, options: TransformOptions(transformerVersion: version))
        let diagnostic = try #require(
            diagnostics.first { $0.message.contains(message) }, "\(diagnostics.map { $0.render() })")
        #expect(diagnostic.place != nil && (diagnostic.hint ?? "").contains(hint), "\(diagnostic.render())")
    }

    @Test("what a hint advises is accepted")
    func advice() throws {
        _ = try definitionTwo(
            "type Post @model @auth(rules: [{allow: public}]) { id: ID! text: String @auth(rules: [{ allow: public }]) }"
        )
        _ = try TransformerTests.definition(
            "type Post @model(subscriptions: {level: off}) { id: ID! text: String! @auth(rules: [{ allow: public, operations: [read] }]) }"
        )
    }

    @Test("version 2 closes models without rules, and names them, unless the schema or an option opens them")
    func sandboxMode() throws {
        var options = Self.versionTwo
        let schema = """
            type Post @model { id: ID! }
            type Open @model @auth(rules: [{ allow: public }]) { id: ID! }
            """
        for isEnabled in [nil, false] {
            options.sandboxModeEnabled = isEnabled
            let closed = try TransformerTests.definition(schema, options: options)
            #expect(closed.closedModels == ["Post"] && closed.modelAccess.map { $0 == nil } == [true, false])
            #expect(closed.warnings.map(\.place?.line) == [1])
            let step = isEnabled == nil ? "input AMPLIFY {" : "set 'sandboxModeEnabled' to true"
            #expect(closed.warnings[0].hint?.contains(step) == true)
        }
        let amplify = "input AMPLIFY { globalAuthRule: AuthRule = { allow: public } } "
        // The option goes before the input.
        let closed = try TransformerTests.definition(amplify + schema, options: options)
        #expect(closed.closedModels == ["Post"] && closed.modelAccess.map { $0 == nil } == [true, false])
        #expect(!closed.isSandbox && closed.overriddenSandboxPlace?.line == 1)
        #expect(!Printer.print(closed.document).contains("AMPLIFY"))
        options.sandboxModeEnabled = nil
        let open = try TransformerTests.definition(amplify + schema, options: options)
        #expect(open.closedModels.isEmpty && open.modelAccess.allSatisfy { $0?.isOpen(to: [.apiKey]) == true })
        #expect(!Printer.print(open.document).contains("AMPLIFY") && open.overriddenSandboxPlace == nil)
        options.sandboxModeEnabled = true
        #expect(try TransformerTests.definition(schema, options: options).closedModels.isEmpty)
        options.transformerVersion = .v1
        #expect(try TransformerTests.definition(schema, options: options).versionOneAccess == [nil, nil])
    }

    @Test("in a sandbox, models without rules are marked as open to the API key where it is not the default mode")
    func sandboxDirectives() throws {
        var options = Self.versionTwo
        options.authModes = [.userPools, .apiKey]
        let definition = try TransformerTests.definition(
            """
            input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }
            type Post @model { id: ID! place: Place }
            type Place { city: String }
            """, options: options)
        for type in ["Post", "Place", "ModelPostConnection"] {
            #expect(definition.text(of: type)?.hasPrefix("type \(type) @aws_api_key {") == true)
        }
        #expect(definition.text(of: "Query", field: "getPost") == "getPost(id: ID!): Post @aws_api_key")
        for rule in ["{ allow: owner }", "{ allow: public, provider: iam }"] {
            let faults = refusal(
                "input AMPLIFY { globalAuthRule: AuthRule = \(rule) } type Post @model { id: ID! }", options: options)
            #expect(faults.map(\.message)[0].hasPrefix("There was a problem with your auth configuration."))
        }
    }

    @Test("the report says that callers are held to rules, and which rules are at fault")
    func report() {
        let report = DirectiveReport(
            of: [
                Source(
                    """
                    type Post @model @auth(rules: [{ allow: public, operations: [read, create] }]) { id: ID! }
                    type Note @model @auth(rules: [{ allow: owner }]) { id: ID! }
                    """, name: "s.graphql")
            ], options: Self.versionTwo)
        let auth = report.uses.filter { $0.directive == "auth" }
        #expect(auth.map(\.status) == [.same, .notServed])
        #expect(auth.map(\.sentence).first == "Every caller is held to its rules.")
        #expect(auth.map(\.sentence).last?.contains("AMAZON_COGNITO_USER_POOLS") == true)
    }
}
