import Foundation
import HTTP
import Testing

@testable import Server

/// The realtime cases (reference: appsync-protocol, "Acceptance cases"), by their numbers, over real sockets. What can
/// be asked of the protocol without sockets is asked in APITests.
@Suite("Acceptance: the realtime channel")
struct RealtimeTests {
    /// The cases that are tested here.
    static let numbers = Array(111...117) + Array(119...125) + Array(128...136) + [141, 142, 144]

    private static let schema = """
        type Todo @model {
          id: ID!
          name: String!
          n: Int
          owner: String
          color: Color
        }
        enum Color { RED GREEN }
        type Subscription {
          onTodo(owner: String, name: String, color: Color): Todo @aws_subscribe(mutations: ["createTodo"])
        }
        """

    private static func with(
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.with(
            schema: schema,
            {
                $0.apiKeys.configured = [TestServer.key, plusKey]
                $0.address.names = ["anywhere"]
                change(&$0)
            }, body)
    }

    /// A key whose carrier has both of the signs by which the alphabets of base64 differ.
    private static let plusKey = "da2-????>"

    private static func carrier(_ key: String) -> String {
        Data(#"{"host":"localhost:20002","x-api-key":"\#(key)"}"#.utf8).base64EncodedString()
    }

    // MARK: - The opening

    private static let ack = #"{"type":"connection_ack","payload":{"connectionTimeoutMs":300000}}"#

    private static func connectionError(_ error: String) -> String {
        #"{"payload":{"errors":[{\#(error)}]},"type":"connection_error"}"#
    }

    private static let notAuthorized = connectionError(
        #""errorType":"UnauthorizedException","message":"You are not authorized to make this call.","errorCode":401"#)

    /// An upgrade, and what is said after `connection_init`.
    struct Opening: Sendable, CustomTestStringConvertible {
        var number: Int
        var path = "/graphql/realtime"
        var headers: [String: String] = [:]
        var answers: [String]

        var testDescription: String { "case \(number): \(path) \(headers)" }
    }

    static let openings: [Opening] = {
        let offer = "Sec-WebSocket-Protocol"
        let bare = carrier(TestServer.key).replacing("=", with: "")
        let plus = carrier(plusKey)
        return [
            Opening(
                number: 111, headers: [offer: "graphql-ws, header-\(bare)"], answers: [ack, WebSocketClient.keepAlive]),
            Opening(
                number: 112, path: "/graphql?header=\(carrier(TestServer.key))&payload=e30=",
                headers: [offer: "graphql-ws"], answers: [ack, WebSocketClient.keepAlive]),
            Opening(
                number: 112, path: "/graphql?header=\(plus)&payload=e30=", headers: [offer: "graphql-ws"],
                answers: [ack, WebSocketClient.keepAlive]),
            Opening(
                number: 113, headers: [offer: "graphql-ws", "X-Api-Key": TestServer.key, "Host": "anywhere"],
                answers: [ack, WebSocketClient.keepAlive]),
            Opening(
                number: 114, headers: [offer: "graphql-ws"],
                answers: [
                    connectionError(
                        #""errorType":"UnauthorizedException","message":"Missing authorization header","errorCode":401"#
                    )
                ]),
            Opening(
                number: 115, headers: [offer: "graphql-ws, header-\(carrier("no").replacing("=", with: ""))"],
                answers: [notAuthorized]),
            Opening(
                number: 115, path: "/graphql?header=\(carrier("no"))", headers: [offer: "graphql-ws"],
                answers: [notAuthorized]),
            Opening(number: 115, headers: [offer: "graphql-ws", "x-api-key": "no"], answers: [notAuthorized]),
            Opening(
                number: 116, headers: ["x-api-key": TestServer.key],
                answers: [connectionError(#""message":"NoProtocolError","errorCode":400"#)]),
            Opening(number: 117, headers: WebSocketClient.appSync, answers: [ack, WebSocketClient.keepAlive]),
        ]
    }()

    @Test("the upgrade is granted, and what it brought is answered by messages", arguments: openings)
    func open(opening: Opening) async throws {
        #expect(Self.carrier(Self.plusKey).contains("+") && Self.carrier(Self.plusKey).contains("/"))
        try await Self.with { server in
            let socket = try WebSocketClient(port: server.port, opening.path, headers: opening.headers)
            #expect(socket.answer.status == 101)
            let offers = opening.headers["Sec-WebSocket-Protocol"] != nil
            #expect(socket.answer["Sec-WebSocket-Protocol"] == (offers ? ["graphql-ws"] : []))
            try socket.send(#"{"type":"connection_init"}"#)
            for answer in opening.answers { #expect(try socket.receiveText() == answer) }
            if opening.answers.last != WebSocketClient.keepAlive { #expect(try socket.receiveClose().code == 1000) }
        }
    }

    @Test("the paths answer plain requests, and broken ones for a WebSocket")
    func plain() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let answer = try client.ask("GET", "/graphql/realtime", headers: [:])
            #expect(answer.status == 426 && answer["Upgrade"] == ["websocket"])
            #expect(try client.ask("POST", "/graphql/realtime").status == 405)
            #expect(try client.ask("GET", "/graphql?query={__typename}").status == 200)
            let old = try WebSocketClient(port: server.port, headers: ["Sec-WebSocket-Version": "8"])
            #expect(old.answer.status == 426 && old.answer["Sec-WebSocket-Version"] == ["13"])
            let broken = try WebSocketClient(port: server.port, "/graphql", headers: ["Sec-WebSocket-Key": "x"])
            #expect(broken.answer.status == 400 && broken.answer["x-amzn-ErrorType"] == ["BadRequestException"])
        }
    }

    // MARK: - The conversation

    private static func error(_ id: String, _ error: String) -> String {
        #"{"id":"\#(id)","type":"error","payload":{"errors":[{\#(error)}]}}"#
    }

    private static func create(_ client: Client, _ input: String, _ selection: String = "id name n owner") throws {
        let answer = try client.graphql("mutation { createTodo(input: {\(input)}) { \(selection) } }")
        #expect(answer.hasPrefix(#"{"data":{"createTodo":{"#), "\(answer)")
    }

    @Test("cases 119 to 125: start, data, stop, and every refusal in between, on one socket")
    func conversation() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let socket = try WebSocketClient(port: server.port)
            let query = "subscription { onCreateTodo { id name } }"
            #expect(try socket.start("1", query) == WebSocketClient.acknowledgement("1"), "case 119")
            try Self.create(client, #"id: "a", name: "A""#)
            #expect(
                try socket.receive()
                    == WebSocketClient.data("1", #"{"data":{"onCreateTodo":{"id":"a","name":"A"}}}"#), "case 120")
            #expect(
                try socket.ask(#"{"type":"stop","id":"never"}"#) == #"{"id":"never","type":"complete"}"#, "case 121")
            #expect(
                try socket.start("2", "subscription { nope }")
                    == Self.error(
                        "2",
                        #""message":"Validation error of type FieldUndefined: Field 'nope' in type 'Subscription' "#
                            + #"is undefined @ 'nope'""#), "case 122")
            #expect(
                try socket.start("3", "query { __typename }")
                    == Self.error(
                        "3",
                        #""errorType":"UnsupportedOperation","message":"query not supported through the realtime "#
                            + #"channel""#), "case 123")
            #expect(
                try socket.ask(#"{"id":"4","type":"start","payload":{}}"#)
                    == Self.error(
                        "4",
                        #""errorType":"UnsupportedOperation","message":"unknown not supported through the realtime "#
                            + #"channel""#), "case 124")
            #expect(
                try socket.start("5", query, key: "da2-wrong")
                    == Self.error("5", #""errorType":"UnauthorizedException","message":"Permission denied""#),
                "case 125")
            try Self.create(client, #"id: "b", name: "B""#)
            #expect(
                try socket.receive()
                    == WebSocketClient.data("1", #"{"data":{"onCreateTodo":{"id":"b","name":"B"}}}"#))
            #expect(try socket.ask(#"{"type":"stop","id":"1"}"#) == #"{"id":"1","type":"complete"}"#)
            try Self.create(client, #"id: "c", name: "C""#)
            #expect(try socket.start("1", query) == WebSocketClient.acknowledgement("1"), "nothing came between")
        }
    }

    // MARK: - What is delivered

    @Test("cases 128 to 130: an event holds what the mutation selected, and a failed mutation has none")
    func selection() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let socket = try WebSocketClient(port: server.port).acknowledged()
            #expect(try socket.start("1", "subscription { onCreateTodo { id n } }").contains("start_ack"))
            try Self.create(client, #"id: "a", name: "A", n: 1"#, "id")
            #expect(
                try socket.receive()
                    == WebSocketClient.data("1", #"{"data":{"onCreateTodo":{"id":"a","n":null}}}"#), "case 128")
            // The item is there already.
            let failed = try client.graphql(#"mutation { createTodo(input: {id: "a", name: "A"}) { id } }"#)
            #expect(failed.contains("ConditionalCheckFailedException"))
            try Self.create(client, #"id: "b", name: "B", n: 2"#)
            #expect(
                try socket.receive() == WebSocketClient.data("1", #"{"data":{"onCreateTodo":{"id":"b","n":2}}}"#),
                "case 130")

            #expect(try socket.start("2", "subscription { onTodo { id name } }").contains("start_ack"))
            #expect(try socket.ask(#"{"type":"stop","id":"1"}"#).contains("complete"))
            try Self.create(client, #"id: "c", name: "C""#, "id")
            #expect(
                try socket.receive()
                    == WebSocketClient.data(
                        "2",
                        #"{"data":{"onTodo":null},"errors":[{"message":"Cannot return null for non-nullable type: "#
                            + #"'String' within parent 'Todo' (/onTodo/name)","path":["onTodo","name"]}]}"#), "case 129"
            )
        }
    }

    /// A subscription, and which of the mutations reach it.
    struct Filter: Sendable, CustomTestStringConvertible {
        var number: Int
        var query: String
        var variables = "{}"
        /// Of the todos a (of Ann), b (of Bob), c (of nobody), d (of Ann, whose mutation does not select the owner).
        var ids: [String]

        var testDescription: String { "case \(number): \(query) \(variables)" }
    }

    static let filters = [
        Filter(number: 131, query: #"subscription { onTodo(owner: "Ann") { id } }"#, ids: ["a"]),
        Filter(
            number: 131, query: "subscription($owner: String) { onTodo(owner: $owner) { id } }",
            variables: #"{"owner":"Ann"}"#, ids: ["a"]),
        Filter(number: 132, query: #"subscription { onTodo(owner: "Cid") { id } }"#, ids: []),
        Filter(number: 132, query: #"subscription { onTodo(owner: "Ann", name: "B") { id } }"#, ids: []),
        Filter(number: 133, query: "subscription { onTodo { id } }", ids: ["a", "b", "c", "d"]),
        Filter(number: 133, query: #"subscription { onTodo(name: "D") { id } }"#, ids: ["d"]),
        Filter(number: 133, query: "subscription { onTodo(color: RED) { id } }", ids: ["b"]),
        Filter(number: 134, query: "subscription { onTodo(owner: null) { id } }", ids: ["c", "d"]),
        Filter(
            number: 134, query: "subscription($owner: String) { onTodo(owner: $owner) { id } }",
            variables: #"{"owner":null}"#, ids: ["c", "d"]),
        Filter(
            number: 135, query: "subscription($owner: String) { onTodo(owner: $owner) { id } }",
            ids: ["a", "b", "c", "d"]),
        Filter(number: 136, query: #"subscription { onTodo(owner: "Ann", name: "D") { id } }"#, ids: []),
    ]

    @Test("cases 131 to 136: arguments filter what is delivered")
    func filters() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let socket = try WebSocketClient(port: server.port).acknowledged()
            for (index, filter) in Self.filters.enumerated() {
                let answer = try socket.start("\(index)", filter.query, filter.variables)
                #expect(answer == WebSocketClient.acknowledgement("\(index)"), "\(filter)")
            }
            // The last one reaches subscriptions without a filter, and so ends what is read.
            #expect(try socket.start("end", "subscription { onDeleteTodo { id } }").contains("start_ack"))
            let all = "id name owner color"
            try Self.create(client, #"id: "a", name: "A", owner: "Ann", color: GREEN"#, all)
            try Self.create(client, #"id: "b", name: "B", owner: "Bob", color: RED"#, all)
            try Self.create(client, #"id: "c", name: "C""#, all)
            try Self.create(client, #"id: "d", name: "D", owner: "Ann", color: RED"#, "id name")
            _ = try client.graphql(#"mutation { deleteTodo(input: {id: "a"}) { id } }"#)
            var received: [String: [String]] = [:]
            let pattern = /\{"id":"(\w+)","type":"data","payload":\{"data":\{"\w+":\{"id":"(\w+)"\}\}\}\}/
            while received["end"] == nil {
                let match = try #require(try socket.receive().wholeMatch(of: pattern))
                received[String(match.1), default: []].append(String(match.2))
            }
            for (index, filter) in Self.filters.enumerated() {
                #expect(received["\(index)"] ?? [] == filter.ids, "\(filter)")
            }
        }
    }

    // MARK: - Bounds and ends

    @Test("case 141: a hundred subscriptions on one socket, and one more")
    func countMax() async throws {
        try await Self.with { server in
            let socket = try WebSocketClient(port: server.port).acknowledged()
            let query = "subscription { onCreateTodo { id } }"
            for number in 1...100 {
                #expect(try socket.start("\(number)", query) == WebSocketClient.acknowledgement("\(number)"))
            }
            #expect(
                try socket.start("101", query)
                    == Self.error(
                        "101",
                        #""errorType":"MaxSubscriptionsReachedError","message":"Max number of 100 subscriptions reached""#
                    ))
            try Self.create(try server.connect(), #"id: "a", name: "A""#)
            var ids: Set<String> = []
            for _ in 1...100 { ids.insert(try socket.receive()) }
            #expect(ids.count == 100)
        }
    }

    @Test("case 142: an event of more than 240 KB is dropped, and the connection lives on")
    func payload() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let socket = try WebSocketClient(port: server.port).acknowledged()
            #expect(try socket.start("1", "subscription { onCreateTodo { id name } }").contains("start_ack"))
            #expect(try socket.start("2", "subscription { onCreateTodo { id } }").contains("start_ack"))
            try Self.create(client, #"id: "a", name: "\#(String(repeating: "x", count: 250_000))""#)
            try Self.create(client, #"id: "b", name: "B""#)
            let texts = Set(try (0..<3).map { _ in try socket.receive() })
            #expect(
                texts == [
                    WebSocketClient.data("2", #"{"data":{"onCreateTodo":{"id":"a"}}}"#),
                    WebSocketClient.data("1", #"{"data":{"onCreateTodo":{"id":"b","name":"B"}}}"#),
                    WebSocketClient.data("2", #"{"data":{"onCreateTodo":{"id":"b"}}}"#),
                ])
            let metrics = try client.ask("GET", "/metrics", headers: ["Host": "localhost"]).body
            #expect(metrics.contains("\nsyncline_subscription_events_dropped_total 1\n"))
        }
    }

    @Test("case 144: a connection that is cut ends its subscriptions; the metrics say how many there are")
    func cut() async throws {
        try await Self.with { server in
            let client = try server.connect()
            do {
                let socket = try WebSocketClient(port: server.port).acknowledged()
                for id in ["1", "2", "3"] { _ = try socket.start(id, "subscription { onCreateTodo { id } }") }
                #expect(try client.metric("subscriptions_open") == 3 && client.metric("websockets_open") == 1)
                try Self.create(client, #"id: "a", name: "A""#)
                for _ in 0..<3 { _ = try socket.receive() }
                // Counted after the events are sent.
                try await eventually { try client.metric("subscription_events_total") == 3 }
            }
            try await eventually {
                try client.metric("subscriptions_open") == 0 && client.metric("websockets_open") == 0
            }
        }
    }

    @Test("a reload lets valid subscriptions go on, on open sockets, and ends the others with the reason")
    func reload() async throws {
        try await Self.with { server in
            let client = try server.connect()
            let socket = try WebSocketClient(port: server.port).acknowledged()
            #expect(try socket.start("1", "subscription { onCreateTodo { id } }").contains("start_ack"))
            #expect(try socket.start("2", "subscription { onTodo { id } }").contains("start_ack"))
            try server.folder.write(Self.schema.replacing("onTodo(", with: "onOther("), to: "schema.graphql")
            _ = try server.service.reload(server.configuration)
            #expect(
                try socket.receive()
                    == Self.error(
                        "2",
                        #""message":"Validation error of type FieldUndefined: Field 'onTodo' in type 'Subscription' "#
                            + #"is undefined @ 'onTodo'""#))
            try Self.create(client, #"id: "a", name: "A""#)
            #expect(try socket.receive() == WebSocketClient.data("1", #"{"data":{"onCreateTodo":{"id":"a"}}}"#))
            #expect(
                try socket.start("2", "subscription { onOther { id } }") == WebSocketClient.acknowledgement("2"))
        }
    }

    @Test("graphql-transport-ws and Apollo's older protocol: subscriptions, queries and mutations")
    func otherProtocols() async throws {
        try await Self.with { server in
            let transport = try WebSocketClient(
                port: server.port, headers: ["Sec-WebSocket-Protocol": "graphql-transport-ws"])
            #expect(transport.answer["Sec-WebSocket-Protocol"] == ["graphql-transport-ws"])
            let initialisation = #"{"type":"connection_init","payload":{"x-api-key":"\#(TestServer.key)"}}"#
            #expect(try transport.ask(initialisation) == #"{"type":"connection_ack"}"#)
            try transport.send(
                #"{"id":"s","type":"subscribe","payload":{"query":"subscription { onCreateTodo { id } }"}}"#)
            let apollo = try WebSocketClient(
                port: server.port, "/graphql", headers: ["Sec-WebSocket-Protocol": "graphql-ws"])
            #expect(try apollo.ask(initialisation) == #"{"type":"connection_ack"}"#)
            #expect(try apollo.receiveText() == WebSocketClient.keepAlive)
            try apollo.send(#"{"id":"1","type":"start","payload":{"query":"subscription { onCreateTodo { id } }"}}"#)
            #expect(
                try apollo.ask(#"{"id":"2","type":"start","payload":{"query":"{ __typename }"}}"#)
                    == WebSocketClient.data("2", #"{"data":{"__typename":"Query"}}"#))
            #expect(try apollo.receive() == #"{"id":"2","type":"complete"}"#)

            // The socket is answered in order, so the subscription is there when the mutation is asked for.
            let next = #"{"id":"s","type":"next","payload":{"data":{"onCreateTodo":{"id":"a"}}}}"#
            let result = #"{"id":"m","type":"next","payload":{"data":{"createTodo":{"id":"a"}}}}"#
            try transport.send(
                #"{"id":"m","type":"subscribe","payload":{"query":"mutation($input: CreateTodoInput!) { createTodo(input: "#
                    + #"$input) { id } }","variables":{"input":{"id":"a","name":"A"}}}}"#)
            let texts = try (0..<3).map { _ in try transport.receive() }
            #expect(texts.filter { $0 != next } == [result, #"{"id":"m","type":"complete"}"#])
            #expect(texts.contains(next))
            #expect(try apollo.receive() == WebSocketClient.data("1", #"{"data":{"onCreateTodo":{"id":"a"}}}"#))
            let refused = try transport.ask(#"{"id":"q","type":"subscribe","payload":{"query":"{ nope }"}}"#)
            #expect(refused.hasPrefix(#"{"id":"q","type":"error","payload":[{"message":"Validation error of type "#))
            #expect(try transport.ask(#"{"type":"ping"}"#) == #"{"type":"pong"}"#)
            try transport.send(#"{"type":"hello"}"#)
            #expect(try transport.receiveClose() == .init(code: 4400, reason: "Invalid message"))
        }
    }

    @Test("a server that stops says so: 1001")
    func stop() async throws {
        var socket: WebSocketClient?
        // The client reads the close frame when the server has gone, and so does not answer it.
        try await Self.with({ $0.limits.webSocket.closeSeconds = 0 }) { server in
            socket = try WebSocketClient(port: server.port).acknowledged()
            #expect(try socket?.start("1", "subscription { onCreateTodo { id } }").contains("start_ack") == true)
            try Self.create(try server.connect(), #"id: "a", name: "A""#)
        }
        #expect(try socket?.receive() == WebSocketClient.data("1", #"{"data":{"onCreateTodo":{"id":"a"}}}"#))
        #expect(try socket?.receiveClose().code == 1001)
    }
}
