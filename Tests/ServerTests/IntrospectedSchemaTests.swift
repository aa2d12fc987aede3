import Codegen
import Foundation
import GraphQL
import JSON
import Testing
import Transformer

@testable import Amplify
@testable import Server

/// Schemas of version 2 that become an introspection and a schema again.
@Suite("A schema made of a model introspection generates the API of the schema that it comes from")
struct IntrospectedSchemaTests {
    private static func options() -> TransformOptions {
        var options = TransformOptions()
        options.transformerVersion = .v2
        options.authModes = [.userPools, .apiKey, .iam]
        return options
    }

    private func api(_ schema: String) throws -> String {
        switch Transform.transform([Source(schema, name: "schema.graphql")], options: Self.options()) {
        case .success(let definition): return Printer.print(definition.document)
        case .failure(let diagnostics):
            throw CocoaError(.fileReadUnknown, userInfo: ["diagnostics": "\(diagnostics)"])
        }
    }

    private func introspection(_ schema: String) throws -> JSONValue {
        let outcome = Codegen.models(
            [Source(schema, name: "schema.graphql")], target: .introspection, options: CodegenOptions(.v2),
            transform: Self.options())
        guard case .success(let files, _) = outcome else {
            throw CocoaError(.fileReadUnknown, userInfo: ["outcome": "\(outcome)"])
        }
        return try JSONReader.read(files[0].text)
    }

    static let schemas = [
        """
        type Todo @model @auth(rules: [{allow: owner}, {allow: public, operations: [read]}, {allow: groups, groups: ["Admin"]}]) {
          id: ID!
          a: [String]
          b: [String!]
          c: [String]!
          d: [String!]!
          kind: Kind!
          place: Place
          places: [Place!]
        }
        type Place { latitude: Float! names: [String] }
        enum Kind { ONE TWO }
        """,
        """
        type Order @model @auth(rules: [{allow: owner, ownerField: "buyer", identityClaim: "email"}, {allow: private, provider: iam}]) {
          buyer: String! @primaryKey(sortKeyFields: ["number", "line"])
          number: Int!
          line: Int!
          state: String @index(name: "byState", sortKeyFields: ["number"], queryField: "ordersByState") @index(name: "plain", queryField: null)
          other: String @index(name: "byOther")
        }
        """,
        """
        type Post @model(timestamps: {createdAt: "made", updatedAt: "changed"}, subscriptions: null, mutations: {delete: null}) @auth(rules: [{allow: public}]) {
          id: ID!
          title: String!
        }
        type Keep @model(queries: {get: "fetch"}) @auth(rules: [{allow: groups, groupsField: "teams", groupClaim: "custom:g"}]) {
          id: ID!
          teams: [String]
        }
        """,
        """
        type Shop @model @auth(rules: [{allow: public}]) {
          region: ID! @primaryKey(sortKeyFields: ["number"])
          number: Int!
          staff: [Person] @hasMany(references: ["shopRegion", "shopNumber"])
          owner: License @hasOne(references: ["holderRegion", "holderNumber"])
        }
        type Person @model @auth(rules: [{allow: public}]) {
          id: ID!
          shopRegion: ID
          shopNumber: Int
          shop: Shop @belongsTo(references: ["shopRegion", "shopNumber"])
        }
        type License @model @auth(rules: [{allow: public}]) {
          id: ID!
          holderRegion: ID
          holderNumber: Int
          holder: Shop @belongsTo(references: ["holderRegion", "holderNumber"])
        }
        """,
        """
        type Blog @model @auth(rules: [{allow: public}]) {
          id: ID!
          posts: [Post] @hasMany
          cover: Image @hasOne
        }
        type Post @model @auth(rules: [{allow: public}]) {
          id: ID!
          blog: Blog @belongsTo
          comments: [Comment] @hasMany(indexName: "byPost", fields: ["id"])
        }
        type Comment @model @auth(rules: [{allow: public}]) {
          id: ID!
          postID: ID! @index(name: "byPost")
          post: Post! @belongsTo(fields: ["postID"])
        }
        type Image @model @auth(rules: [{allow: public}]) { id: ID! }
        """,
        """
        type Student @model @auth(rules: [{allow: public}]) {
          id: ID!
          courses: [Course] @manyToMany(relationName: "Enrollment")
        }
        type Course @model @auth(rules: [{allow: public}]) {
          id: ID!
          students: [Student] @manyToMany(relationName: "Enrollment")
        }
        """,
    ]

    @Test(
        "line for line, for keys, indexes, rules, lists, relations by references and by fields, and many-to-many",
        arguments: schemas.indices)
    func roundTrip(row: Int) throws {
        let schema = Self.schemas[row]
        let again = IntrospectedSchema(try introspection(schema)).text
        #expect(try api(again) == api(schema), "\(again)")
    }

    @Test("the schema of a sample project comes back, and dev serves it from the client file alone")
    func sample() throws {
        let project = try TemporaryFolder.sampleProject("landmarks-v2-auth")
        defer { project.remove() }
        let pulled = try run(["pull", "--env", "dev", "--format", "amplify_outputs.json"], in: project)
        #expect(pulled.code == 0, "\(pulled)")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let text = try project.text("amplify_outputs.json")
        // As it is, the file is one of a server, and no project.
        try folder.write(text, to: "amplify_outputs.json")
        #expect(try run(["schema", "print"], in: folder).code != 0)
        let (own, cloud) = ("http://127.0.0.1:20002/", "https://x.appsync-api.eu-west-1.amazonaws.com/")
        try folder.write(text.replacing(own, with: cloud), to: "amplify_outputs.json")
        let before = folder.names
        let (old, new) = (try run(["schema", "print"], in: project), try run(["schema", "print"], in: folder))
        #expect(new.code == 0 && new.output == old.output, "\(new)")
        let server = try Running(["dev", "--port", "0", "--tls", "off", "--ephemeral"], in: folder)
        #expect(server.output.contains("(Gen 2)") && server.output.contains("eu-west-1_LmDev0002"), "\(server.output)")
        #expect(server.stop().code == 0 && folder.names == before)
        let out = try TemporaryFolder()
        defer { out.remove() }
        let imported = try run(["import", "amplify", folder.url.path], in: out)
        #expect(imported.code == 0 && out.names.contains("schema.graphql"), "\(imported)")
        #expect(try run(["schema", "print"], in: out).output == old.output)
        // Beside a schema the client file is what pull has written.
        try folder.write("type Mine @model @auth(rules: [{allow: public}]) { id: ID! }", to: "schema.graphql")
        #expect(try run(["schema", "print"], in: folder).output.contains("type Mine "))
    }

    @Test("the GraphQL text in the source of a Gen 2 project is served, with its functions by the environment's name")
    func literal() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("", to: "amplify/backend.ts")
        try folder.write(
            """
            const schema = `type Note @model @auth(rules: [{allow: public}]) { id: ID! text: String }
            type Query { count: Int @function(name: "count-${branchName}") }`;
            export const data = defineData({ schema });
            """, to: "amplify/data/resource.ts")
        try folder.write(#"{"functions": {"count-main": "http://127.0.0.1:9/"}}"#, to: "config/syncline.json")
        let check = try run(["check", "--env", "main"], in: folder)
        #expect(check.code == 0, "\(check)")
        let printed = try run(["schema", "print", "--env", "main"], in: folder)
        #expect(printed.output.contains("type Note ") && printed.output.contains("count: Int"), "\(printed)")
    }
}
