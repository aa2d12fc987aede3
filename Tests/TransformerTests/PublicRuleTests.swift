import GraphQL
import Testing

@testable import Transformer

@Suite("Rules for callers with the API key")
struct PublicRuleTests {
    private static let versionTwo = TransformOptions(transformerVersion: .v2)

    private func closed(_ definition: APIDefinition) -> [String] {
        definition.closedFields.map { "\($0.type).\($0.field)" }.sorted()
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
        #expect(guarded.closedFields.isEmpty && guarded.models == plain.models)
    }

    @Test(
        "in version 2 a rule allows what it names and nothing else",
        arguments: [
            ("", []),
            ("operations: [create, update, delete, read]", []), ("operations: null", []),
            (
                "operations: [read]", ["Mutation.createPost", "Mutation.deletePost", "Mutation.updatePost"]
            ),
            (
                "operations: [create]",
                [
                    "Blog.posts", "Mutation.deletePost", "Mutation.updatePost", "Query.getPost", "Query.listPosts",
                    "Query.postsByBlogID", "Subscription.onCreatePost", "Subscription.onDeletePost",
                    "Subscription.onUpdatePost",
                ]
            ),
            (
                "operations: [get, create, update, delete]",
                [
                    "Query.listPosts", "Query.postsByBlogID", "Subscription.onCreatePost", "Subscription.onDeletePost",
                    "Subscription.onUpdatePost",
                ]
            ),
            (
                "operations: [list, listen]",
                ["Mutation.createPost", "Mutation.deletePost", "Mutation.updatePost", "Query.getPost"]
            ),
        ])
    func versionTwo(operations: String, expected: [String]) throws {
        let rule = operations.isEmpty ? "{ allow: public }" : "{ allow: public, \(operations) }"
        let schema = { (rules: String) in
            """
            type Blog @model { id: ID! posts: [Post] @hasMany(indexName: "byBlog", fields: ["id"]) }
            type Post @model \(rules) { id: ID! text: String blogID: ID @index(name: "byBlog", queryField: "postsByBlogID") }
            """
        }
        let definition = try definitionTwo(schema("@auth(rules: [\(rule)])"))
        #expect(closed(definition) == expected)
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
        let ofJoin = closed(definition).filter { $0.contains("PostTags") }
        #expect(ofJoin == ["Mutation.deletePostTags", "Mutation.updatePostTags"])
    }

    @Test("with subscriptions of level public, everyone may listen")
    func levelPublic() throws {
        let definition = try definitionTwo(
            """
            type Post @model(subscriptions: { level: public })
              @auth(rules: [{ allow: public, operations: [get, list, create, update, delete] }]) { id: ID! }
            """)
        #expect(closed(definition).isEmpty)
    }

    @Test("a caller that may update but not delete may set no attribute to null")
    func nulls() throws {
        func deniesNull(_ operations: String) throws -> Bool {
            try definitionTwo(
                "type Post @model @auth(rules: [{ allow: public, operations: \(operations) }]) { id: ID! }"
            )
            .models[0].deniesNull
        }
        #expect(try deniesNull("[read, update]"))
        #expect(try !deniesNull("[read, update, delete]"))
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
        #expect(definition.closedFields.isEmpty)
        #expect(!Printer.print(definition.document).contains("auth"))
    }

    @Test("on a field of a model a rule is served where it changes nothing")
    func fieldsOfModels() throws {
        for schema in [
            "type Post @model { id: ID! text: String @auth(rules: [{ allow: public, operations: [read] }]) }",
            "type Post @model { id: ID! text: String! @auth(rules: [{ allow: public, operations: [create, update] }]) }",
            "type Post @model(subscriptions: { level: off }) { id: ID! text: String! @auth(rules: [{ allow: public }]) }",
            "type Post @model(subscriptions: null) { id: ID! text: String! @auth(rules: [{ allow: public }]) }",
        ] {
            #expect(try TransformerTests.definition(schema).closedFields.isEmpty, "\(schema)")
        }
        let both = """
            type Post @model @auth(rules: [{ allow: public }]) { id: ID! text: String! @auth(rules: [{ allow: public }]) }
            """
        #expect(try definitionTwo(both).closedFields.isEmpty)
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
            .v2, "type Post @model @auth(rules: [{ allow: public, operations: [read, delete] }]) { id: ID! }",
            "not served", "grant both"
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
            .v1, "type Post @model { id: ID! text: String @auth(rules: [{ allow: public }]) }", "not served",
            "`operations: [read]`"
        ),
        (
            .v1, "type Post @model { id: ID! text: String @auth(rules: [{ allow: public, queries: [get] }]) }",
            "may not specify the 'queries' or 'mutations' arguments", "operations"
        ),
        (
            .v2, "type Post @model { id: ID! text: String @auth(rules: [{ allow: public }]) }", "not served",
            "type Post @model @auth(rules: [{allow: public}])"
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

    @Test("sandboxModeEnabled: false refuses the models that it closes, unless the schema says otherwise")
    func sandboxMode() throws {
        var options = Self.versionTwo
        options.sandboxModeEnabled = false
        let schema = """
            type Post @model { id: ID! }
            type Open @model @auth(rules: [{ allow: public }]) { id: ID! }
            """
        let diagnostics = refusal(schema, options: options)
        #expect(diagnostics.map(\.place?.line) == [1] && diagnostics.map(\.kind) == ["NotServedError"])
        #expect(diagnostics[0].message.contains("sandboxModeEnabled: false closes it"))
        let amplify = "input AMPLIFY { globalAuthRule: AuthRule = { allow: public } } "
        #expect(try TransformerTests.definition(amplify + schema, options: options).models.count == 2)
        options.transformerVersion = .v1
        #expect(try TransformerTests.definition(schema, options: options).models.count == 2)
        options.sandboxModeEnabled = true
        options.transformerVersion = .v2
        #expect(try TransformerTests.definition(schema, options: options).models.count == 2)
    }

    @Test("the report says of each directive what it grants")
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
        #expect(
            auth.map(\.sentence) == [
                "Everyone who holds the API key is granted get, list, sync, search, listen, create.",
                ServedRules.onlyRule,
            ])
    }
}
