import GraphQL
import Testing

@testable import Transformer

@Suite("Which version a schema is of")
struct SchemaVersionTests {
    private let one = "type A @model @key(fields: [\"id\"]) { id: ID! }"
    private let two = "type A @model { id: ID! n: Int @default(value: \"1\") }"
    private let neither = "type Reply @model { id: ID! }"

    @Test("the version of a schema follows from its directives, or from the option where it has none")
    func detected() throws {
        let list = { (schema: String, version: TransformOptions.TransformerVersion) in
            try definition(schema, options: TransformOptions(transformerVersion: version))
                .resolvers.keys.first { $0.field.hasPrefix("list") }?.field
        }
        #expect(try list(neither, .automatic) == "listReplys")
        #expect(try list(neither, .v1) == "listReplys")
        #expect(try list(neither, .v2) == "listReplies")
        #expect(
            try list(neither + " input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }", .automatic)
                == "listReplies")
        #expect(try definition(two).text(of: "ModelSubscriptionAFilterInput") != nil)
        #expect(try definition(one).text(of: "ModelSubscriptionAFilterInput") == nil)
    }

    @Test("a schema of both is refused, each directive named where it stands, with what to write instead")
    func mixed() {
        let diagnostics = refusal(
            """
            type Post @model @key(fields: ["slug", "at"]) @key(name: "byAt", fields: ["at", "slug"], queryField: "q") {
              slug: ID! at: Int!
              comments: [Comment] @hasMany
              likes: [Like] @connection(keyName: "byPost", fields: ["slug"], limit: 5)
            }
            type Comment @model @versioned { id: ID! post: Post! @connection(name: "PostComments") like: Like @connection }
            type Like @model { id: ID! }
            """)
        #expect(diagnostics.map(\.kind).contains("NotServedError"))
        let mixed = diagnostics.filter { $0.kind == "InvalidDirectiveError" }
        #expect(mixed.compactMap(\.place?.line) == [1, 1, 3, 4, 6, 6])
        #expect(
            mixed[0].message
                == "@key on Post belongs to version 1 of the transformer, and @hasMany on Post.comments belongs to version 2."
        )
        #expect(
            mixed.compactMap(\.hint)
                == [
                    "Write slug: ID! @primaryKey(sortKeyFields: [\"at\"])",
                    "Write at: Int! @index(name: \"byAt\", sortKeyFields: [\"slug\"], queryField: \"q\")",
                    "Version 1 writes @connection; to use @hasMany, write all in version 2.",
                    "Write likes: [Like] @hasMany(indexName: \"byPost\", fields: [\"slug\"], limit: 5)",
                    "Write post: Post! @belongsTo(…)", "Write like: Like @hasOne",
                ].map { $0.hasSuffix("(…)") ? String($0.dropLast(3)) : $0 })
    }

    @Test("an option that says the other version refuses each directive, and only for that")
    func options() {
        let first = refusal(one, options: TransformOptions(transformerVersion: .v2))
        #expect(
            first.map(\.message) == [
                "@key on A belongs to version 1 of the transformer, and the options say version 2."
            ])
        #expect(first.map(\.hint) == ["Write id: ID! @primaryKey"])
        let second = refusal(two, options: TransformOptions(transformerVersion: .v1))
        #expect(
            second.map(\.message) == [
                "@default on A.n belongs to version 2 of the transformer, and the options say version 1."
            ])
    }

    @Test("the input that opens models to the API key is no part of the schema, and says nothing else")
    func sandbox() throws {
        for value in ["{ allow: public }"] {
            let definition = try definition("input AMPLIFY { globalAuthRule: AuthRule = \(value) } \(two)")
            #expect(definition.text(of: "AMPLIFY") == nil)
        }
        for field in [
            "globalAuthRule: AuthRule = { allow: private }", "globalAuthRule: AuthRule! = { allow: public }",
            "globalAuthRule: AuthRule = { allow: \"public\" }", "globalAuthRule: AuthRule", "other: Int",
        ] {
            #expect(refusal("input AMPLIFY { \(field) } \(two)").map(\.kind) == ["InvalidDirectiveError"])
        }
    }
}

@Suite("What each directive is served as")
struct DirectiveReportTests {
    @Test("every use is reported in the order of the text, with its place, and as the transform takes it")
    func report() {
        let report = DirectiveReport(of: [
            Source(
                """
                directive @mine on OBJECT
                type Post @model @auth(rules: [{ allow: owner }]) @mine {
                  id: ID! @aws_subscribe(mutations: [])
                  comments: [Comment] @hasMany
                  cover: Comment @hasOne(references: ["a"])
                  old: Int @connection @deprecated
                  text(size: Int @other): String @refersTo(name: "t")
                }
                type Comment @model @auth(rules: [{ allow: public }]) @searchable { id: ID! }
                type Plain @model { id: ID! }
                type Subscription { on: Post @aws_subscribe(mutations: ["createPost"]) }
                """, name: "s.graphql")
        ])
        #expect(report.transformerVersion == .v2)
        let lines = report.uses.map {
            "\($0.place?.line ?? 0) @\($0.directive) on \($0.subject): \($0.status.rawValue)"
        }
        #expect(
            lines == [
                "2 @model on Post: same", "2 @auth on Post: notServed", "2 @mine on Post: same",
                "3 @aws_subscribe on Post.id: different", "4 @hasMany on Post.comments: same",
                "5 @hasOne on Post.cover: same", "6 @connection on Post.old: notServed",
                "6 @deprecated on Post.old: same", "7 @other on Post.text(size:): notServed",
                "7 @refersTo on Post.text: different", "9 @model on Comment: same", "9 @auth on Comment: same",
                "9 @searchable on Comment: notServed", "10 @model on Plain: same",
                "11 @aws_subscribe on Subscription.on: same",
            ])
        #expect(report.count(of: .notServed) == 4)
        #expect(report.uses.allSatisfy { $0.sentence.hasSuffix(".") && !$0.sentence.contains("\n") })
    }

    @Test("what a schema of each version is written with is served as Amplify serves it")
    func goldens() {
        for golden in Golden.all where Golden.waiting[golden.name] == nil {
            let report = DirectiveReport(of: [Source(golden.input)], options: golden.options)
            #expect(report.transformerVersion == golden.options.transformerVersion)
            #expect(
                report.uses.allSatisfy {
                    $0.status == .same || $0.status == .different && $0.directive == "function"
                },
                "\(golden.name)")
        }
    }
}
