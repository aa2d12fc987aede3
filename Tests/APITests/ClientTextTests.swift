import GraphQL
import JSON
import Tables
import Testing

@testable import API

@Suite("Text of clients that Unicode holds to be equal", .bothExecutors) struct ClientTextTests {
    private static let schema = """
        type Todo @model { id: ID! name: String meta: AWSJSON kind: Kind place: Place }
        enum Kind { KEY OTHER }
        type Place { Key: String }
        type Subscription { onNamed(name: String): Todo @aws_subscribe(mutations: ["createTodo"]) }
        """
    /// One letter, and a letter with an accent of its own.
    private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")

    @Test("AWSJSON keeps every member, of variables and of literals")
    func awsJSON() throws {
        let service = try Service(Self.schema)
        let json = #"{"\#(Self.composed)":1,"\#(Self.decomposed)":2}"#
        let expected = JSONValue.object(["createTodo": ["meta": .string(json)]]).description
        let query = "mutation M($meta: AWSJSON) { createTodo(input: {meta: $meta}) { meta } }"
        let variables = JSONValue.object(["meta": .string(json)]).description
        #expect(try service.data(query, variables).utf8.elementsEqual(expected.utf8))
        let literal = JSONValue.string(json).description
        #expect(
            try service.data("mutation { createTodo(input: {meta: \(literal)}) { meta } }").utf8
                .elementsEqual(expected.utf8))
    }

    @Test("ids are two items, and a name of an enum or of an input field is only what the schema writes")
    func names() throws {
        let service = try Service(Self.schema)
        for id in [Self.composed, Self.decomposed] {
            _ = try service.data(#"mutation { createTodo(input: {id: "\#(id)"}) { id } }"#)
        }
        #expect(try service.data("{ listTodos { items { kind } } }").contains(#"[{"kind":null},{"kind":null}]"#))
        let query = "mutation M($input: CreateTodoInput!) { createTodo(input: $input) { id kind } }"
        #expect(
            try service.errors(query, #"{"input": {"kind": "\u212AEY"}}"#).first?.contains("Invalid input for Enum")
                == true)
        #expect(
            try service.errors(query, #"{"input": {"place": {"\u212Aey": "v"}}}"#).first?
                .contains("contains a field name '\u{212A}ey' that is not defined") == true)
    }

    @Test("subscriptions with such arguments are not of one group")
    func subscriptions() throws {
        let service = try Service(Self.schema)
        let query = "subscription S($name: String) { onNamed(name: $name) { id name } }"
        let composed = try service.subscribe(query, #"{"name": "\#(Self.composed)"}"#)
        let decomposed = try service.subscribe(query, #"{"name": "\#(Self.decomposed)"}"#)
        _ = try service.data(#"mutation { createTodo(input: {id: 1, name: "\#(Self.decomposed)"}) { id name } }"#)
        try service.deliver()
        #expect(composed.payloads.isEmpty)
        #expect(decomposed.payloads.count == 1)
    }

    @Test("arguments of two fields under one key have to agree byte by byte")
    func overlapping() throws {
        let service = try Service(Self.schema)
        func query(_ first: String, _ second: String) -> String {
            #"{ getTodo(id: "\#(first)") { id } getTodo(id: "\#(second)") { name } }"#
        }
        #expect(try service.errors(query(Self.composed, Self.composed)) == [])
        #expect(
            try service.errors(query(Self.composed, Self.decomposed)).first?.contains("differing arguments") == true)
    }

    @Test("identifiers of realtime operations are two")
    func realtime() {
        var server = RealtimeTestServer(
            RealtimeOpening(subprotocols: ["graphql-ws"], headers: [("x-api-key", RealtimeTestServer.key)]))
        server.open()
        for id in [Self.composed, Self.decomposed] {
            let data = JSONValue.string(#"{"query":"subscription { onCreateTodo { id } }"}"#).description
            server.receive(
                #"{"id":"\#(id)","type":"start","payload":{"data":\#(data),"extensions":"#
                    + #"{"authorization":{"x-api-key":"\#(RealtimeTestServer.key)"}}}}"#)
        }
        #expect(server.subscriptions.count == 2)
    }

    @Test("values of keys and of coerced arguments are compared by bytes")
    func values() {
        #expect(Value.text(Self.composed) != .text(Self.decomposed))
        #expect(Set([[Value.text(Self.composed)], [.text(Self.decomposed)], [.text(Self.composed)]]).count == 2)
        #expect(CoercedValue.string(Self.composed) != .string(Self.decomposed))
        #expect(CoercedField(name: Self.composed, value: .null) != CoercedField(name: Self.decomposed, value: .null))
    }
}
