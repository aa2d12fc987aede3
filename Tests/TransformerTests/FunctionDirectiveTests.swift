import GraphQL
import Testing

@testable import Transformer

@Suite("Fields with @function")
struct FunctionDirectiveTests {
    private static let versions: [TransformOptions.TransformerVersion] = [.v1, .v2]

    private func options(
        _ version: TransformOptions.TransformerVersion, _ names: Set<String>? = nil, environment: String? = nil,
        allowsMissing: Bool = false
    ) -> TransformOptions {
        TransformOptions(
            transformerVersion: version,
            functions: names.map {
                FunctionCatalog(names: $0, environmentName: environment, allowsMissing: allowsMissing)
            })
    }

    @Test("a function makes a pipeline of the fields of root types, models and nested types", arguments: versions)
    func places(version: TransformOptions.TransformerVersion) throws {
        let definition = try definition(
            """
            type Query { echo(text: String): String @function(name: "echo") }
            type Mutation { fire: Sum @function(name: "fire", region: "eu-west-1") }
            type Sum { total: Int detail: String @function(name: "detail") }
            type Item @model { id: ID! price: Float @function(name: "price") name: String }
            """, options: options(version))
        func step(_ name: String, region: String? = nil) -> Resolver {
            .pipeline([.function(FunctionInvocation(name: name, region: region))])
        }
        #expect(definition.resolver(type: "Query", field: "echo") == step("echo"))
        #expect(definition.resolver(type: "Mutation", field: "fire") == step("fire", region: "eu-west-1"))
        #expect(definition.resolver(type: "Sum", field: "detail") == step("detail"))
        #expect(definition.resolver(type: "Item", field: "price") == step("price"))
        #expect(definition.resolver(type: "Item", field: "name") == nil)
        #expect(!definition.warnings.contains { $0.message.contains("echo") || $0.message.contains("fire") })
        try definition.expectIsConsistent()
    }

    @Test("several functions on a field are the steps of one pipeline, in their order", arguments: versions)
    func repeated(version: TransformOptions.TransformerVersion) throws {
        let definition = try definition(
            """
            type Query { total: Int @function(name: "first") @function(name: "second") @function(name: "first") }
            type Item @model { id: ID! }
            """, options: options(version))
        #expect(
            definition.resolver(type: "Query", field: "total")
                == .pipeline(
                    ["first", "second", "first"].map { .function(FunctionInvocation(name: $0)) }))
    }

    @Test("version 2 names the account of a function's ARN, and version 1 does not know the argument")
    func accounts() throws {
        let schema = """
            type Query { total: Int @function(name: "f", accountId: "123456789012") }
            type Item @model { id: ID! }
            """
        let definition = try definition(schema, options: options(.v2))
        #expect(
            definition.resolver(type: "Query", field: "total")
                == .pipeline([.function(FunctionInvocation(name: "f", accountId: "123456789012"))]))
        #expect(refusal(schema, options: options(.v1)).map(\.kind) == ["SchemaValidationError"])
    }

    @Test(
        "a name with ${env} is that of the environment, as written, or without the environment",
        arguments: [
            ("echo-${env}", "dev", ["echo-dev", "echo"], "echo-dev"), ("echo-${env}", "dev", ["echo"], "echo"),
            ("echo-${env}", "dev", ["echo-${env}", "echo"], "echo-${env}"), ("echo-${env}", nil, ["echo"], "echo"),
            ("${env}echo", nil, ["NONEecho"], "NONEecho"), ("a-${env}-${env}", nil, ["a-NONE"], "a-NONE"),
            ("echo-dev", "dev", ["echo"], "echo"), ("echo", "dev", ["echo"], "echo"),
        ] as [(String, String?, Set<String>, String)])
    func names(written: String, environment: String?, declared: Set<String>, expected: String) throws {
        let schema = "type Query { echo: String @function(name: \"\(written)\") }\ntype Item @model { id: ID! }"
        for version in Self.versions {
            let definition = try definition(schema, options: options(version, declared, environment: environment))
            #expect(
                definition.resolver(type: "Query", field: "echo")
                    == .pipeline([.function(FunctionInvocation(name: expected))]))
        }
    }

    @Test("a function that is not declared is an error at its place, and a warning where it may be missing")
    func missing() throws {
        let schema = """
            type Query {
              echo: String @function(name: "ecco")
            }
            type Item @model @auth(rules: [{ allow: public }]) { id: ID! }
            """
        for version in Self.versions {
            let found = refusal(schema, options: options(version, ["echo"]))
            #expect(
                found.map(\.message) == [
                    "@function(name: \"ecco\") on Query.echo: there is no function \"ecco\"."
                ])
            #expect(found.first?.place?.line == 2 && found.first?.place?.column == 16)
            #expect(found.first?.hint == "Did you mean \"echo\"?")
            #expect(refusal(schema, options: options(version, [])).first?.hint?.contains("\"functions\"") == true)
            let allowed = try definition(schema, options: options(version, [], allowsMissing: true))
            #expect(
                allowed.warnings.map(\.message) == [
                    "@function(name: \"ecco\") on Query.echo: there is no function \"ecco\". "
                        + "The field fails when it is selected."
                ])
            #expect(allowed.resolver(type: "Query", field: "echo") != nil)
        }
    }

    @Test(
        "a function where none can be called is refused with the reason",
        arguments: [
            ("type Query { a: Int @function(name: \"\") }", "Must supply a 'name' to @function."),
            ("type Query { a: Int @function(name: 3) }", "Argument \"name\" of directive \"@function\" is not valid."),
            ("type Query { a: Int @function }", "Directive \"@function\" argument \"name\""),
            ("type Query @function(name: \"f\") { a: Int }", "Directive \"@function\" may not be used on OBJECT."),
            (
                "interface Shape { area: Int @function(name: \"f\") } type Box implements Shape { area: Int }",
                "@function on Shape.area has no effect: Shape is an interface."
            ),
            (
                "type Subscription { a: Int @function(name: \"f\") }",
                "@function on Subscription.a is not served: events come from mutations."
            ),
            (
                "type Query { a: Int \(String(repeating: "@function(name: \"f\") ", count: 11)) }",
                "Query.a: a pipeline has at most 10 functions; this one has 11."
            ),
        ])
    func badUse(schema: String, message: String) {
        for version in Self.versions {
            let found = refusal("\(schema)\ntype Item @model { id: ID! }", options: options(version))
            #expect(found.count == 1 && found[0].message.hasPrefix(message), "\(found.map(\.message))")
        }
    }

    @Test(
        "a field that leads to items cannot have a function beside",
        arguments: [
            (TransformOptions.TransformerVersion.v1, "@connection(fields: [\"id\"])", "connection"),
            (.v2, "@hasOne(fields: [\"id\"])", "hasOne"),
        ])
    func relations(version: TransformOptions.TransformerVersion, relation: String, name: String) {
        let found = refusal(
            "type Item @model { id: ID! other: Item \(relation) @function(name: \"f\") }", options: options(version))
        #expect(found.map(\.message) == ["Item.other has both @function and @\(name)."])
    }
}
