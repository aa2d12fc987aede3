import GraphQL
import Testing

@testable import Transformer

@Suite("What is served, and what is refused by name")
struct ServedTests {
    @Test(
        "a directive that is known and not served is refused where it stands",
        arguments: [
            "@versioned", "@searchable", "@auth(rules: [{ allow: owner }])", "@aws_iam", "@aws_cognito_user_pools",
            "@aws_oidc",
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
            "@auth(rules: [{ allow: public }])", "@aws_auth(cognito_groups: [\"a\"])", "@aws_lambda",
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

    @Test(
        "any other rule is refused",
        arguments: [
            "type Post @model @auth(rules: [{ allow: private }]) { id: ID! }",
            "type Post @model @auth(rules: [{ allow: public }, { allow: owner }]) { id: ID! }",
            "type Post @model @auth(rules: [{ allow: public, provider: iam }]) { id: ID! }",
            "type Post @model { id: ID! body: String @auth(rules: [{ allow: owner }]) }",
        ])
    func otherRules(schema: String) {
        let diagnostics = refusal(schema)
        #expect(diagnostics.map(\.message) == ["@auth is not served by this version."])
        #expect(diagnostics.first?.hint == ServedRules.onlyRule)
    }

    @Test("a mode of the whole API that is not served is refused")
    func options() {
        let schema = "type Post @model @auth(rules: [{ allow: public }]) { id: ID! }"
        let modes = refusal(schema, options: TransformOptions(authModes: [.apiKey, .iam]))
        #expect(modes.map(\.kind) == ["NotServedError"])
        // The rule names a provider that is no mode.
        let provider = refusal(schema, options: TransformOptions(authModes: [.userPools]))
        #expect(provider.map(\.kind) == ["NotServedError"])
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
