import Foundation
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
                  Post  create, delete, get, list, listen, query        user pool: the owner (field owner, claim username)
                                                                        user pool: group Admin
                  Post  update                                          user pool: group Admin
                  Post  create, update, set to null, read          pin  user pool: the owner (field owner, claim username)
                  Open                                                  It has no @auth: version 1 opens it to every caller of the default mode (API key).
                  Open  create, update, delete, get, list, listen       API key: every caller with an API key
                """)
    }

    @Test("version 2: a role with list alone is reported with the fields that it is shown, and warned of")
    func unintendedRead() throws {
        let schema = """
            type Post @model @auth(rules: [{allow: owner}, {allow: private, operations: [list]}]) {
              id: ID!
              title: String @auth(rules: [{allow: owner}])
              body: String
            }
            """
        var options = TransformOptions()
        options.authModes = [.userPools]
        options.transformerVersion = .v2
        let sources = [Source(schema, name: "schema.graphql")]
        let definition = try Transform.transform(sources, options: options).definition
        let entries = AccessReport(of: definition).subjects[0].entries.filter { $0.operation == "list" }
        let everyone = entries.flatMap(\.callers).first { $0.words == "every user" }
        #expect(everyone != nil && everyone?.fields == nil, "\(entries)")
        let warnings = definition.warnings.map(\.message)
        #expect(
            warnings.contains { $0.hasPrefix("Post: every user may list items and so sees title, ") }, "\(warnings)")
        let corrected = schema.replacing("operations: [list]", with: "operations: [read]")
        let other = try Transform.transform([Source(corrected, name: "schema.graphql")], options: options).definition
        #expect(!other.warnings.contains { $0.message.contains("so sees") })
    }

    @Test("version 1: a field whose rules are about reading only, and which subscribers receive, is warned of")
    func publishedRead() throws {
        func warnings(_ rule: String) throws -> [String] {
            let schema = """
                type Post @model @auth(rules: [{allow: groups, groups: ["Staff"]}]) {
                  id: ID! pin: String @auth(rules: [{allow: owner\(rule)}])
                }
                """
            var options = TransformOptions(transformerVersion: .v1)
            options.authModes = [.userPools]
            return try Transform.transform([Source(schema, name: "schema.graphql")], options: options).definition
                .warnings.map(\.message)
        }
        let found = try warnings(", operations: [read]")
        #expect(
            found.contains {
                $0.hasPrefix("Post: every subscriber receives pin, ")
                    && $0.contains(" if createPost or updatePost or deletePost selects it")
            }, "\(found)")
        #expect(try !warnings("").contains { $0.contains("every subscriber receives") })
    }

    @Test("version 1: an operation that no rule is about is open to the default mode")
    func unruledOperation() throws {
        let schema = "type Post @model @auth(rules: [{allow: owner, operations: [create]}]) { id: ID! }"
        var options = TransformOptions()
        options.authModes = [.userPools, .apiKey]
        let open = try text(schema, options)
        #expect(open.contains("update, delete, get, list, listen  user pool: every user"), "\(open)")
        // Where the default mode is another, the rule has closed the fields of the type to it.
        let text = try text(schema)
        #expect(text.contains("update, delete     API key: every caller with an API key"), "\(text)")
        #expect(text.contains("get, list, listen  nobody"), "\(text)")
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
                  Board  create, get, list, listen        user pool: the owner (field owner, claim sub::username)
                                                          user pool: group Staff [id, title]
                  Board  update                           user pool: the owner (field owner, claim sub::username) [id, title]
                                                          user pool: group Staff [id, title]
                  Board  delete                           nobody
                  Board  read                       pin   user pool: the owner (field owner, claim sub::username)
                  Other                                   It has no @auth: version 2 closes it to everyone.
                  Query  call                       ping  user pool: group G
                """)
        let sandbox = try self.text(schema + "\n" + APIDefinition.sandboxInput)
        #expect(sandbox.contains("It has no @auth: the sandbox opens it to every caller with an API key."))
        #expect(
            sandbox.contains(
                "Other  create, update, delete, get, list, listen        API key: every caller with an API key"))
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

    @Test(
        "version 1: a field's rules bind the callers of their providers alone, and others who reach the field read it")
    func fieldsOfVersionOne() throws {
        var options = TransformOptions()
        options.authModes = [.userPools, .apiKey]
        let text = try text(
            """
            type A @model @auth(rules: [{allow: owner}, {allow: public, operations: [read]}]) {
              id: ID!
              secret: String @auth(rules: [{allow: owner}])
            }
            type Query { ping: String @function(name: "f") @auth(rules: [{allow: private}, {allow: owner}]) }
            """, options)
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let place = try #require(lines.firstIndex { $0.contains(" read ") && $0.contains("secret") })
        #expect(lines[place].hasSuffix("user pool: the owner (field owner, claim username)"), "\(text)")
        #expect(lines[place + 1] == "API key: every caller with an API key", "\(text)")
        #expect(lines.contains { $0.contains("call") && $0.hasSuffix("user pool: every user") }, "\(text)")
    }

    @Test("groups that a type names limit who reads it, and a mode that none of its fields has reads nothing")
    func groupsOfTypes() throws {
        var options = TransformOptions()
        options.authModes = [.userPools, .apiKey]
        let text = try text(
            """
            type Kid @model @aws_cognito_user_pools(cognito_groups: ["Admin"]) { id: ID! }
            """, options)
        #expect(text.contains("get, list, listen") && text.contains("user pool: the groups Admin"), "\(text)")
        #expect(text.contains("create, update, delete") && text.contains("user pool: every user"), "\(text)")
    }

    @Test("fields of root types that their author wrote without rules are open to their modes")
    func writtenFields() throws {
        let text = try text(
            """
            type Post @model @auth(rules: [{allow: owner}]) { id: ID! @primaryKey }
            type Subscription { onPost: Post @aws_subscribe(mutations: ["createPost"]) }
            """)
        #expect(text.contains("call") && text.contains("onPost") && text.contains("API key: every caller"), "\(text)")
    }

    @Test("signed callers with an admin role, and those that enableIamAccess admits, are named")
    func signedCallers() throws {
        var options = TransformOptions(transformerVersion: .v2)
        options.authModes = [.apiKey, .iam]
        options.adminRoles = ["Reports"]
        let schema = """
            type Note @model @auth(rules: [{allow: public}]) { id: ID! }
            type Shut @model { id: ID! }
            """
        let admins = try text(schema, options)
        #expect(admins.contains("IAM: signed callers whose ARN contains one of adminRoles"), "\(admins)")
        #expect(admins.hasSuffix("It has no @auth: version 2 closes it to everyone."), "\(admins)")
        options.enablesIAMAccess = true
        let all = try text(schema, options)
        #expect(
            all.contains(
                "closes it to everyone but signed callers outside of the identity pool (enableIamAccess)."), "\(all)")
        #expect(all.contains("Shut  create, update, delete, get, list, listen"), "\(all)")
    }

    @Test("signed callers are named by the policies of their roles")
    func signed() throws {
        var options = TransformOptions()
        options.authModes = [.apiKey, .iam]
        let schema =
            "type Note @model @auth(rules: [{allow: private, provider: iam, queries: [get], mutations: null}]) { id: ID! }"
        let text = try text(schema, options)
        #expect(
            text.contains("get                     IAM: signed-in identities of the identity pool"),
            "\(text)")
        #expect(text.contains("create, update, delete  API key"), "\(text)")
        #expect(text.contains("list, listen            nobody"), "the fields of the type are closed to API keys")
    }

    @Test("the JSON names roles and root fields, and the fields to which a role is limited")
    func json() throws {
        let limited = """
            type Note @model @auth(rules: [{allow: private}]) {
              id: ID! @primaryKey
              pin: String @auth(rules: [{allow: private, operations: [read]}])
            }
            """
        #expect(try report(limited).json.description.contains(#""who":"every user","fields":["id"]}"#))
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
