import GraphQL
import Testing

@testable import Transformer

/// The declarations of a schema, whether it is served or not.
func declarations(
    _ schema: String, _ version: TransformOptions.TransformerVersion, options: TransformOptions = TransformOptions(),
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) -> Declarations {
    let parsed = Parser.parseTypeSystem([Source(schema, name: "schema.graphql")])
    #expect(parsed.errors.isEmpty, "\(schema)", sourceLocation: sourceLocation)
    return Declarations(DeclaredSchema(parsed.document), version: version, options: options)
}

@Suite("Declarations of a schema as values")
struct DeclarationsTests {
    private static let subscriptions = ["Create", "Update", "Delete"].map {
        ModelOperations.Subscription(field: "on\($0)Post", mutations: ["\($0.lowercased())Post"])
    }

    private static let postOperations = ModelOperations(
        get: "getPost", list: "listPosts", create: "createPost", update: "updatePost", delete: "deletePost",
        subscriptions: subscriptions)

    @Test("a schema of version 1 is read into models, keys, relations, nested types and enums")
    func versionOne() throws {
        let declarations = declarations(
            """
            type Post @model @key(fields: ["id", "date"]) @key(name: "byKind", fields: ["kind"], queryField: "posts") {
              id: ID! date: AWSDate! kind: Kind place: Place
              comments: [Comment] @connection(keyName: "byPost", fields: ["id"], limit: 5)
            }
            type Comment @model(queries: { get: "one" }, mutations: null, subscriptions: { level: public },
              timestamps: { updatedAt: null }) @key(name: "byPost", fields: ["postID"]) {
              id: ID! postID: ID! post: Post @connection(name: "PostComments", keyField: "key", sortField: "date")
            }
            type Place { city: String }
            enum Kind { A B }
            extend type Comment { text(length: Int = 3): String }
            """, .v1)
        #expect(declarations.version == .v1)
        #expect(declarations.models.map(\.name) == ["Post", "Comment"])
        #expect(declarations.types.map(\.name) == ["Place"])
        #expect(declarations.enumerations == [EnumerationDeclaration(name: "Kind", values: ["A", "B"])])
        let post = try #require(declarations.model(named: "Post"))
        #expect(post.operations == Self.postOperations)
        #expect(post.primaryKey == KeyDeclaration(name: nil, fields: ["id", "date"], directive: "key"))
        #expect(
            post.indexes == [
                KeyDeclaration(name: "byKind", fields: ["kind"], queryField: "posts", directive: "key")
            ])
        #expect(
            post.field(named: "comments")?.relation
                == RelationDeclaration(kind: .connection, fields: ["id"], indexName: "byPost", limit: 5))
        let comment = try #require(declarations.model(named: "Comment"))
        #expect(comment.operations == ModelOperations(get: "one", subscriptionLevel: .public))
        #expect(comment.timestamps == ModelTimestamps(createdAt: "createdAt", updatedAt: nil))
        #expect(
            comment.field(named: "post")?.relation
                == RelationDeclaration(kind: .connection, name: "PostComments", keyField: "key", sortField: "date"))
        #expect(
            comment.fields.last
                == FieldDeclaration(
                    name: "text", type: .named("String"),
                    arguments: [FieldDeclaration.Argument(name: "length", type: .named("Int"), defaultValue: 3)]))
    }

    @Test("a schema of version 2 is read into the same terms")
    func versionTwo() throws {
        let declarations = declarations(
            """
            type Post @model @mapsTo(name: "Article") {
              id: ID! @primaryKey(sortKeyFields: ["date"]) date: AWSDate!
              kind: String @index @index(name: "byKind", sortKeyFields: ["date"], queryField: null) @default(value: "A")
              text: String @refersTo(name: "body")
              comments: [Comment] @hasMany(indexName: "byPost", fields: ["id"])
              tags: [Tag] @manyToMany(relationName: "PostTags", limit: 7)
            }
            type Comment @model(queries: { list: null }, mutations: { delete: null }) {
              post: Post @belongsTo(references: ["postID", "postDate"]) author: User @hasOne
            }
            """, .v2)
        let post = try #require(declarations.model(named: "Post"))
        #expect(post.operations == Self.postOperations)
        #expect(post.storedNames == [StoredNameDeclaration(name: "Article", directive: "mapsTo")])
        #expect(post.originalName == "Article")
        #expect(
            post.keys == [
                KeyDeclaration(name: nil, fields: ["id", "date"], directive: "primaryKey"),
                KeyDeclaration(name: "postsByKind", fields: ["kind"], queryField: "postsByKind", directive: "index"),
                KeyDeclaration(name: "byKind", fields: ["kind", "date"], directive: "index"),
            ])
        #expect(post.field(named: "kind")?.defaultValue == "A")
        #expect(post.field(named: "text")?.storedName?.name == "body")
        #expect(
            post.fields.compactMap(\.relation) == [
                RelationDeclaration(kind: .hasMany, fields: ["id"], indexName: "byPost"),
                RelationDeclaration(kind: .manyToMany, name: "PostTags", limit: 7),
            ])
        let comment = try #require(declarations.model(named: "Comment"))
        #expect(comment.primaryKey == nil)
        #expect(comment.operations.list == nil && comment.operations.delete == nil)
        #expect(comment.operations.get == "getComment")
        #expect(comment.operations.subscriptions.map(\.field) == ["onCreateComment", "onUpdateComment"])
        #expect(
            comment.fields.compactMap(\.relation) == [
                RelationDeclaration(kind: .belongsTo, references: ["postID", "postDate"]),
                RelationDeclaration(kind: .hasOne),
            ])
    }

    @Test(
        "functions are values on their field, in their order", arguments: [TransformOptions.TransformerVersion.v1, .v2])
    func functions(version: TransformOptions.TransformerVersion) {
        let declarations = declarations(
            """
            type Query {
              add(a: Int!): Int @function(name: "adder-${env}", region: "us-east-1") @function(name: "post", accountId: "1")
              other: Int @function(name: 3)
            }
            type Item @model { id: ID! price: Float @function(name: "price") }
            """, version)
        #expect(
            declarations.type(named: "Query")?.fields.map(\.functions) == [
                [
                    FunctionDeclaration(name: "adder-${env}", region: "us-east-1"),
                    FunctionDeclaration(name: "post", accountId: "1"),
                ], [],
            ])
        #expect(
            declarations.model(named: "Item")?.field(named: "price")?.functions == [FunctionDeclaration(name: "price")])
    }

    @Test("declarations are equal wherever they stand, and differ where one says something else")
    func equality() {
        let first = declarations("type A @model { id: ID! b: [B] @connection }\ntype B @model { id: ID! }", .v1)
        let second = declarations(
            "# moved\n\n type A @model { id: ID!, b: [B] @connection } type B @model {id: ID!}", .v1)
        #expect(first == second && first.hashValue == second.hashValue)
        for other in [
            "type A @model { id: ID! b: [B] @connection(limit: 3) } type B @model { id: ID! }",
            "type A @model { id: ID b: [B] @connection } type B @model { id: ID! }",
            "type A @model(queries: null) { id: ID! b: [B] @connection } type B @model { id: ID! }",
            "type A @model @auth(rules: [{ allow: owner }]) { id: ID! b: [B] @connection } type B @model { id: ID! }",
        ] {
            #expect(first != declarations(other, .v1), "\(other)")
        }
    }

    @Test("declarations are printed as a schema of their version with every default named")
    func printing() {
        let one = declarations(
            """
            type Post @model(mutations: { create: "add" }, subscriptions: { onCreate: ["a"], onDelete: ["b"] })
              @key(fields: ["id"]) @auth(rules: [{ allow: owner }, { allow: public, queries: [get], mutations: null }]) {
              id: ID! comments: [Comment] @connection(name: "C")
            }
            """, .v1)
        #expect(
            one.description == """
                type Post @model(mutations: {create: "add"}, subscriptions: {onCreate: ["a"], onUpdate: ["b"], \
                onDelete: [], level: on}) @key(fields: ["id"]) @auth(rules: [{allow: owner, provider: userPools, \
                ownerField: "owner", identityClaim: "username", operations: [create, update, delete, read]}, \
                {allow: public, provider: apiKey, queries: [get], mutations: []}]) {
                  id: ID!
                  comments: [Comment] @connection(name: "C")
                }

                """)
        let two = declarations(
            """
            type Post @model(timestamps: null) { kind: Kind! @primaryKey @index(name: "x", queryField: "y") n: Int @default(value: "1") }
            enum Kind { A }
            schema { query: Root }
            type Root { now: String @auth(rules: [{ allow: custom }]) }
            """, .v2)
        #expect(
            two.description == """
                schema {
                  query: Root
                }

                type Post @model(timestamps: {createdAt: null, updatedAt: null}) {
                  kind: Kind! @primaryKey @index(name: "x", queryField: "y")
                  n: Int @default(value: "1")
                }

                type Root {
                  now: String @auth(rules: [{allow: custom, provider: function}])
                }

                enum Kind {
                  A
                }

                """)
    }

    @Test(
        "each way to leave operations out is printed and read alike",
        arguments: [TransformOptions.TransformerVersion.v1, .v2], [TransformOptions.ConflictDetection.none, .version])
    func operations(version: TransformOptions.TransformerVersion, detection: TransformOptions.ConflictDetection) {
        for arguments in [
            "", "(queries: null)", "(queries: {})", "(queries: { get: null, list: null })",
            "(queries: { list: \"a\" })",
            "(mutations: null)", "(mutations: { create: null, update: null })", "(subscriptions: null)",
            "(subscriptions: { level: off })", "(subscriptions: { level: public })", "(subscriptions: {})",
            "(subscriptions: { onCreate: [] })", "(subscriptions: { onUpdate: null })",
            "(subscriptions: { onCreate: [\"a\", \"b\"], onDelete: \"b\" }, mutations: { create: \"c\" })",
            "(timestamps: null)", "(timestamps: { createdAt: \"a\" })",
        ] {
            for isMerged in [false, true] {
                let options = TransformOptions(
                    shouldDeepMergeDirectiveConfigDefaults: isMerged, conflictDetection: detection)
                let first = declarations("type Post @model\(arguments) { id: ID! }", version, options: options)
                let second = declarations(first.description, version, options: options)
                #expect(first == second, "\(arguments)")
            }
        }
    }

    @Test("the declarations of a golden input are printed and read alike", arguments: Golden.all)
    func goldens(golden: Golden) {
        let version = golden.options.transformerVersion
        let first = declarations(golden.input, version, options: golden.options)
        #expect(!first.models.isEmpty || !first.types.isEmpty)
        let second = declarations(first.description, version, options: golden.options)
        #expect(first == second)
        #expect(first.description == second.description)
    }

    @Test(
        "each rule and function of a golden input is read",
        arguments: [
            ("auth-per-field", 4, 0), ("v2-auth-owner-groups", 5, 0), ("auth-groups-static", 4, 0),
            ("function-fields", 0, 6),
        ])
    func goldenRules(name: String, rules: Int, functions: Int) throws {
        let golden = try #require(Golden.all.first { $0.name == name })
        let declarations = declarations(golden.input, golden.options.transformerVersion, options: golden.options)
        #expect(declarations.rules.count == rules)
        let fields = declarations.models.flatMap(\.fields) + declarations.types.flatMap(\.fields)
        #expect(fields.flatMap(\.functions).count == functions)
    }

    @Test("the declarations of a random schema are printed and read alike", arguments: [false, true])
    func randomSchemas(isVersionTwo: Bool) {
        let first = UInt64.testSeed(in: 0...UInt64.max >> 1)
        print("Random schemas from seed \(first).")
        let version: TransformOptions.TransformerVersion = isVersionTwo ? .v2 : .v1
        for seed in first..<first + 100 {
            var one = RandomSchema(seed: seed), two = RandomVersionTwoSchema(seed: seed)
            let text = isVersionTwo ? two.text() : one.text()
            let options = TransformOptions(
                improvePluralization: seed % 2 == 0, conflictDetection: seed % 3 == 0 ? .version : .none)
            let read = declarations(text, version, options: options)
            #expect(declarations(read.description, version, options: options) == read, "seed \(seed)\n\(text)")
        }
    }

    @Test("a definition keeps the declarations of its schema, also where they change nothing")
    func definition() throws {
        let schema = "type Post @model @auth(rules: [{ allow: public }]) { id: ID! text: String }"
        let definition = try TransformerTests.definition(schema)
        #expect(definition.declarations == declarations(schema, .v1))
        #expect(
            definition.declarations.rules.map(\.description) == [
                "{allow: public, provider: apiKey, operations: [create, update, delete, read]}"
            ])
        #expect(definition.transformerVersion == .v1)
    }
}
