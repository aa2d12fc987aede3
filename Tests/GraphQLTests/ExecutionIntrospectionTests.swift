import GraphQL
import JSON
import Testing

@Suite("Introspection")
struct ExecutionIntrospectionTests {
    @Test("shows the roots, every type by its kind, and every directive")
    func schema() throws {
        let data = try introspect(
            "{ __schema { __typename description queryType { name } mutationType { name } subscriptionType { name } types { name kind } directives { name } } }"
        )
        let schema = data["__schema"]
        #expect(schema?["__typename"] == "__Schema")
        #expect(schema?["description"] == .null)
        #expect(schema?["queryType"]?["name"] == "Query")
        #expect(schema?["subscriptionType"]?["name"] == "Subscription")
        let kinds = Dictionary(
            uniqueKeysWithValues: (schema?["types"]?.arrayValue ?? []).compactMap { type in
                type["name"]?.stringValue.map { ($0, type["kind"]?.stringValue ?? "") }
            })
        #expect(kinds["Todo"] == "OBJECT" && kinds["Node"] == "INTERFACE" && kinds["Any"] == "UNION")
        #expect(kinds["Color"] == "ENUM" && kinds["Sub"] == "INPUT_OBJECT" && kinds["AWSDate"] == "SCALAR")
        #expect(kinds["__Type"] == "OBJECT" && kinds["__TypeKind"] == "ENUM" && kinds["Boolean"] == "SCALAR")
        let directives = schema?["directives"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
        #expect(directives.starts(with: ["skip", "include", "deprecated", "specifiedBy"]))
        #expect(directives.contains("aws_subscribe"))
    }

    @Test(
        "unwraps types", arguments: [("tags", "LIST/NON_NULL/String"), ("name", "NON_NULL/String"), ("owner", "User")])
    func wrappers(field: String, expected: String) throws {
        let data = try introspect(
            "{ __type(name: \"Todo\") { fields { name type { kind name ofType { kind name ofType { name } } } } } }")
        let fields = data["__type"]?["fields"]?.arrayValue ?? []
        var type = fields.first { $0["name"]?.stringValue == field }?["type"]
        var names: [String] = []
        while let current = type, current != .null {
            names.append(current["name"]?.stringValue ?? current["kind"]?.stringValue ?? "?")
            type = current["ofType"]
            if current["name"] != .null { break }
        }
        #expect(names.joined(separator: "/") == expected)
    }

    @Test("hides what is deprecated until it is asked for")
    func deprecated() throws {
        func names(_ arguments: String, _ variables: String = "{}") throws -> [String] {
            let text =
                "query ($d: Boolean = false) { __type(name: \"Todo\") { fields\(arguments) { name isDeprecated deprecationReason } unused: fields(includeDeprecated: $d) { name } } }"
            let data = try introspect(text, variables)
            return (data["__type"]?["fields"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
        }
        #expect(try !names("").contains("old"))
        #expect(try names("(includeDeprecated: true)").contains("old"))
        #expect(try names("(includeDeprecated: $d)", #"{"d": true}"#).contains("old"))
    }

    @Test(
        "introspection answers with defaults, URLs, possible types and null for what a kind does not have",
        arguments: answers)
    func answersExactly(text: String, expected: String) throws { #expect(try introspect(text) == json(expected)) }

    @Test("has no type of an unknown name, by a literal or a variable")
    func unknownType() throws {
        #expect(try introspect("{ __type(name: \"Nope\") { name } }") == ["__type": .null])
        #expect(
            try introspect("query ($n: String!) { __type(name: $n) { name } }", #"{"n": "Todo"}"#)
                == ["__type": ["name": "Todo"]])
    }

    @Test("is bounded, for types lead to types without end")
    func bound() throws {
        var text = "name"
        for _ in 0..<14 { text = "possibleTypes { interfaces { name \(text) } }" }
        #expect(throws: GraphQLError.self) {
            try introspect("{ __type(name: \"Node\") { \(text) } }", bytesMax: 100_000)
        }
    }

    private func introspect(_ text: String, _ variables: String = "{}", bytesMax: Int = 1_000_000) throws -> JSONValue {
        let operation = try operation(text)
        let values = try operation.variables.coerceVariableValues(json(variables).objectValue, schema: fixture)
        var collector = FieldCollector(operation)
        var object = JSONObject()
        for field in try collector.collectFields() {
            var writer = JSONWriter(capacity: 1_024)
            let plan = try IntrospectionPlan(field, &collector)
            try plan.write(of: fixture, values, into: &writer, bytesMax: bytesMax)
            object[field.responseKey] = try JSONReader.read(writer.bytes)
        }
        return .object(object)
    }

    private static let answers: [(String, String)] = [
        (
            "{ __type(name: \"CreateTodoInput\") { isOneOf fields { name } inputFields { name defaultValue } } }",
            """
            {"__type": {"isOneOf": false, "fields": null, "inputFields": [
              {"name": "id", "defaultValue": null}, {"name": "name", "defaultValue": null}, {"name": "n", "defaultValue": null},
              {"name": "owner", "defaultValue": null}, {"name": "color", "defaultValue": "RED"}, {"name": "at", "defaultValue": null},
              {"name": "sub", "defaultValue": null}, {"name": "subs", "defaultValue": null}, {"name": "tags", "defaultValue": null}]}}
            """
        ),
        (
            "{ a: __type(name: \"Anything\") { specifiedByURL isOneOf } b: __type(name: \"Color\") { enumValues { name isDeprecated } } }",
            """
            {"a": {"specifiedByURL": "https://example.com/anything", "isOneOf": null},
             "b": {"enumValues": [{"name": "RED", "isDeprecated": false}, {"name": "GREEN", "isDeprecated": false}]}}
            """
        ),
        (
            "{ a: __type(name: \"Node\") { possibleTypes { name } interfaces { name } } b: __type(name: \"Todo\") { possibleTypes { name } interfaces { name } } }",
            """
            {"a": {"possibleTypes": [{"name": "Todo"}, {"name": "User"}], "interfaces": []},
             "b": {"possibleTypes": null, "interfaces": [{"name": "Node"}]}}
            """
        ),
    ]
}

@Suite("Completion of leaves")
struct ExecutionCompletionTests {
    @Test("writes enums by name and refuses unknown ones")
    func enums() throws {
        let color = try #require(fixture.type(named: "Color"))
        #expect(try completed(.string("RED"), color) == "\"RED\"")
        #expect(try completed(.enumValue("GREEN"), color) == "\"GREEN\"")
        #expect(try completed(.null, color) == "null")
        let error = #expect(throws: ScalarError.self) { try completed(.string("BLUE"), color) }
        #expect(error?.reason == "Invalid input for Enum 'Color'. Unknown value 'BLUE'")
    }

    @Test("has AppSync's words for what fails")
    func messages() {
        let path: [PathElement] = ["syncOrders", "items", 32, "orderDate"]
        #expect(
            GraphQLError.cannotSerialize(ScalarError(reason: "R"), path: path).message
                == "Can't serialize value (/syncOrders/items[32]/orderDate) : R")
        #expect(
            GraphQLError.nullForNonNull(type: "String", parent: "Todo", path: ["getTodo", "name"]).message
                == "Cannot return null for non-nullable type: 'String' within parent 'Todo' (/getTodo/name)")
        #expect(
            GraphQLError.listExpected(path: ["listTodos"]).message
                == "Can't resolve value (/listTodos) : type mismatch error, expected type LIST")
        #expect(
            GraphQLError.unresolvedType("Any", field: "any", of: "Query", path: ["any"]).message
                == "Can't resolve '/any'. Abstract type 'Any' must resolve to an Object type at runtime for field "
                + "'Query.any'. Could not determine the exact type of 'Any'")
        let denied = GraphQLError.unauthorized(
            "secret", of: "Todo", path: ["a"], location: Location(line: 1, column: 2))
        #expect(denied.message == "Not Authorized to access secret on type Todo" && denied.errorType == "Unauthorized")
        #expect(GraphQLError.objectExpected(path: path).locations == nil)
    }

    private func completed(_ value: CoercedValue, _ type: TypeID) throws -> String {
        var writer = JSONWriter(capacity: 16)
        try fixture.completeLeaf(type, value, into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
