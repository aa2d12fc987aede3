import GraphQL
import Testing

@testable import Transformer

@Suite("What is served, and what is refused by name")
struct ServedTests {
    @Test(
        "a directive that is known and not served is refused where it stands",
        arguments: [
            "@versioned", "@searchable",
        ])
    func typeDirectives(directive: String) throws {
        let diagnostics = refusal("type Post @model \(directive) {\n  id: ID!\n}")
        let diagnostic = try #require(diagnostics.first)
        #expect(diagnostics.count == 1)
        #expect(diagnostic.kind == "NotServedError")
        let name = directive.prefix { $0 != "(" }
        #expect(diagnostic.message == "\(name) is not served by this version.")
        #expect(diagnostic.place?.line == 1 && diagnostic.place?.column == 18)
        #expect(diagnostic.hint != nil)
    }

    @Test(
        "a field's too, each at its place",
        arguments: [
            "@http(url: \"https://example.com\")", "@predictions(actions: [identifyText])",
        ])
    func fieldDirectives(directive: String) {
        let diagnostics = refusal(
            """
            type Post @model {
              id: ID!
              one: String \(directive)
              two: String \(directive)
            }
            """)
        #expect(diagnostics.map(\.kind) == ["NotServedError", "NotServedError"])
        #expect(diagnostics.compactMap(\.place?.line) == [3, 4])
        #expect(diagnostics.compactMap(\.place?.column) == [15, 15])
    }

    @Test(
        "a rule that allows every caller with an API key changes nothing",
        arguments: ["{ allow: public }", "[{ allow: public }]", "[{ allow: public, provider: apiKey }]"])
    func publicRules(rules: String) throws {
        let guarded = try definition("type Post @model @auth(rules: \(rules)) { id: ID! }")
        let plain = try definition("type Post @model { id: ID! }")
        #expect(Printer.print(guarded.document) == Printer.print(plain.document))
    }

    @Test("a rule of a mode that the API does not have is refused")
    func options() {
        let messages = [
            "allow: private": "'userPools' provider found, but the project has no Cognito User Pools",
            "allow: public, provider: iam": "'iam' provider found, but the project has no IAM",
            "allow: private, provider: identityPool": "'identityPool' provider found, but the project has no IAM",
            "allow: owner, provider: oidc": "'oidc' provider found, but the project has no OPENID_CONNECT",
            "allow: custom": "'function' provider found, but the project has no Lambda",
        ]
        for (rule, message) in messages {
            let diagnostics = refusal(
                "type Post @model @auth(rules: [{ \(rule) }]) { id: ID! }",
                options: TransformOptions(transformerVersion: .v2))
            #expect(
                diagnostics.map(\.message) == [
                    "@auth directive with \(message) authentication provider configured."
                ])
        }
        let noKey = refusal(
            "type Post @model @auth(rules: [{ allow: public }]) { id: ID! }",
            options: TransformOptions(authModes: [.userPools]))
        #expect(noKey.map(\.kind) == ["InvalidDirectiveError"])
    }

    @Test("@aws_api_key and @deprecated are kept and change nothing; other directives are not printed")
    func printedDirectives() throws {
        let definition = try definition(
            """
            directive @mine on FIELD_DEFINITION
            type Query @aws_api_key { a: Int @aws_api_key @mine b: Int @deprecated(reason: "old") }
            """)
        #expect(
            definition.text(of: "Query") == """
                type Query @aws_api_key {
                  a: Int @aws_api_key
                  b: Int @deprecated(reason: "old")
                }
                """)
        #expect(!Printer.print(definition.document).contains("directive"))
    }
}
