import GraphQL
import JSON
import Testing

@Suite("Variables of a request")
struct ExecutionVariableTests {
    @Test("are coerced to their types", arguments: coerced)
    func coerces(declaration: String, given: String, expected: CoercedValue?) throws {
        #expect(try values("$x: \(declaration)", "any: [$x]", given)["x"] == expected)
    }

    @Test("that do not fit are refused in AppSync's words", arguments: refused)
    func refuses(declaration: String, given: String, expected: String) throws {
        let error = #expect(throws: GraphQLError.self) { try values("$x: \(declaration)", "any: [$x]", given) }
        #expect(error?.message == expected)
    }

    @Test("are charged to the place of their definition")
    func location() throws {
        let error = #expect(throws: GraphQLError.self) { try values("$a: Int, $x: ID!", "i: $a, id: $x", "{}") }
        #expect(error?.locations == [Location(line: 1, column: 17)])
        let unknown = #expect(throws: GraphQLError.self) {
            try values("$x: Sub", "any: [$x]", #"{"x": {"x": "", "z": 1}}"#)
        }
        #expect(unknown?.locations == nil)
    }

    @Test("beyond the declared ones are ignored")
    func undeclared() throws { #expect(try values("$x: Int", "i: $x", #"{"x": 1, "y": {}}"#).count == 1) }

    private func values(_ definitions: String, _ arguments: String, _ given: String) throws -> [String: CoercedValue] {
        let operation = try operation("query (\(definitions)) { scal(\(arguments)) }")
        let values = try operation.variables.coerceVariableValues(try json(given).objectValue, schema: fixture)
        return Dictionary(
            uniqueKeysWithValues: zip(operation.variables.names, values.values).compactMap { name, value in
                value.map { (name, $0) }
            })
    }

    private static let coerced: [(String, String, CoercedValue?)] = [
        ("Int", #"{"x": 5}"#, .int(5)), ("Int", #"{"x": null}"#, .null), ("Int", "{}", nil),
        ("Int = 3", "{}", .int(3)), ("Int = 3", #"{"x": null}"#, .int(3)), ("Int! = 3", "{}", .int(3)),
        ("[Int]", #"{"x": 5}"#, .list([.int(5)])), ("[Int]", #"{"x": [1, null]}"#, .list([.int(1), .null])),
        ("[[Int]] = 7", "{}", .list([.list([.int(7)])])),
        ("Color", #"{"x": "GREEN"}"#, .enumValue("GREEN")), ("Color = GREEN", "{}", .enumValue("GREEN")),
        (
            "Sub", #"{"x": {"x": "a"}}"#,
            .object([.init(name: "x", value: .string("a")), .init(name: "y", value: .int(7))])
        ),
        (
            "TodoFilter", #"{"x": {"not": null, "and": {"name": 5}}}"#,
            .object([
                .init(name: "and", value: .list([.object([.init(name: "name", value: .string("5"))])])),
                .init(name: "not", value: .null),
            ])
        ),
    ]

    private static let refused: [(String, String, String)] = [
        ("ID!", "{}", "Variable 'x' has coerced Null value for NonNull type 'ID!'"),
        ("ID!", #"{"x": null}"#, "Variable 'x' has coerced Null value for NonNull type 'ID!'"),
        // A default stands in for what is not given. Null is given, and not allowed.
        ("Int! = 3", #"{"x": null}"#, "Variable 'x' has coerced Null value for NonNull type 'Int!'"),
        ("[Int!]! = [3]", #"{"x": null}"#, "Variable 'x' has coerced Null value for NonNull type '[Int!]!'"),
        ("CreateTodoInput", #"{"x": {}}"#, "Variable 'x' has coerced Null value for NonNull type 'String!'"),
        (
            "CreateTodoInput", #"{"x": {"name": null}}"#,
            "Variable 'x' has coerced Null value for NonNull type 'String!'"
        ),
        ("[Int!]", #"{"x": [1, null]}"#, "Variable 'x' has coerced Null value for NonNull type 'Int!'"),
        ("Int", #"{"x": "abc"}"#, "Variable 'x' has an invalid value. Expected type 'Int' but was 'String'."),
        (
            "CreateTodoInput", #"{"x": {"name": "a", "at": "2019-1-1"}}"#,
            "Variable 'at' has an invalid value. Unable to parse `2019-1-1` as a valid DateTime Object."
        ),
        (
            "CreateTodoInput", #"{"x": {"name": "a", "subs": [{"x": []}]}}"#,
            "Variable 'x' has an invalid value. Expected type 'String' but was 'ArrayList'."
        ),
        // U+212A is K for Unicode, and no letter of a name for GraphQL.
        (
            "Sub", #"{"x": {"x": "", "\u212Aey": 1}}"#,
            "The variables input contains a field name '\u{212A}ey' that is not defined for input object type 'Sub' "
        ),
        (
            "Color", #"{"x": "BLUE"}"#,
            "Variable 'x' has an invalid value. Invalid input for Enum 'Color'. No value found for name 'BLUE'"
        ),
        (
            "Sub", #"{"x": "s"}"#,
            "Variable 'x' has an invalid value. Expected type 'Map' but was 'String'. Variables for input objects must "
                + "be an instance of type 'Map'."
        ),
        (
            "Sub", #"{"x": {"x": "a", "foo": 1}}"#,
            "The variables input contains a field name 'foo' that is not defined for input object type 'Sub' "
        ),
    ]
}

@Suite("Arguments of a field")
struct ExecutionArgumentTests {
    @Test("are literals, variables and defaults in the order of the definition")
    func values() throws {
        let values = try arguments(
            "query ($i: Int, $n: String!) { scal(l: [1, $i], in: {tags: [$n], name: $n}, i: $i, c: RED) }",
            #"{"i": 5, "n": "x"}"#)
        #expect(values.fields.map(\.name) == ["i", "c", "l", "req", "in"])
        #expect(values["l"] == .list([.int(1), .int(5)]))
        #expect(values["req"] == .int(3))
        #expect(
            values["in"]
                == .object([
                    .init(name: "name", value: .string("x")), .init(name: "color", value: .enumValue("RED")),
                    .init(name: "tags", value: .list([.string("x")])),
                ]))
    }

    @Test("without a value for their variable are absent, or have their default")
    func absent() throws {
        let values = try arguments(
            "query ($i: Int, $s: String) { scal(i: $i, s: null, l: [$i], req: $i, any: {a: $s}) }", "{}")
        #expect(values["i"] == nil)
        #expect(values["s"] == .null)
        #expect(values["l"] == .list([.null]))
        #expect(values["req"] == .int(3))
        #expect(values["any"] == .object([]))
    }

    @Test("that a variable makes null where null may not be are refused")
    func unexpectedNull() throws {
        let error = #expect(throws: GraphQLError.self) {
            try arguments("query ($i: Int) { scal(req: $i) }", #"{"i": null}"#)
        }
        #expect(error?.message == "Argument 'req' has coerced Null value for NonNull type 'Int!'")
        #expect(error?.locations == [Location(line: 1, column: 29)])
    }

    @Test("are coerced once where no variable is among them")
    func constants() throws {
        #expect(try template("{ scal(l: 1, any: {a: [1]}) }").isConstant)
        #expect(try template("query ($i: Int) { scal(l: [$i]) }").isConstant == false)
        #expect(try arguments("{ scal(l: 1) }", "{}")["l"] == .list([.int(1)]))
    }

    private func template(_ text: String) throws -> ArgumentTemplate {
        let operation = try operation(text)
        var collector = FieldCollector(operation)
        let field = try #require(try collector.collectFields().first)
        let definition = fixture.definition(of: field.reference, in: field.parentType)
        return ArgumentTemplate(definition.arguments, field.node.arguments, in: operation)
    }

    private func arguments(_ text: String, _ variables: String) throws -> ArgumentValues {
        let values = try operation(text).variables.coerceVariableValues(json(variables).objectValue, schema: fixture)
        return try template(text).coerceArgumentValues(values)
    }
}

@Suite("An operation")
struct ExecutionOperationTests {
    @Test("is chosen by name, or is the only one")
    func choice() throws {
        let two = "query A { iamOnly } mutation B { deleteTodo(id: 1) { id } }"
        #expect(try operation(two, named: "B").rootType == fixture.mutationType)
        #expect(try operation("{ iamOnly }").name == nil)
        let missing = #expect(throws: GraphQLError.self) { try operation(two) }
        #expect(missing?.message == "Missing operation name." && missing?.errorType == "BadRequestException")
        let unknown = #expect(throws: GraphQLError.self) { try operation(two, named: "C") }
        #expect(unknown?.message == "Unknown operation named 'C'.")
    }
}
