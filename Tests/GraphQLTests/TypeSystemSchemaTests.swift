import Foundation
import GraphQL
import Testing

@Suite("A schema made from definitions")
struct TypeSystemSchemaTests {
    @Test("knows its types, their fields and its roots")
    func lookups() throws {
        let todo = try #require(fixture.type(named: "Todo"))
        #expect(fixture[todo].name == "Todo")
        #expect(fixture.queryType == fixture.type(named: "Query"))
        #expect(fixture.rootType(of: .subscription) == fixture.type(named: "Subscription"))
        let tags = try #require(fixture[todo].fields?.field(named: "tags"))
        let field = fixture.definition(of: .field(tags), in: todo)
        #expect(fixture.name(of: field.type) == "[String!]")
        #expect(fixture.field(named: "__typename", of: todo) == .typename)
        #expect(fixture.field(named: "__schema", of: todo) == nil)
        #expect(fixture.field(named: "__schema", of: fixture.queryType) == .schema)
        #expect(fixture.type(.nonNull(.list(.named("Color")))).map(fixture.name) == "[Color]!")
        #expect(fixture[todo].directives.map(\.name) == ["aws_api_key", "aws_iam"])
    }

    @Test("knows the object types of interfaces and unions")
    func possibleTypes() throws {
        func names(_ name: String) throws -> [String] {
            fixture.possibleTypes(of: try #require(fixture.type(named: name))).map { fixture[$0].name }
        }
        #expect(try names("Node") == ["Todo", "User"])
        #expect(try names("Any") == ["Todo", "User"])
        #expect(try names("Todo") == ["Todo"])
        #expect(try names("Color").isEmpty)
        let node = try #require(fixture.type(named: "Node")), query = fixture.queryType
        #expect(!fixture.isPossible(query, of: node))
        #expect(!fixture.overlap(node, query))
        #expect(fixture.overlap(node, try #require(fixture.type(named: "Any"))))
    }

    @Test(
        "has AppSync's scalars whether or not they are used, the transformer's two where they are, and takes their redundant declaration"
    )
    func scalars() throws {
        #expect(fixture.type(named: "AWSDate") != nil)
        #expect(fixture.type(named: "AWSEmail") != nil)
        #expect(fixture.type(named: "BigInt") == nil)
        #expect(schemaFaults("type Query { a: AWSDate b: BigInt c: Double } scalar AWSDate scalar String").isEmpty)
        let anything = try #require(fixture.type(named: "Anything"))
        guard case .scalar(let scalar) = fixture[anything].kind else { return #expect(Bool(false)) }
        #expect(scalar == .custom(name: "Anything", specifiedByURL: "https://example.com/anything"))
    }

    @Test("merges extensions of every kind, wherever they stand")
    func extensions() throws {
        let text = """
            extend type Query { b: Int }
            type Query { a: E }
            enum E { X } extend enum E { Y }
            union U = A extend union U = B type A { a: Int } type B { b: Int }
            input I { a: Int } extend input I { b: Int = 2 }
            interface N { a: Int } extend interface N @tag { b: Int }
            scalar S extend scalar S @specifiedBy(url: "u")
            directive @tag on INTERFACE | SCHEMA
            extend schema @tag { mutation: A }
            """
        let (document, _) = Parser.parseTypeSystem([Source(text)])
        let schema = try SchemaBuilder.build(from: document)
        #expect(schema[schema.queryType].fields?.fields.map(\.name) == ["a", "b"])
        #expect(schema.mutationType == schema.type(named: "A"))
        #expect(schema.possibleTypes(of: try #require(schema.type(named: "U"))).count == 2)
    }

    @Test(
        "names that no parser has read are refused where they are no names", arguments: ["a\" b", "é", "", "1a", "a-b"])
    func names(name: String) {
        let argument = InputValueDefinition(name: name, type: .named("Int"))
        let query = ObjectTypeDefinition(
            name: "Query",
            fields: [
                FieldDefinition(name: "a", arguments: [argument], type: .named("Int")),
                FieldDefinition(name: name, type: .named("Int")),
            ])
        let start = name.isEmpty || name == "1a"
        let message =
            "Names must \(start ? "start with [_a-zA-Z]" : "only contain [_a-zA-Z0-9]") but \"\(name)\" does not."
        let document = TypeSystemDocument([.type(.object(query))])
        #expect(SchemaValidation.errors(in: document).map(\.message) == [message, message])
    }

    @Test("is made of every schema that Amplify's own transformer makes", arguments: LanguageGoldenTests.fixtures)
    func goldens(file: URL) throws {
        #expect(schemaFaults(try String(contentsOf: file, encoding: .utf8)) == [])
    }

    @Test("a schema needs a query type unless an option says otherwise")
    func queryType() {
        #expect(
            schemaFaults("type A { a: Int }")
                == ["Query root type must be provided. Add a type named Query with at least one field."])
        #expect(schemaFaults("type A { a: Int }", requiresQuery: false).isEmpty)
    }

    @Test("refuses", arguments: faults)
    func refuses(text: String, expected: String) {
        #expect(schemaFaults("type Query { q: Int }\n" + text).first == expected)
    }

    @Test("reports all faults in the order of the text, whatever rule finds them")
    func order() {
        let text = """
            type Query { a: Nope, b: Int, b: Int }
            type Query { c: Int }
            input I { i: I! }
            query { a }
            """
        #expect(
            schemaFaults(text) == [
                "1:14 Unknown type \"Nope\".", "1:31 Field \"Query.b\" can only be defined once.",
                "2:1 There can be only one type named \"Query\".",
                "3:11 Cannot reference Input Object \"I\" within itself through a series of non-null fields: \"i\". "
                    + "Let one of these fields be null.",
                "4:1 An operation or a fragment does not belong into a schema.",
            ])
    }

    @Test("stops at a hundred faults")
    func bound() {
        let fields = (0..<300).map { "f\($0): Nope\($0)" }.joined(separator: " ")
        #expect(schemaFaults("type Query { \(fields) }").count == SchemaValidation.errorsMax)
    }

    @Test("may use directives and their inputs from a prelude that is no part of it")
    func prelude() {
        let (prelude, _) = Parser.parseTypeSystem([
            Source("directive @key(fields: [String!]!, mode: Mode) repeatable on OBJECT enum Mode { ON OFF }")
        ])
        func faults(_ text: String) -> [String] {
            SchemaValidation.errors(
                in: Parser.parseTypeSystem([Source(text)]).document, prelude: prelude, requiresQuery: false
            ).map(\.description)
        }
        #expect(faults(#"type A @key(fields: ["a"], mode: OFF) @key(fields: "b") { a: Int }"#).isEmpty)
        #expect(
            faults(#"type A @key(fields: "a", mode: OF) { a: Int }"#) == [
                #"Argument "mode" of directive "@key" is not valid. "#
                    + #"Value "OF" does not exist in "Mode" enum. Did you mean "OFF" or "ON"?"#
            ])
        #expect(faults("type A @kez(fields: \"a\") { a: Int }") == [#"Unknown directive "@kez". Did you mean "@key"?"#])
    }

    private static let faults: [(String, String)] = [
        ("type User { a: Int } type A { u: Usr }", #"2:31 Unknown type "Usr". Did you mean "User"?"#),
        ("type A { a: Int } scalar A", #"2:19 There can be only one type named "A"."#),
        ("type Int { a: Float }", #"2:1 There can be only one type named "Int"."#),
        ("schema { query: Query } schema { query: Query }", "2:25 Must provide only one schema definition."),
        ("schema { query: Query query: Query }", "2:23 There can be only one query type in schema."),
        (
            "schema { query: Query mutation: Query }",
            "2:23 All root types must be different, \"Query\" type is used as query and mutation root types."
        ),
        (
            "input In { a: Int } schema { query: Query mutation: In }",
            "2:43 Mutation root type must be Object type if provided, it cannot be In."
        ),
        (
            "extend type Querry { a: Int }",
            #"2:1 Cannot extend type "Querry" because it is not defined. Did you mean "Query"?"#
        ),
        ("extend input Query { a: Int }", #"2:1 Cannot extend non-input object type "Query"."#),
        ("type A", "2:1 Type A must define one or more fields."),
        (
            "type A { __a: Int }",
            #"2:10 Name "__a" must not begin with "__", which is reserved by GraphQL introspection."#
        ),
        (
            "scalar AWSDay",
            #"2:1 Name "AWSDay" must not begin with "AWS", which is reserved by AppSync. Did you mean "AWSDate" or "AWSURL"?"#
        ),
        ("type A { a(b: Int, b: Int): Int }", #"2:20 Argument "A.a(b:)" can only be defined once."#),
        ("input I { a: Int } type A { a: I }", "2:29 The type of A.a must be Output Type but got: I."),
        ("type A { a(q: [Query!]): Int }", "2:12 The type of A.a(q:) must be Input Type but got: [Query!]."),
        ("type A { a(b: Int! @deprecated): Int }", "2:20 Required argument A.a(b:) cannot be deprecated."),
        ("union U = Query | Int", "2:1 Union type U can only include Object types, it cannot include Int."),
        ("union U = Query | Query", "2:1 Union type U can only include type Query once."),
        ("enum E { A A }", #"2:12 Enum value "E.A" can only be defined once."#),
        ("input I { a: Query }", "2:11 The type of I.a must be Input Type but got: Query."),
        ("input I { a: Int! @deprecated }", "2:19 Required input field I.a cannot be deprecated."),
        (
            "type A implements Query { q: Int }",
            "2:1 Type A must only implement Interface types, it cannot implement Query."
        ),
        (
            "interface I { a: Int } type A implements I { b: Int }",
            "2:24 Interface field I.a expected but A does not provide it."
        ),
        (
            "interface I { a: Int! } type A implements I { a: Int }",
            "2:47 Interface field I.a expects type Int! but A.a is type Int."
        ),
        (
            "interface I { a(b: Int): Int } type A implements I { a: Int }",
            "2:54 Interface field argument I.a(b:) expected but A.a does not provide it."
        ),
        (
            "interface I { a(b: Int): Int } type A implements I { a(b: Int!): Int }",
            "2:56 Interface field argument I.a(b:) expects type Int but A.a(b:) is type Int!."
        ),
        (
            "interface I { a: Int } type A implements I { a(c: Int!): Int }",
            "2:48 Object field A.a includes required argument c that is missing from the Interface field I.a."
        ),
        (
            "interface I { a: Int } interface J implements I { a: Int } type A implements J { a: Int }",
            "2:60 Type A must implement I because it is implemented by J."
        ),
        (
            "interface I implements I { a: Int }",
            "2:1 Type I cannot implement itself because it would create a circular reference."
        ),
        ("interface I { a: Int } type A implements I & I { a: Int }", "2:24 Type A can only implement I once."),
        ("type A { a: Int @nope }", #"2:17 Unknown directive "@nope"."#),
        (
            "type A @deprecated { a: Int }",
            #"2:8 Directive "@deprecated" may not be used on OBJECT. It may be used on FIELD_DEFINITION, "#
                + "ARGUMENT_DEFINITION, INPUT_FIELD_DEFINITION, ENUM_VALUE."
        ),
        (
            "type A { a: Int @deprecated @deprecated }",
            #"2:29 The directive "@deprecated" can only be used once at this location."#
        ),
        (
            "scalar S @specifiedBy",
            #"2:10 Directive "@specifiedBy" argument "url" of type "String!" is required, but it was not provided."#
        ),
        (
            #"type A { a: Int @deprecated(reson: "x") }"#,
            #"2:29 Unknown argument "reson" on directive "@deprecated". Did you mean "reason"?"#
        ),
        (
            "type A { a: Int @deprecated(reason: 5) }",
            #"2:29 Argument "reason" of directive "@deprecated" is not valid. Expected value of type "String", found 5."#
        ),
        ("directive @d(a: Int, a: Int) on FIELD", #"2:22 Argument "@d(a:)" can only be defined once."#),
        ("directive @d on FIELD directive @d on QUERY", #"2:23 There can be only one directive named "@d"."#),
        (
            "type A { a(b: Int = \"x\"): Int }",
            #"2:12 The default value of A.a(b:) is not valid. Expected value of type "Int", found "x"."#
        ),
        (
            "input I { a: I = {} }", "2:11 The default value of I.a contains itself."
        ),
        (
            "input I { a: J! } input J { b: I! }",
            #"2:29 Cannot reference Input Object "I" within itself through a series of non-null fields: "a.b". "#
                + "Let one of these fields be null."
        ),
    ]
}
