import GraphQL
import JSON
import Testing

@testable import API

@Suite("Fields that a function answers", .bothExecutors) struct FunctionTests {
    static let schema = """
        type Todo @model { id: ID! name: String! }
        enum Color { RED GREEN }
        interface Shape { name: String! area: Float }
        type Circle implements Shape { name: String! area: Float radius: Int! }
        type Square implements Shape { name: String! area: Float side: Int! corners: [Point!] }
        type Point { x: Int! y: Int! }
        union Any = Circle | Point
        type Query {
          ping(name: String = "you", times: Int, color: Color): String
          must: String!
          number: Int color: Color numbers: [Int!] grid: [[Int]] when: AWSDateTime json: AWSJSON
          shape: Shape shapes: [Shape!] any: Any todo: Todo nothing: String nothings: [Todo!]!
        }
        type Mutation { reset(hard: Boolean!): Boolean touch: Todo }
        """

    /// A service whose field answers with this JSON.
    private func service(_ field: String, on type: String = "Query", _ json: String, errors: [ResolverError] = [])
        throws -> Service
    {
        let value = try JSONReader.read(json)
        return try Service(
            Self.schema,
            functions: [
                FieldCoordinate(type: type, field: field): { _ in FieldAnswer(value: value, appendedErrors: errors) }
            ])
    }

    @Test(
        "values of every shape",
        arguments: [
            ("ping", "ping", #""hello""#, #""hello""#), ("ping", "ping", "null", "null"),
            ("number", "number", "7", "7"),
            ("color", "color", #""RED""#, #""RED""#), ("numbers", "numbers", "[1,2]", "[1,2]"),
            ("numbers", "numbers", "[]", "[]"),
            ("grid", "grid", "[[1,null],[],null]", "[[1,null],[],null]"),
            ("when", "when", #""2026-01-01T00:00:00Z""#, #""2026-01-01T00:00:00Z""#),
            (
                "todo", "todo { name id other: name __typename }", #"{"id": "a", "name": "n", "extra": 1}"#,
                #"{"name":"n","id":"a","other":"n","__typename":"Todo"}"#
            ),
            (
                "shape", "shape { __typename name ... on Circle { radius } ... on Square { side } }",
                #"{"__typename": "Circle", "name": "c", "radius": 2, "side": 3}"#,
                #"{"__typename":"Circle","name":"c","radius":2}"#
            ),
            (
                "shapes", "shapes { name ... on Square { side corners { y } } area }",
                #"[{"__typename": "Square", "name": "s", "side": 1, "corners": [{"x": 1, "y": 2}]}, {"__typename": "Circle", "name": "c"}]"#,
                #"[{"name":"s","side":1,"corners":[{"y":2}],"area":null},{"name":"c","area":null}]"#
            ),
            (
                "any", "any { ... on Point { x } ... on Circle { name } __typename }",
                #"{"__typename": "Point", "x": 1, "y": 2}"#,
                #"{"x":1,"__typename":"Point"}"#
            ),
        ])
    func values(name: String, selection: String, json: String, answer: String) throws {
        try service(name, json).expect("{ \(selection) }", data: #"{"\#(name)":\#(answer)}"#)
    }

    @Test(
        "values that their type cannot hold",
        arguments: [
            (
                "number", "number", #""x""#, "null",
                "number Can't serialize value (/number) : Expected type 'Int' but was 'String'."
            ),
            (
                "color", "color", #""BLUE""#, "null",
                "color Can't serialize value (/color) : Invalid input for Enum 'Color'. Unknown value 'BLUE'"
            ),
            (
                "when", "when", #""xx""#, "null",
                "when Can't serialize value (/when) : Unable to serialize `xx` as a valid DateTime Object."
            ),
            (
                "numbers", "numbers", "5", "null",
                "numbers Can't resolve value (/numbers) : type mismatch error, expected type LIST"
            ),
            (
                "numbers", "numbers", "[1, null]", "null",
                "numbers/1 Cannot return null for non-nullable type: 'Int' within parent 'Query' (/numbers[1])"
            ),
            (
                "todo", "todo { id }", "5", "null",
                "todo Can't resolve value (/todo) : type mismatch error, expected type OBJECT"
            ),
            (
                "todo", "todo { id name }", #"{"id": "a"}"#, "null",
                "todo/name Cannot return null for non-nullable type: 'String' within parent 'Todo' (/todo/name)"
            ),
            (
                "any", "any { __typename }", #"{"x": 1}"#, "null",
                "any Can't resolve '/any'. Abstract type 'Any' must resolve to an Object type at runtime for field 'Query.any'. "
                    + "Could not determine the exact type of 'Any'"
            ),
            (
                "shape", "shape { name }", #"{"__typename": "Todo"}"#, "null",
                "shape Can't resolve '/shape'. Abstract type 'Shape' must resolve to an Object type at runtime for field "
                    + "'Query.shape'. Could not determine the exact type of 'Shape'"
            ),
        ])
    func misfits(name: String, selection: String, json: String, answer: String, error: String) throws {
        try service(name, json).expect("{ \(selection) }", data: #"{"\#(name)":\#(answer)}"#, errors: [error])
    }

    @Test(
        "a function receives its arguments: given ones, defaults and variables, but no absent ones",
        arguments: [
            ("ping", "null", #"name="you""#),
            (#"ping(name: "a", times: 2, color: RED)"#, "null", #"name="a" times=2 color="RED""#),
            ("ping(times: $t)", "null", #"name="you""#), ("ping(times: $t)", #"{"t": 3}"#, #"name="you" times=3"#),
            ("ping(times: $t)", #"{"t": null}"#, #"name="you" times=null"#), ("ping(name: null)", "null", "name=null"),
        ])
    func arguments(field: String, variables: String, expected: String) throws {
        let service = try Service(
            Self.schema,
            functions: [
                FieldCoordinate(type: "Query", field: "ping"): { call in
                    let received = call.arguments.fields.map { "\($0.name)=\($0.value.jsonText)" }.joined(
                        separator: " ")
                    return FieldAnswer(value: .string(received))
                }
            ])
        let answer = try service.value("query Q($t: Int) { \(field) other: ping(times: $t) }", variables, at: "ping")
        #expect(answer?.stringValue == expected)
    }

    @Test("an error stands for the value; appended errors stand beside it, in order")
    func errors() throws {
        let thrown = try Service(
            Self.schema,
            functions: [
                FieldCoordinate(type: "Query", field: "ping"): { _ throws(ResolverError) in
                    throw ResolverError(errorType: "Custom", message: "no")
                }
            ])
        try thrown.expect("{ ping number }", data: #"{"ping":null,"number":null}"#, errors: ["ping Custom: no"])
        let appended = try service(
            "ping", #""yes""#,
            errors: [
                ResolverError(errorType: "One", message: "first"), ResolverError(errorType: nil, message: "second"),
            ])
        try appended.expect("{ a: ping }", data: #"{"a":"yes"}"#, errors: ["a One: first", "a second"])
    }

    @Test("a custom field without a resolver is null; where null may not be, its parent is")
    func noResolver() throws {
        let service = try Service(Self.schema)
        try service.expect(
            "{ ping nothing numbers shape { name } todo { id } }",
            data: #"{"ping":null,"nothing":null,"numbers":null,"shape":null,"todo":null}"#)
        try service.expect(
            "{ ping must }", data: "null",
            errors: ["must Cannot return null for non-nullable type: 'String' within parent 'Query' (/must)"])
        try service.expect(
            "mutation { reset(hard: true) touch { id } __typename }",
            data: #"{"reset":null,"touch":null,"__typename":"Mutation"}"#)
    }

    @Test("functions and writes of one mutation run in order")
    func mutation() throws {
        let service = try service("reset", on: "Mutation", "true")
        try service.expect(
            #"mutation { a: reset(hard: true) createTodo(input: {id: "a", name: "n"}) { id } b: reset(hard: false) }"#,
            data: #"{"a":true,"createTodo":{"id":"a"},"b":true}"#)
    }
}
