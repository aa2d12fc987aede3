import Foundation
import Testing
import Transformer

@testable import Server

/// The built binary, as a developer runs it over a file of cases.
@Suite("auth test asks the rules of a schema", .serialized)
struct AuthorizationTestTests {
    private static let schema = """
        type Note @model @auth(rules: [
          {allow: owner},
          {allow: groups, groups: ["Staff"], operations: [read]},
          {allow: groups, groups: ["Audit"], operations: [read]}]) {
          id: ID! @primaryKey
          text: String
        }
        """

    /// The example of the documentation: its schema and its file.
    private static func example() throws -> (schema: String, file: String) {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/authorization.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## Test your rules").last)
        func block(_ language: String) throws -> String {
            let parts = section.components(separatedBy: "```\(language)\n")
            return try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
        }
        return (try block("graphql"), try block("json"))
    }

    @Test("the documented example passes, and names the rule that no case has met")
    func documentedExample() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (schema, file) = try Self.example()
        try folder.write(schema, to: "schema.graphql")
        try folder.write(file, to: "rules.json")
        let outcome = try run(["auth", "test", "rules.json"], in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(
            outcome.output.hasSuffix(
                "7 cases, 0 failed.\n2 of 3 rules covered.\nnot covered: Note:userPools:staticGroup:Audit:cognito:groups\n"
            ),
            "\(outcome)")
        #expect(folder.names == ["rules.json", "schema.graphql"], "the data folder is not made")
    }

    @Test("a case that fails prints what was expected, what was answered and each rule on a line; the exit code is 1")
    func failure() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        try folder.write(
            """
            {"identities": {"bob": {"mode": "userPools", "username": "bob"}, "ann": {"mode": "userPools", "username": "ann"}},
             "given": {"Note": [{"id": "1", "owner": "ann"}]},
             "cases": [
               {"name": "bob reads", "as": "bob", "query": "{ getNote(id: \\"1\\") { id } }", "expect": "allowed"},
               {"name": "ann reads", "as": "ann", "query": "query Q($id: ID!) { getNote(id: $id) { id } }",
                "variables": {"id": "1"}, "expect": {"data": {"getNote": {"id": "2"}}}},
               {"name": "bob gets an error", "as": "bob", "query": "{ getNote(id: \\"1\\") { id } }",
                "expect": {"data": {"getNote": null}, "errors": [{"path": ["getNote"], "errorType": "Unauthorized"}]}}
             ]}
            """, to: "rules.json")
        let outcome = try run(["auth", "test", "rules.json"], in: folder)
        #expect(outcome.code == 1, "\(outcome)")
        for line in [
            "FAIL bob reads\n       - expected: allowed\n       + answered: {\"data\":{\"getNote\":null},\"errors\":[",
            "       rules: Query.getNote denied\n",
            "       rules:   Note:userPools:owner:owner:sub::username: the item's field owner does not have the caller's "
                + "sub::username\n",
            "       rules:   Note:userPools:staticGroup:Staff:cognito:groups: the caller is not in the group Staff\n",
            "FAIL ann reads\n       - expected data: {\"getNote\":{\"id\":\"2\"}}\n       + answered data: {\"getNote\":{\"id\":\"1\"}}",
            "ok   bob gets an error", "3 cases, 2 failed.",
        ] { #expect(outcome.output.contains(line), "\(line)\n\(outcome.output)") }
        let json = try run(["auth", "test", "rules.json", "--json"], in: folder)
        #expect(try run(["auth", "test", "rules.json", "--format", "json"], in: folder).output == json.output)
        #expect(try run(["auth", "test", "rules.json", "--data", "d"], in: folder).code == 2, "it has no data folder")
        #expect(json.code == 1 && json.output.contains(#""passed":false"#) && json.output.contains(#""ruleCount":3"#))
    }

    @Test("groups whose names are other bytes are different rules, even if they are the same to a reader")
    func lookAlikes() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // The second name is the Kelvin sign, which Unicode calls equivalent to the letter K.
        try folder.write(
            """
            type Note @model @auth(rules: [{allow: groups, groups: ["K"]}, {allow: groups, groups: ["\u{212A}"]}]) {
              id: ID! @primaryKey
            }
            """, to: "schema.graphql")
        try folder.write(
            """
            {"identities": {"ann": {"mode": "userPools", "username": "ann", "groups": ["K"]}},
             "given": {"Note": [{"id": "1"}]},
             "cases": [{"name": "ann", "as": "ann", "query": "{ getNote(id: \\"1\\") { id } }", "expect": "allowed"}]}
            """, to: "rules.json")
        let outcome = try run(["auth", "test", "rules.json"], in: folder)
        #expect(outcome.code == 0 && outcome.output.contains("1 of 2 rules covered."), "\(outcome)")
    }

    @Test("a subscription is refused or begins, and each event reaches those whom the rules admit, and nobody else")
    func subscriptions() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        let listen = "subscription { onCreateNote { id text owner } }"
        let create = #"mutation { createNote(input: {id: \"9\", text: \"t\"}) { id text owner } }"#
        func write(_ ann: String, _ bob: String, _ staff: String, _ key: String) throws {
            try folder.write(
                """
                {"identities": {"ann": {"mode": "userPools", "username": "ann"},
                   "bob": {"mode": "userPools", "username": "bob"},
                   "staff": {"mode": "userPools", "username": "s", "groups": ["Staff"]}, "key": {"mode": "apiKey"}},
                 "cases": [
                   {"name": "keys do not listen", "as": "key", "query": "\(listen)", "expect": "denied"},
                   {"name": "users listen", "as": "bob", "query": "\(listen)", "expect": "allowed"},
                   {"name": "who hears", "as": "ann", "query": "\(create)", "expect": "allowed", "subscribers": [
                     {"as": "ann", "query": "\(listen)", "expect": \(ann)},
                     {"as": "bob", "query": "\(listen)", "expect": \(bob)},
                     {"as": "staff", "query": "\(listen)", "expect": \(staff)},
                     {"as": "key", "query": "\(listen)", "expect": \(key)}]}
                 ]}
                """, to: "rules.json")
        }
        let data = #"{"data": {"onCreateNote": {"id": "9", "text": "t", "owner": "ann"}}}"#
        try write(data, #""nothing""#, #""event""#, #""denied""#)
        let passed = try run(["auth", "test", "rules.json"], in: folder)
        #expect(passed.code == 0 && passed.output.contains("2 of 3 rules covered."), "\(passed)")
        try write(#""nothing""#, #""event""#, #""denied""#, #""nothing""#)
        let failed = try run(["auth", "test", "rules.json"], in: folder)
        #expect(failed.code == 1, "\(failed)")
        for line in [
            "subscribers[0] as ann: - expected: nothing", "subscribers[1] as bob: + received nothing",
            "subscribers[2] as staff: + received: [", "subscribers[3] as key: + refused: [",
        ] {
            #expect(failed.output.contains(line), "\(failed)")
        }
    }

    @Test("an invalid file is refused with exit code 3, its name, and the place within it")
    func invalid() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        let key = #"{"identities": {"key": {"mode": "apiKey"}}, "#
        let good = #"{"as": "key", "query": "{ x }", "expect": "denied"}"#
        let rows: [(String, String)] = [
            ("{", "rules.json:1:2: It is not valid JSON. "),
            ("{\n  \"cases\": [}", "rules.json:2:13: It is not valid JSON. "),
            (#"{"case": []}"#, #"rules.json: unknown key 'case'. Did you mean "cases"?"#),
            (key + #""cases": []}"#, "It has no cases"),
            (key + #""cases": [{"as": "ann"}]}"#, "cases[0].as must name one"),
            (key + #""cases": [{"as": "key", "query": "{ x }", "expect": 1}]}"#, "cases[0].expect must be"),
            (
                key
                    + #""given": {"Nope": [{"id": "1"}]}, "cases": [{"as": "key", "query": "{ x }", "expect": "denied"}]}"#,
                "rules.json: given.Nope: the schema has no model Nope. Did you mean \"Note\"?"
            ),
            (key + #""cases": [{"as": "key", "query": "{ x }", "expects": 1}]}"#, "cases[0]: unknown key 'expects'"),
            (key + #""cases": [{"as": "key", "query": "{ x }", "expect": "denied", "variable": {}}]}"#, "'variable'"),
            (
                key + #""cases": [{"as": "key", "query": "{ x }", "expect": {"data": null, "error": []}}]}"#,
                #"cases[0].expect: unknown key 'error'. Did you mean "errors"?"#
            ),
            (
                key + #""cases": [{"as": "key", "query": "{ x }", "expect": {"errors": [{"type": "U"}]}}]}"#,
                "cases[0].expect.errors[0]: unknown key 'type'"
            ),
            (
                key + #""given": {"Note": [{"id": "1", "texts": ""}]}, "cases": [\#(good)]}"#,
                #"given.Note[0]: Note stores no field 'texts'. Did you mean "text"?"#
            ),
            (
                key + #""given": {"Note": [{"id": 1}]}, "cases": [\#(good)]}"#,
                "given.Note[0].id must be a string, and is 1."
            ),
            (
                #"{"identities": {"key": {"mode": "userPools", "group": ["A"]}}, "cases": [\#(good)]}"#,
                #"identities.key: unknown key 'group'. Did you mean "groups"?"#
            ),
            (
                #"{"identities": {"key": {"mode": "userPools", "groups": "A"}}, "cases": [\#(good)]}"#,
                "identities.key.groups must be a list of strings."
            ),
            (#"{"identities": [], "cases": [\#(good)]}"#, "rules.json: identities must be an object."),
            (key + #""given": [{"Note": []}], "cases": [\#(good)]}"#, "rules.json: given must be an object."),
            (
                key + #""given": {"Note": [{"id": "1"}, {"text": ""}]}, "cases": [\#(good)]}"#,
                "rules.json: given.Note[1]: the key 'id' is missing."
            ),
            (
                key + #""given": {"Note": [{"id": null}]}, "cases": [\#(good)]}"#,
                "rules.json: given.Note[0]: the key 'id' is missing."
            ),
            (key + #""given": {"Note": [{"id": ""}]}, "cases": [\#(good)]}"#, "given.Note[0]: "),
            (
                key + #""cases": [{"name": 1, "as": "key", "query": "{ x }", "expect": "denied"}]}"#,
                "rules.json: cases[0].name must be a string."
            ),
            (
                key + #""cases": [{"as": "key", "query": "{ x }", "expect": "denied", "subscribers": ["#
                    + #"{"as": "key", "query": "{ x }", "expect": {"data": null, "erors": [1]}}]}]}"#,
                "rules.json: cases[0].subscribers[0].expect: unknown key 'erors'. Its keys are data."
            ),
            (
                key + #""cases": [{"as": "key", "query": "{ x }", "expect": "denied", "subscribers": ["#
                    + #"{"as": "key", "query": "{ x }", "expect": {"data": null, "errors": []}}]}]}"#,
                "rules.json: cases[0].subscribers[0].expect: unknown key 'errors'. Its keys are data."
            ),
            (
                #"{"identities": {"key": {"mode": "iam"}}, "cases": [\#(good)]}"#,
                "identities.key: AWS_IAM is not a mode of this API. Its modes: API_KEY, AMAZON_COGNITO_USER_POOLS."
            ),
        ]
        for (text, message) in rows {
            try folder.write(text, to: "rules.json")
            let outcome = try run(["auth", "test", "rules.json"], in: folder)
            #expect(outcome.code == 3 && outcome.complaint.contains(message), "\(text): \(outcome)")
        }
    }

    @Test("signed callers and callers of a Lambda authorizer are the identities that a server makes of them")
    func otherIdentities() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(
            """
            type Note @model @auth(rules: [{allow: owner}, {allow: custom}]) {
              id: ID! @primaryKey
              text: String
            }
            """, to: "schema.graphql")
        try folder.write(
            """
            {"transformParameters": {"adminRoles": ["Reports"]}, "functions": {"gate": "http://127.0.0.1:9/"},
             "authConfig": {
               "defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS"},
               "additionalAuthenticationProviders": [
                 {"authenticationType": "AWS_IAM"},
                 {"authenticationType": "AWS_LAMBDA", "lambdaAuthorizerConfig": {"lambdaFunction": "gate"}}]}}
            """, to: "config/syncline.json")
        func test(_ identity: String, _ expectation: String) throws -> (code: Int32, text: String) {
            try folder.write(
                """
                {"identities": {"x": \(identity)}, "given": {"Note": [{"id": "1"}]},
                 "cases": [{"as": "x", "query": "{ getNote(id: \\"1\\") { text } }", "expect": "\(expectation)"}]}
                """, to: "rules.json")
            let outcome = try run(["auth", "test", "rules.json"], in: folder)
            return (outcome.code, "\(outcome)")
        }
        let arn = "arn:aws:sts::000000000000:assumed-role"
        let field = "arn:aws:appsync:us-east-1:000000000000:apis/x/types/Note/fields/text"
        let rows = [
            (#"{"mode": "iam", "userArn": "\#(arn)/Reports/nightly"}"#, "allowed"),
            (#"{"mode": "iam", "userArn": "\#(arn)/Other/nightly"}"#, "denied"),
            (#"{"mode": "lambda"}"#, "allowed"), (#"{"mode": "lambda", "deniedFields": ["Note.text"]}"#, "denied"),
            (#"{"mode": "lambda", "deniedFields": ["\#(field)"]}"#, "denied"),
        ]
        for (identity, expectation) in rows {
            let outcome = try test(identity, expectation)
            #expect(outcome.code == 0, "\(identity) \(expectation): \(outcome.text)")
        }
        let refused = [
            (
                #"{"mode": "lambda", "deniedFields": ["text"]}"#,
                "deniedFields must be a list of Type.field or ARNs of fields."
            ),
            (
                #"{"mode": "lambda", "resolverContext": {"a": []}}"#,
                "resolverContext.a must be a string, a number, true or false."
            ),
            (#"{"mode": "iam", "admin": true}"#, "identities.x: unknown key"),
        ]
        for (identity, message) in refused {
            let outcome = try test(identity, "denied")
            #expect(outcome.code == 3 && outcome.text.contains(message), "\(identity): \(outcome.text)")
        }
    }

    @Test("rules are counted by what they allowed: each version, by mode, of fields, and not those of a sandbox")
    func counts() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rows: [(version: Int, schema: String, expected: String)] = [
            (1, "type Note @model @auth(rules: [{allow: public}]) { id: ID! text: String }", "1 of 1 rule covered."),
            (
                2,
                "type Note @model { id: ID! @primaryKey text: String } \(APIDefinition.sandboxInput)",
                "The schema has no rules."
            ),
            (
                2,
                """
                type Note @model @auth(rules: [{allow: owner}, {allow: public}]) {
                  id: ID! @primaryKey
                  text: String @auth(rules: [{allow: public}])
                }
                """, "2 of 3 rules covered.\nnot covered: Note:userPools:owner:owner:sub::username"
            ),
            (
                2,
                """
                type Note @model @auth(rules: [{allow: public}]) {
                  id: ID
                  text: String
                  pin: String @auth(rules: [{allow: private}])
                }
                """, "1 of 2 rules covered.\nnot covered: Note.pin:userPools:private"
            ),
        ]
        try folder.write(
            """
            {"identities": {"key": {"mode": "apiKey"}}, "given": {"Note": [{"id": "1"}]},
             "cases": [{"as": "key", "query": "{ getNote(id: \\"1\\") { text } }", "expect": "allowed"}]}
            """, to: "rules.json")
        for (version, schema, expected) in rows {
            try folder.write(#"{"transformerVersion": \#(version)}"#, to: "config/syncline.json")
            try folder.write(schema, to: "schema.graphql")
            let outcome = try run(["auth", "test", "rules.json"], in: folder)
            #expect(outcome.code == 0 && outcome.output.contains(expected), "\(schema)\n\(outcome)")
        }
    }
}
