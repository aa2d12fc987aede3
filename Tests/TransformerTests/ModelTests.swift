import GraphQL
import Tables
import Testing

@testable import Transformer

@Suite("@model")
struct ModelTests {
    @Test(
        "operations exist by their maps: absent is all, null is none, a map is what it names",
        arguments: [
            ("", ["getPost", "listPosts"], ["createPost", "updatePost", "deletePost"]),
            ("(queries: null)", [], ["createPost", "updatePost", "deletePost"]),
            ("(queries: {}, mutations: {})", [], []),
            ("(queries: { get: \"one\" }, mutations: null)", ["one"], []),
            ("(queries: { list: \"all\", get: null }, mutations: { update: \"edit\" })", ["all"], ["edit"]),
        ])
    func operations(arguments: String, queries: [String], mutations: [String]) throws {
        let definition = try definition("type Post @model\(arguments) { id: ID! title: String }")
        for query in queries { #expect(definition.resolver(type: "Query", field: query) != nil) }
        for mutation in mutations { #expect(definition.resolver(type: "Mutation", field: mutation) != nil) }
        #expect(definition.resolvers.keys.count { $0.type == "Query" } == queries.count)
        #expect(definition.resolvers.keys.count { $0.type == "Mutation" } == mutations.count)
        // A root type without fields is not printed.
        #expect((definition.text(of: "Query") == nil) == queries.isEmpty)
        #expect((definition.text(of: "Mutation") == nil) == mutations.isEmpty)
    }

    @Test(
        "subscriptions follow the mutations that exist, or what the map lists",
        arguments: [
            ("", ["onCreatePost": ["createPost"], "onUpdatePost": ["updatePost"], "onDeletePost": ["deletePost"]]),
            ("(mutations: { create: \"add\" })", ["onCreatePost": ["add"]]),
            ("(subscriptions: null)", [:]),
            ("(subscriptions: { level: off })", [:]),
            ("(mutations: { delete: \"x\" }, subscriptions: { level: public })", ["onDeletePost": ["x"]]),
            (
                "(subscriptions: { onCreate: [\"a\", \"b\"], onDelete: [\"a\"] })",
                ["a": ["createPost", "deletePost"], "b": ["createPost"]]
            ),
            ("(subscriptions: { onCreate: \"a\", level: on })", ["a": ["createPost"]]),
            ("(mutations: null, subscriptions: { onCreate: [\"a\"] })", ["a": []]),
            (
                "(subscriptions: { onCreate: null })",
                ["onCreatePost": ["createPost"], "onUpdatePost": ["updatePost"], "onDeletePost": ["deletePost"]]
            ),
        ])
    func subscriptions(arguments: String, expected: [String: [String]]) throws {
        let definition = try definition("type Post @model\(arguments) { id: ID! title: String }")
        var found: [String: [String]] = [:]
        for (field, resolver) in definition.resolvers {
            if case .subscription(let mutations) = resolver { found[field.field] = mutations }
        }
        #expect(found == expected)
    }

    @Test("an id that is declared otherwise keeps its type in the inputs, but not in get and delete")
    func declaredIdentifier() throws {
        let definition = try definition("type Post @model { title: String! id: String! }")
        #expect(definition.text(of: "CreatePostInput", field: "id") == "id: String!")
        #expect(definition.text(of: "UpdatePostInput", field: "id") == "id: String!")
        #expect(definition.text(of: "DeletePostInput", field: "id") == "id: ID!")
        #expect(definition.text(of: "Query", field: "getPost") == "getPost(id: ID!): Post")
        #expect(definition.models[0].generatesID)
        let number = try self.definition("type Post @model { id: Int! }").models[0]
        #expect(!number.generatesID)
    }

    private func definition(_ schema: String) throws -> APIDefinition { try TransformerTests.definition(schema) }

    @Test(
        "timestamps have the names the directive gives, or none",
        arguments: [
            ("", "", "createdAt", "updatedAt", ["id", "createdAt", "updatedAt"]),
            ("(timestamps: null)", "", nil, nil, ["id"]),
            ("(timestamps: { createdAt: null })", "", nil, "updatedAt", ["id", "updatedAt"]),
            ("(timestamps: { createdAt: \"made\" })", "", "made", "updatedAt", ["id", "made", "updatedAt"]),
            ("", "updatedAt: String", "createdAt", "updatedAt", ["id", "updatedAt", "createdAt"]),
            ("", "updatedAt: Int", "createdAt", nil, ["id", "updatedAt", "createdAt"]),
            ("", "createdAt: [String]", nil, "updatedAt", ["id", "createdAt", "updatedAt"]),
        ])
    func timestamps(
        arguments: String, field: String, createdAt: String?, updatedAt: String?, columns: [String]
    ) throws {
        let definition = try definition("type Post @model\(arguments) { id: ID! \(field) }")
        #expect(definition.models[0].createdAt == createdAt)
        #expect(definition.models[0].updatedAt == updatedAt)
        #expect(definition.tables[0].columns.map(\.name) == columns)
        #expect(definition.warnings.isEmpty == !(field.hasSuffix("Int") || field.hasSuffix("]")))
    }

    @Test("a declared timestamp is optional in the inputs though non-null, and null for it is an error of update")
    func declaredTimestamp() throws {
        let definition = try definition(
            "type Post @model { id: ID! title: String! tags: [String!]! note: String createdAt: AWSDateTime! }")
        #expect(definition.text(of: "CreatePostInput", field: "createdAt") == "createdAt: AWSDateTime")
        #expect(definition.text(of: "UpdatePostInput", field: "tags") == "tags: [String!]")
        #expect(definition.models[0].requiredFields == ["title", "tags", "createdAt"])
    }

    @Test("descriptions of the author's keep their form, and what is generated has none")
    func descriptions() throws {
        let definition = try definition(
            """
            "A post." type Post @model {
              "The key."
              id: ID!
              \"""In
              two lines.\"""
              title(
                "How long."
                max: Int): String
              \"\"\"A kind.\"\"\" kind: Kind
            }
            \"""Kinds.\""" enum Kind { "The first." A B }
            """)
        #expect(
            definition.text(of: "Post") == """
                "A post."
                type Post {
                  "The key."
                  id: ID!
                  \"""
                  In
                  two lines.
                  \"""
                  title(
                    "How long."
                    max: Int
                  ): String
                  \"""A kind.\"""
                  kind: Kind
                  createdAt: AWSDateTime!
                  updatedAt: AWSDateTime!
                }
                """)
        #expect(
            definition.text(of: "Kind") == """
                \"""Kinds.\"""
                enum Kind {
                  "The first."
                  A
                  B
                }
                """)
        #expect(definition.text(of: "CreatePostInput")?.contains("\"") == false)
        let type = try #require(definition.schema.type(named: "Post"))
        #expect(definition.schema[type].description == "A post.")
    }

    @Test("each scalar has its column, and what no input carries has none")
    func columns() throws {
        let definition = try definition(
            """
            scalar Money
            interface Named { name: String }
            union Thing = Place
            enum Kind { A B }
            type Place { name: String inner: Place }
            type All @model {
              text: String at: AWSDateTime json: AWSJSON count: Int big: BigInt stamp: AWSTimestamp
              ratio: Float wide: Double flag: Boolean! kind: Kind kinds: [Kind] tags: [String!]!
              place: Place places: [Place] price: Money named: Named thing: Thing other: Other
            }
            type Other @model { id: ID! }
            """)
        let table = try #require(definition.table("All"))
        let columns = table.columns.map { "\($0.name) \($0.type.rawValue)" }
        #expect(
            columns == [
                "id text", "text text", "at text", "json text", "count integer", "big integer", "stamp integer",
                "ratio real", "wide real", "flag boolean", "kind text", "kinds json", "tags json", "place json",
                "places json", "createdAt text", "updatedAt text",
            ])
        #expect(definition.text(of: "CreateAllInput")?.contains("price") == false)
        #expect(definition.text(of: "ModelAllFilterInput")?.contains("place") == false)
        #expect(definition.warnings.map(\.message).filter { $0.contains("always null") }.count == 4)
        #expect(definition.warnings.last?.hint == "Add @connection to the field.")
    }

    @Test("the author's own type of a generated name stays")
    func ownInput() throws {
        let definition = try definition(
            "type Post @model { id: ID! title: String } input CreatePostInput { title: String! }")
        #expect(definition.text(of: "CreatePostInput") == "input CreatePostInput {\n  title: String!\n}")
    }

    @Test("a root type cannot be a model, and an id must be something a key can be")
    func refused() {
        #expect(refusal("type Query @model { id: ID! }").map(\.kind) == ["InvalidDirectiveError"])
        #expect(refusal("schema { query: Root } type Root @model { id: ID! }").count == 1)
        for type in ["[ID]", "Boolean", "B", "Odd"] {
            let diagnostics = refusal("scalar Odd type A @model { id: \(type) } type B @model { id: ID! }")
            #expect(diagnostics.map(\.message) == ["A.id is the primary key and cannot be of type \(type)."])
        }
    }

    @Test("root types bear the names of the schema definition, which is served and never printed")
    func rootNames() throws {
        let definition = try definition(
            "schema { query: Root } type Root { ping: String } type Post @model { id: ID! }")
        #expect(definition.text(of: "Root")?.contains("getPost(id: ID!): Post") == true)
        #expect(definition.text(of: "Mutation")?.contains("createPost") == true)
        #expect(!Printer.print(definition.document).contains("schema"))
        #expect(definition.schema[definition.schema.queryType].name == "Root")
        #expect(definition.schema.mutationType.map { definition.schema[$0].name } == "Mutation")
        #expect(definition.resolver(type: "Root", field: "getPost") != nil)
        #expect(definition.resolver(type: "Root", field: "ping") == nil)
    }

    @Test("a document without models is served unchanged, and one without a query has a stand-in that is not printed")
    func withoutModels() throws {
        let text = "\"A note.\"\ntype Note {\n  \"Its text.\"\n  text: String\n}"
        let definition = try definition(text)
        #expect(definition.models.isEmpty && definition.tables.isEmpty)
        #expect(definition.text(of: "Note")?.contains("Its text.") == true)
        #expect(definition.text(of: "Query") == nil)
        #expect(definition.schema[definition.schema.queryType].name == "Query")
    }

    @Test("subscriptions are generated, renamed, merged or off; the definition says what each follows")
    func generatedSubscriptions() throws {
        let definition = try definition(
            """
            type Plain @model { id: ID! }
            type Renamed @model(
              mutations: {create: "add", update: "edit"}
              subscriptions: {onCreate: ["added", "changed"], onUpdate: ["changed"]}
            ) { id: ID! }
            type Off @model(subscriptions: {level: off}) { id: ID! }
            type Null @model(subscriptions: null) { id: ID! }
            type ReadOnly @model(mutations: null) { id: ID! }
            """)
        let subscription = try #require(definition.schema.subscriptionType)
        let fields = try #require(definition.schema[subscription].fields).fields.map { field in
            guard case .subscription(let mutations)? = definition.resolver(type: "Subscription", field: field.name)
            else { return field.name }
            return "\(field.name) \(mutations.joined(separator: " "))"
        }
        #expect(
            fields == [
                "onCreatePlain createPlain", "onUpdatePlain updatePlain", "onDeletePlain deletePlain", "added add",
                "changed add edit",
            ])
    }

    @Test("a subscription by hand follows its mutations; what follows nothing is warned of")
    func customSubscriptions() throws {
        let definition = try definition(
            """
            enum Color { RED }
            scalar Any
            type Post @model { id: ID! }
            type Mutation { reset: Post! @aws_subscribe(mutations: ["reset"]) tags: [Int!] }
            type Subscription {
              onAny(id: ID, n: Int!, c: Color = RED, any: Any, at: AWSDateTime): Post
                @aws_subscribe(mutations: ["createPost", "reset"])
              onTags: [Int!] @aws_subscribe(mutations: ["tags"])
              silent: Int
            }
            """)
        #expect(
            definition.resolver(type: "Subscription", field: "onAny")
                == .subscription(mutations: ["createPost", "reset"]))
        #expect(definition.resolver(type: "Subscription", field: "silent") == nil)
        #expect(definition.warnings.compactMap(\.place?.line) == [4, 4, 4, 9])
        #expect(definition.warnings.last?.message.contains("it never has an event") == true)
    }

    @Test(
        "a subscription by hand that could not be served is refused where it stands, with what to do",
        arguments: [
            (
                #"onIt: Post @aws_subscribe(mutations: ["creatPost"])"#, 5,
                #"Did you mean "createPost" or "updatePost"?"#
            ),
            (#"onIt: Post @aws_subscribe(mutations: ["createPost", "number"])"#, 5, "Declare onIt: Int."),
            (#"onIt: [Post] @aws_subscribe(mutations: ["createPost"])"#, 5, "Declare onIt: Post."),
            (#"onIt: Post! @aws_subscribe(mutations: ["createPost"])"#, 5, "Declare onIt: Post."),
            (
                #"onIt(ids: [ID]): Post @aws_subscribe(mutations: ["createPost"])"#, 5,
                "An argument is compared with the field of its name: give it a scalar or an enum."
            ),
            (
                #"onIt(input: CreatePostInput): Post @aws_subscribe(mutations: ["createPost"])"#, 5,
                "An argument is compared with the field of its name: give it a scalar or an enum."
            ),
            (
                #"onIt(a: Int b: Int c: Int d: Int e: Int f: Int): Post @aws_subscribe(mutations: ["createPost"])"#, 5,
                "A subscription takes at most 5."
            ),
        ])
    func refusedSubscriptions(field: String, line: Int, hint: String) throws {
        let diagnostics = refusal(
            """
            type Post @model { id: ID! }
            type Mutation { number: Int! }
            input CreatePostInput { id: ID }
            type Subscription {
              \(field)
            }
            """)
        #expect(diagnostics.map(\.kind) == ["InvalidDirectiveError"])
        #expect(diagnostics.map(\.hint) == [hint])
        #expect(diagnostics.map(\.place?.line) == [line])
    }
}
