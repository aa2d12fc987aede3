import GraphQL
import JSON
import Testing

@testable import API

/// The numbered acceptance cases (reference: appsync-protocol, "Acceptance cases") that concern GraphQL itself: 39–98
/// and 103–106. The HTTP envelope (1–38, 107–110) and the modes of authorization (15–28, 99–102) are tested over sockets, 98
/// among the scenarios of DataStore.
@Suite("Acceptance cases 39–97 and 103–106", .bothExecutors)
struct AcceptanceTests {
    private static let schema = """
        type Query {
          getTodo(id: ID!): Todo
          listTodos(limit: Int, filter: TodoFilter): TodoConnection
          bad: Todo!
          badInt: Todo
          unresolved: String
          scal(s: String, i: Int, f: Float, b: Boolean, id: ID, c: Color, at: AWSDateTime, d: AWSDate, j: AWSJSON,
            p: AWSPhone, l: [Int]): String
        }
        type Mutation { createTodo(input: CreateTodoInput!): Todo  deleteTodo(id: ID!): Todo  fail(msg: String!): Todo
          append: Todo }
        type Todo { id: ID!  name: String!  n: Int  owner: String  color: Color  at: AWSDateTime }
        type TodoConnection { items: [Todo]  nextToken: String }
        input TodoFilter { name: String }
        input CreateTodoInput { id: ID name: String! n: Int owner: String color: Color at: AWSDateTime sub: Sub }
        input Sub { x: String! }
        enum Color { RED GREEN }
        """

    private static func service() throws -> Service {
        func answer(_ type: String, _ field: String, _ function: @escaping FieldFunction) -> (
            FieldCoordinate, FieldFunction
        ) {
            (FieldCoordinate(type: type, field: field), function)
        }
        let todo: JSONValue = .object(["id": .string("1"), "name": .string("first"), "n": .number("1")])
        return try Service(
            schema,
            functions: Dictionary(uniqueKeysWithValues: [
                answer("Query", "getTodo") { call throws(ResolverError) in
                    guard call.arguments["id"] == .string("nameless") else { return FieldAnswer(value: todo) }
                    return FieldAnswer(value: .object(["id": .string("nameless")]))
                },
                answer("Query", "bad") { _ throws(ResolverError) in FieldAnswer(value: .object(["id": .string("1")])) },
                answer("Query", "badInt") { _ throws(ResolverError) in
                    FieldAnswer(value: .object(["id": .string("1"), "name": .string("x"), "n": .string("abc")]))
                },
                answer("Query", "scal") { call throws(ResolverError) in
                    FieldAnswer(
                        value: .string(
                            call.arguments.fields.map { "\($0.name)=\($0.value.jsonText)" }.joined(separator: " ")))
                },
                answer("Mutation", "createTodo") { call throws(ResolverError) in
                    FieldAnswer(
                        value: .object(["id": .string("new"), "name": (call.arguments["input"]?["name"] ?? .null).json])
                    )
                },
                answer("Mutation", "fail") { call throws(ResolverError) in
                    throw ResolverError(
                        errorType: "Custom", message: (call.arguments["msg"] ?? .null).json.stringValue ?? "")
                },
                answer("Mutation", "append") { _ throws(ResolverError) in
                    FieldAnswer(value: todo, appendedErrors: [ResolverError(errorType: "Warn", message: "careful")])
                },
            ]))
    }

    private static let undefined = "Validation error of type FieldUndefined: Field"
    private static let wrong = "Validation error of type WrongType: argument"

    /// Documents that validation refuses, each with its one message.
    private static let refused: [(Int, String, String)] = [
        (39, "{ nope }", "\(undefined) 'nope' in type 'Query' is undefined @ 'nope'"),
        (40, "{ getTodo(id: 1) { nope } }", "\(undefined) 'nope' in type 'Todo' is undefined @ 'getTodo/nope'"),
        (
            41, "{ getTodo { id } }",
            "Validation error of type MissingFieldArgument: Missing field argument id @ 'getTodo'"
        ),
        (
            42, "{ getTodo(id: 1, foo: 2) { id } }",
            "Validation error of type UnknownArgument: Unknown field argument foo @ 'getTodo'"
        ),
        (43, "{ getTodo(id: null) { id } }", "\(wrong) 'id' with value 'NullValue{}' must not be null @ 'getTodo'"),
        (
            44, "{ getTodo(id: 1) }",
            "Validation error of type SubSelectionRequired: Sub selection required for type Todo of field getTodo @ 'getTodo'"
        ),
        (
            45, "{ bad }",
            "Validation error of type SubSelectionRequired: Sub selection required for type null of field bad @ 'bad'"
        ),
        (
            46, "{ getTodo(id: 1) { n { x } } }",
            "Validation error of type SubSelectionNotAllowed: Sub selection not allowed on leaf type Int of field n @ 'getTodo/n'"
        ),
        (47, #"{ scal(i: "x") }"#, "\(wrong) 'i' with value 'StringValue{value='x'}' is not a valid 'Int' @ 'scal'"),
        (
            48, "{ scal(i: 99999999999) }",
            "\(wrong) 'i' with value 'IntValue{value=99999999999}' is not a valid 'Int' @ 'scal'"
        ),
        (
            49, #"{ scal(c: "RED") }"#,
            "\(wrong) 'c' with value 'StringValue{value='RED'}' is not a valid 'Color' @ 'scal'"
        ),
        (
            50, #"mutation { createTodo(input: {id: "1"}) { id } }"#,
            "\(wrong) 'input' with value 'ObjectValue{objectFields=[ObjectField{name='id', value=StringValue{value='1'}}]}' is missing required fields '[name]' @ 'createTodo'"
        ),
        (
            51, #"mutation { createTodo(input: {name: "1", foo: 2}) { id } }"#,
            "\(wrong) 'input' with value 'ObjectValue{objectFields=[ObjectField{name='name', value=StringValue{value='1'}}, ObjectField{name='foo', value=IntValue{value=2}}]}' contains a field not in 'CreateTodoInput': 'foo' @ 'createTodo'"
        ),
        (
            52, "{ getTodo(id: $id) { id } }",
            "Validation error of type UndefinedVariable: Undefined variable id @ 'getTodo'"
        ),
        (53, "query ($x: Int) { unresolved }", "Validation error of type UnusedVariable: Unused variable x"),
        (54, "query ($x: Foo) { scal(i: $x) }", "Validation error of type UnknownType: Unknown type Foo"),
        (
            55, "query ($x: Todo) { scal(i: $x) }",
            "Validation error of type NonInputTypeOnVariable: Wrong type for a variable"
        ),
        (
            56, "query ($id: ID) { getTodo(id: $id) { id } }",
            "Validation error of type VariableTypeMismatch: Variable type 'ID' doesn't match expected type 'ID!' @ 'getTodo'"
        ),
        (
            58, #"query ($i: Int = "x") { scal(i: $i) }"#,
            "Validation error of type BadValueForDefaultArg: Bad default value StringValue{value='x'} for type Int"
        ),
        (59, "{ ...F }", "Validation error of type UndefinedFragment: Undefined fragment F"),
        (60, "{ unresolved } fragment F on Todo { id }", "Validation error of type UnusedFragment: Unused fragment F"),
        (
            61, "{ getTodo(id: 1) { ...F } } fragment F on Todo { ...F }",
            "Validation error of type FragmentCycle: Fragment cycles not allowed"
        ),
        (
            62, "{ getTodo(id: 1) { ... on TodoConnection { nextToken } } }",
            "Validation error of type InvalidFragmentType: Fragment cannot be spread here as objects of type Todo can never be of type TodoConnection @ 'getTodo'"
        ),
        (63, "{ unresolved @foo }", "Validation error of type UnknownDirective: Unknown directive foo @ 'unresolved'"),
        (
            64, "query @skip(if: true) { unresolved }",
            "Validation error of type MisplacedDirective: Directive skip not allowed here"
        ),
        (
            65, "{ unresolved @skip }",
            "Validation error of type MissingDirectiveArgument: Missing directive argument if @ 'unresolved'"
        ),
        (
            66, "{ x: unresolved x: scal }",
            "Validation error of type FieldsConflict: x: unresolved and scal are different fields"
        ),
        (71, "{", "Invalid Syntax"),
    ]

    @Test("a document that is invalid is refused before it runs, in AppSync's words")
    func refusals() throws {
        let service = try Self.service()
        for (number, query, message) in Self.refused {
            let text = try service.text(query)
            #expect(text.hasPrefix(#"{"data":null,"errors":[{"path":null,"locations":"#), "case \(number): \(text)")
            #expect(!text.contains("errorType"), "case \(number)")
            #expect(try service.errors(query).first.map { $0.hasPrefix(message) } == true, "case \(number): \(text)")
        }
        let first =
            #"{"data":null,"errors":[{"path":null,"locations":[{"line":1,"column":3,"sourceName":null}],"message":""#
        #expect(try service.text("{ nope }").hasPrefix(first))
    }

    @Test("a default on a non-null variable is accepted, as the specification does")
    func defaultOnNonNull() throws {
        #expect(
            try Self.service().data("query ($i: Int! = 3) { scal(i: $i) }") == #"{"scal":"i=3"}"#)
    }

    @Test("several operations need a name, and several errors are all answered")
    func operations() throws {
        let service = try Self.service()
        #expect(try service.errors("{ unresolved } { unresolved }").count >= 1)
        #expect(
            try service.errors("query A { unresolved } query A { unresolved }")
                == ["Validation error of type DuplicateOperationName: There can be only one operation named 'A'"])
        let two = "query A { unresolved } query B { scal(i: 2) }"
        let (kind, text) = try service.send(body: Service.body(two, nil))
        #expect(kind == AnswerKind(status: 400, errorType: "BadRequestException"))
        #expect(text == #"{"errors":[{"errorType":"BadRequestException","message":"Missing operation name."}]}"#)
        #expect(try service.text(two, operationName: "B") == #"{"data":{"scal":"i=2"}}"#)
        #expect(
            try service.send(body: Service.body(two, nil, operationName: "C")).text
                == #"{"errors":[{"errorType":"BadRequestException","message":"Unknown operation named 'C'."}]}"#)
        #expect(
            try service.errors("{ nope other }").map { $0.contains("'nope'") } == [true, false])
    }

    /// Variables that coercion refuses, each with its message.
    private static let uncoerced: [(Int, String, String, String)] = [
        (
            73, "query ($id: ID!) { getTodo(id: $id) { id } }", "{}",
            "Variable 'id' has coerced Null value for NonNull type 'ID!'"
        ),
        (
            74, "query ($id: ID!) { getTodo(id: $id) { id } }", #"{"id": null}"#,
            "Variable 'id' has coerced Null value for NonNull type 'ID!'"
        ),
        (
            75, "mutation ($i: CreateTodoInput!) { createTodo(input: $i) { id } }", #"{"i": {}}"#,
            "Variable 'i' has coerced Null value for NonNull type 'String!'"
        ),
        (
            76, "query ($x: Int) { scal(i: $x) }", #"{"x": "abc"}"#,
            "Variable 'x' has an invalid value. Expected type 'Int' but was 'String'."
        ),
        (
            77, "query ($x: Int) { scal(i: $x) }", #"{"x": 5.5}"#,
            "Variable 'x' has an invalid value. Expected type 'Int' but was 'Double'."
        ),
        (
            78, "query ($x: Int) { scal(i: $x) }", #"{"x": 2147483648}"#,
            "Variable 'x' has an invalid value. Expected type 'Int' but was 'Long'."
        ),
        (
            79, "query ($x: Int) { scal(i: $x) }", #"{"x": true}"#,
            "Variable 'x' has an invalid value. Expected type 'Int' but was 'Boolean'."
        ),
        (
            82, "query ($x: Color) { scal(c: $x) }", #"{"x": "BLUE"}"#,
            "Variable 'x' has an invalid value. Invalid input for Enum 'Color'. No value found for name 'BLUE'"
        ),
        (
            83, "mutation ($i: CreateTodoInput!) { createTodo(input: $i) { id } }", #"{"i": "x"}"#,
            "Variable 'i' has an invalid value. Expected type 'Map' but was 'String'. Variables for input objects must be an instance of type 'Map'."
        ),
        (
            84, "mutation ($i: CreateTodoInput!) { createTodo(input: $i) { id } }", #"{"i": {"name": "x", "foo": 1}}"#,
            "The variables input contains a field name 'foo' that is not defined for input object type 'CreateTodoInput' "
        ),
        (
            85, "query ($x: AWSDateTime) { scal(at: $x) }", #"{"x": "2019-1-1"}"#,
            "Variable 'x' has an invalid value. Unable to parse `2019-1-1` as a valid DateTime Object."
        ),
        (
            88, "query ($x: AWSPhone) { scal(p: $x) }", #"{"x": "1110004444"}"#,
            "Variable 'x' has an invalid value. Unable to parse `1110004444` as a valid phone number."
        ),
    ]

    @Test("variables that cannot be coerced are named with their path")
    func uncoercedVariables() throws {
        let service = try Self.service()
        for (number, query, variables, message) in Self.uncoerced {
            #expect(try service.errors(query, variables) == [message], "case \(number)")
        }
        #expect(try service.errors("query ($x: AWSJSON) { scal(j: $x) }", #"{"x": {"a": 1}}"#).count == 1, "case 89")
    }

    @Test("odd forms of variables are accepted as AppSync does")
    func coercedVariables() throws {
        let service = try Self.service()
        for (number, query, variables, data) in [
            (80, "query ($x: Int) { scal(i: $x) }", #"{"x": 5.0}"#, "i=5"),
            (81, "query ($x: String) { scal(s: $x) }", #"{"x": 5}"#, #"s=\"5\""#),
            (
                86, "query ($x: AWSDateTime) { scal(at: $x) }", #"{"x": "2020-01-01T00:00+00:00"}"#,
                #"at=\"2020-01-01T00:00+00:00\""#
            ),
            (87, "query ($x: AWSDate) { scal(d: $x) }", #"{"x": "1970-01-01+05:30"}"#, #"d=\"1970-01-01+05:30\""#),
            (89, "query ($x: AWSJSON) { scal(j: $x) }", #"{"x": "{\"a\":1}"}"#, #"j=\"{\\\"a\\\":1}\""#),
            (90, "query ($x: Int = 7) { scal(i: $x) }", #"{"x": null}"#, "i=7"),
        ] {
            #expect(try service.data(query, variables) == "{\"scal\":\"\(data)\"}", "case \(number)")
        }
    }

    @Test("an error at a field leaves null where the type allows it")
    func execution() throws {
        let service = try Self.service()
        #expect(try service.text("{ unresolved }") == #"{"data":{"unresolved":null}}"#, "case 91")
        #expect(
            try service.text(#"{ getTodo(id: "nameless") { name } }"#)
                == #"{"data":{"getTodo":null},"errors":[{"path":["getTodo","name"],"locations":null,"message":"Cannot return null for non-nullable type: 'String' within parent 'Todo' (/getTodo/name)"}]}"#,
            "case 92")
        #expect(
            try service.text("{ bad { name } }").hasPrefix(#"{"data":null,"errors":[{"path":["bad","name"]"#), "case 93"
        )
        #expect(
            try service.text("{ badInt { id n } }")
                == #"{"data":{"badInt":{"id":"1","n":null}},"errors":[{"path":["badInt","n"],"locations":null,"message":"Can't serialize value (/badInt/n) : Expected type 'Int' but was 'String'."}]}"#,
            "case 94")
        #expect(
            try service.text(#"mutation { fail(msg: "no") { id } }"#)
                == #"{"data":{"fail":null},"errors":[{"path":["fail"],"data":null,"errorType":"Custom","errorInfo":null,"locations":[{"line":1,"column":12,"sourceName":null}],"message":"no"}]}"#,
            "case 95")
        #expect(
            try service.text("mutation { append { id } }")
                == #"{"data":{"append":{"id":"1"}},"errors":[{"path":["append"],"data":null,"errorType":"Warn","errorInfo":null,"locations":[{"line":1,"column":12,"sourceName":null}],"message":"careful"}]}"#,
            "case 96")
        let stored = try Service("type Post @model { id: ID! }")
        #expect(
            try stored.errors("mutation { deletePost(input: {id: 1}) { id } }").map {
                $0.hasPrefix(
                    "DynamoDB:ConditionalCheckFailedException: The conditional request failed (Service: DynamoDb")
            } == [true], "case 97")
    }

    @Test("mutations run in their order, fields merge, and @skip and @include hold")
    func order() throws {
        let service = try Self.service()
        #expect(
            try service.text(
                #"mutation { a: createTodo(input: {name: "a"}) { name } fail(msg: "x") { id } b: createTodo(input: {name: "b"}) { name } }"#
            )
            .hasPrefix(#"{"data":{"a":{"name":"a"},"fail":null,"b":{"name":"b"}},"errors":["#), "case 103")
        #expect(
            try service.data(
                "{ getTodo(id: 1) { n ...F id } getTodo(id: 1) { name } } fragment F on Todo { key: id n }")
                == #"{"getTodo":{"n":1,"key":"1","id":"1","name":"first"}}"#, "case 104")
        #expect(
            try service.data(
                "query ($no: Boolean!) { getTodo(id: 1) { id @include(if: $no) n @skip(if: true) name @skip(if: $no) } }",
                #"{"no": false}"#) == #"{"getTodo":{"name":"first"}}"#, "case 105")
    }
}
