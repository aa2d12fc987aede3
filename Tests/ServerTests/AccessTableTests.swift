import GraphQL
import JSON
import Testing
import Transformer

@testable import Server

/// What `syncline check` prints of rules.
@Suite("check says who may do what")
struct AccessTableTests {
    private func report(_ schema: String, _ options: TransformOptions? = nil) throws -> AccessReport {
        var withUsers = TransformOptions()
        withUsers.authModes = [.apiKey, .userPools]
        let options = options ?? withUsers
        return AccessReport(
            of: try Transform.transform([Source(schema, name: "schema.graphql")], options: options).definition)
    }

    private func text(_ schema: String, _ options: TransformOptions? = nil) throws -> String {
        try report(schema, options).lines.joined(separator: "\n")
    }

    @Test("version 1: operations with the same callers share a row, and a model without rules says that it is open")
    func versionOne() throws {
        let schema = """
            type Post @model @key(name: "byA", fields: ["a"], queryField: "postsByA")
              @auth(rules: [{allow: owner, mutations: [create, delete]}, {allow: groups, groups: ["Admin"]}]) {
              id: ID!
              a: String!
              pin: String @auth(rules: [{allow: owner}])
            }
            type Open @model { id: ID! }
            """
        #expect(
            try text(schema) == """
                Access
                  Post  create, delete, get, list, sync, listen            user pool: the owner (field owner, claim username)
                                                                           user pool: group Admin
                  Post  update                                             user pool: group Admin
                  Post  create pin, update pin, set to null pin, read pin  user pool: the owner (field owner, claim username)
                  Open                                                     It has no @auth: version 1 opens it to every caller of the default mode (API key).
                  Open  create, update, delete, get, list, listen          API key: every caller with an API key
                """)
    }

    @Test("version 1: an operation that no rule is about is open to the default mode")
    func unruledOperation() throws {
        let schema = "type Post @model @auth(rules: [{allow: owner, operations: [create]}]) { id: ID! }"
        let text = try text(schema)
        #expect(text.contains("update, delete, get, list, listen  API key: every caller with an API key"), "\(text)")
    }

    @Test("version 2: fields limit what a role may do, and nobody may delete where no role may delete every field")
    func versionTwo() throws {
        let schema = """
            type Board @model @auth(rules: [{allow: owner}, {allow: groups, groups: ["Staff"]}]) {
              id: ID!
              title: String
              pin: String @auth(rules: [{allow: owner, operations: [create, read]}])
            }
            type Other @model { id: ID! by: String @index(name: "byBy") }
            type Query { ping: String @auth(rules: [{allow: groups, groups: ["G"]}, {allow: owner}]) }
            """
        let text = try text(schema)
        #expect(
            text == """
                Access
                  Board  create, get, list, listen  user pool: the owner (field owner, claim sub::username)
                                                    user pool: group Staff [id, title]
                  Board  update                     user pool: the owner (field owner, claim sub::username) [id, title]
                                                    user pool: group Staff [id, title]
                  Board  delete                     nobody
                  Board  read pin                   user pool: the owner (field owner, claim sub::username)
                  Other                             It has no @auth: version 2 closes it to everyone.
                  Query  call ping                  user pool: group G
                """)
        let sandbox = try self.text(schema + "\n" + APIDefinition.sandboxInput)
        #expect(sandbox.contains("It has no @auth: the sandbox opens it to every caller with an API key."))
        #expect(
            sandbox.contains("Other  create, update, delete, get, list, listen  API key: every caller with an API key"))
    }

    @Test("version 2: who may set fields to null is said where that is not who may update them")
    func nulls() throws {
        let schema = """
            type Plot @model @auth(rules: [
              {allow: owner, operations: [create, update, read]}, {allow: groups, groups: ["Del"]}]) {
              id: ID! @primaryKey
              t: String
            }
            """
        let text = try text(schema)
        #expect(text.contains("  Plot  set to null, delete                user pool: group Del"), "\(text)")
    }

    @Test("signed callers are named by the policies of their roles")
    func signed() throws {
        var options = TransformOptions()
        options.authModes = [.apiKey, .iam]
        let schema =
            "type Note @model @auth(rules: [{allow: private, provider: iam, queries: [get], mutations: null}]) { id: ID! }"
        let text = try text(schema, options)
        #expect(
            text.contains("get                                   IAM: signed-in identities of the identity pool"),
            "\(text)")
        #expect(text.contains("create, update, delete, list, listen  API key"), "\(text)")
    }

    @Test("the JSON names roles, root fields and limits")
    func json() throws {
        let json = try report("type Post @model @auth(rules: [{allow: owner}]) { id: ID! }").json.description
        let create =
            #"{"operation":"create","field":null,"rootFields":["createPost"],"allowed":["#
            + #"{"provider":"userPools","role":"userPools:owner:owner:username","#
            + #""who":"the owner (field owner, claim username)","fields":null}]}"#
        #expect(json.hasPrefix(#"[{"type":"Post","state":"rules","meaning":null,"operations":["# + create), "\(json)")
    }
}

extension TransformOutcome {
    /// The definition of a schema that must be valid.
    fileprivate var definition: APIDefinition {
        get throws {
            switch self {
            case .success(let definition): return definition
            case .failure(let diagnostics):
                throw ServerError(.invalid, diagnostics)
            }
        }
    }
}
