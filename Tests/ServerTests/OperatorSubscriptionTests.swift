import HTTP
import JSON
import Testing

@testable import Server

@Suite("GraphQL of operators over a WebSocket")
struct OperatorSubscriptionTests {
    private static let path = "/operators/v1/graphql"
    private static let schema = """
        type Todo @model @auth(rules: [{allow: public}, {allow: private}]) {
          id: ID! name: String
        }
        type Note @model @auth(rules: [{allow: owner}]) { id: ID! text: String }
        """

    struct Stage {
        let server: TestServer
        let client: Client
        let tokens: [OperatorRole: String]

        var host: String { "127.0.0.1:\(server.port)" }

        func connect(_ headers: [String: String]) throws -> WebSocketClient {
            try WebSocketClient(
                port: server.port, OperatorSubscriptionTests.path,
                headers: ["Host": host, "Sec-WebSocket-Protocol": "graphql-transport-ws"].merging(headers) { $1 })
        }

        func program(_ role: OperatorRole = .editor) throws -> WebSocketClient {
            try connect(["Authorization": "Bearer \(tokens[role] ?? "")"])
        }

        /// A socket whose operations run as a caller.
        func acknowledged(as caller: String?, _ role: OperatorRole = .editor) throws -> WebSocketClient {
            let socket = try program(role)
            var payload: JSONObject = [:]
            payload["x-syncline-as"] = caller.map(JSONValue.string)
            let answer = try socket.ask(
                JSONValue.object(["type": "connection_init", "payload": .object(payload)]).description)
            try #require(answer == #"{"type":"connection_ack"}"#, "\(answer)")
            return socket
        }

        func ask(_ method: String, _ path: String, as role: OperatorRole, body: String = "") throws -> JSONValue {
            let answer = try client.ask(
                method, "/operators/v1\(path)",
                headers: ["Authorization": "Bearer \(tokens[role] ?? "")", "Content-Type": "application/json"],
                body: body)
            return try JSONReader.read(answer.body)
        }

        func makeUser(_ name: String) throws {
            let pool = try #require(server.service.signIn?.pools.first?.id)
            for (operation, body) in [
                ("AdminCreateUser", #"{"UserPoolId":"\#(pool)","Username":"\#(name)","MessageAction":"SUPPRESS"}"#),
                (
                    "AdminSetUserPassword",
                    #"{"UserPoolId":"\#(pool)","Username":"\#(name)","Password":"Secret-123","Permanent":true}"#
                ),
            ] { _ = try ask("POST", "/user-pools/\(operation)", as: .owner, body: body) }
        }
    }

    private func with(_ body: (Stage) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.withDataFolder(schema: Self.schema) {
            $0.userFolder = folder.path("user")
            $0.limits.http.idleSeconds = 600
        } _: { server, client in
            var tokens: [OperatorRole: String] = [:]
            for role in OperatorRole.allCases {
                tokens[role] = try Operators.create(role.rawValue, role: role, of: server.configuration)
            }
            try await body(Stage(server: server, client: client, tokens: tokens))
        }
    }

    private func start(_ query: String, id: String = "1") -> String {
        JSONValue.object(["id": .string(id), "type": "subscribe", "payload": ["query": .string(query)]]).description
    }

    @Test("a subscription runs as the caller that is named, by the rules of the API")
    func callers() async throws {
        try await with { stage in
            try stage.makeUser("ada")
            let subscription = "subscription { onCreateTodo { id } }"
            let sockets = try [nil, "admin", "key:default", "user:ada"].map { caller in
                let socket = try stage.acknowledged(as: caller)
                try socket.send(start(subscription))
                // Operations are carried out one after the other.
                #expect(try socket.ask(#"{"type":"ping"}"#) == #"{"type":"pong"}"#)
                return socket
            }
            // A query is answered when the subscription before it has begun.
            for socket in sockets {
                let answer = try socket.ask(start("{ listTodos { items { id } } }", id: "2"))
                #expect(answer == #"{"id":"2","type":"next","payload":{"data":{"listTodos":{"items":[]}}}}"#)
                #expect(try socket.receive() == #"{"id":"2","type":"complete"}"#)
            }
            _ = try stage.client.graphql(#"mutation { createTodo(input: {id: "a"}) { id } }"#)
            for socket in sockets {
                #expect(
                    try socket.receive() == #"{"id":"1","type":"next","payload":{"data":{"onCreateTodo":{"id":"a"}}}}"#)
            }
            let key = try stage.acknowledged(as: "key:default")
            let refused = try key.ask(start("subscription { onCreateNote(owner: \"x\") { id } }"))
            #expect(refused.hasPrefix(#"{"id":"1","type":"error""#) && refused.contains("Unauthorized"), "\(refused)")
            let nobody = try stage.program()
            try nobody.send(#"{"type":"connection_init","payload":{"x-syncline-as":"none"}}"#)
            #expect(try nobody.receiveClose().code == 4403)
            let admin = try stage.acknowledged(as: "admin")
            let made = try admin.ask(start(#"mutation { createNote(input: {id: "n"}) { id owner } }"#))
            #expect(made.contains(#""createNote":{"id":"n","owner":null}"#), "\(made)")
            let actions = try stage.ask("GET", "/audit", as: .owner)["items"]?.arrayValue?.map {
                "\($0["action"]?.stringValue ?? "") \($0["target"]?.stringValue ?? "")"
            }
            #expect(actions?.last == "graphql.request admin", "\(actions ?? [])")
        }
    }

    @Test("operations that are sent at once begin in the order of their messages")
    func order() async throws {
        try await with { stage in
            let socket = try stage.acknowledged(as: "admin")
            let ids = (1...60).map(String.init)
            for id in ids { try socket.send(start("{ listTodos { items { id } } }", id: id)) }
            for id in ids {
                #expect(
                    try socket.receive()
                        == #"{"id":"\#(id)","type":"next","payload":{"data":{"listTodos":{"items":[]}}}}"#)
                #expect(try socket.receive() == #"{"id":"\#(id)","type":"complete"}"#)
            }
        }
    }

    @Test("a subscription ends when its API key is revoked")
    func revoked() async throws {
        try await with { stage in
            let made = try stage.ask("POST", "/api-keys", as: .owner, body: #"{"name":"app","days":1}"#)
            #expect(made["key"]?.stringValue != nil, "\(made)")
            let socket = try stage.acknowledged(as: "key:app")
            try socket.send(start("subscription { onCreateTodo { id } }"))
            #expect(try socket.ask(start("{ listTodos { items { id } } }", id: "2")).contains(#""id":"2""#))
            #expect(try socket.receive() == #"{"id":"2","type":"complete"}"#)
            _ = try stage.ask("DELETE", "/api-keys/app", as: .owner)
            #expect(try socket.receive().hasPrefix(#"{"id":"1","type":"error""#))
        }
    }

    @Test("a viewer opens no socket, and a page needs the secret of its session, which ends the socket with it")
    func access() async throws {
        try await with { stage in
            #expect(try stage.program(.viewer).answer.status == 403)
            #expect(try stage.connect([:]).answer.status == 401)
            let link = try #require(stage.server.service.makeConsoleURL()?.split(separator: "#link=").last)
            let signedIn = try stage.client.ask(
                "POST", "/operators/v1/session", headers: ["Host": stage.host, "Content-Type": "application/json"],
                body: #"{"link":"\#(link)"}"#)
            let cookie = String(try #require(signedIn["set-cookie"].first).prefix { $0 != ";" })
            let csrf = try JSONReader.read(signedIn.body)["csrf"]?.stringValue ?? ""
            #expect(try stage.connect(["Cookie": cookie, "Origin": "http://localhost:3000"]).answer.status == 403)
            for payload in ["{}", #"{"csrf":"x"}"#, #"{"csrf":"\#(csrf)","x-syncline-as":"root"}"#] {
                let socket = try stage.connect(["Cookie": cookie])
                try socket.send(#"{"type":"connection_init","payload":\#(payload)}"#)
                #expect(try socket.receiveClose().code == 4403, "\(payload)")
            }
            let unknown = try stage.connect(["Cookie": cookie])
            try unknown.send(#"{"type":"connection_init","payload":{"csrf":"\#(csrf)","x-syncline-as":"key:nothing"}}"#)
            let closed = try unknown.receiveClose()
            #expect(closed.code == 4403 && closed.reason.contains("nothing"), "\(closed)")
            let socket = try stage.connect(["Cookie": cookie, "Origin": "http://\(stage.host)"])
            #expect(
                try socket.ask(#"{"type":"connection_init","payload":{"csrf":"\#(csrf)"}}"#)
                    == #"{"type":"connection_ack"}"#)
            let ended = try stage.client.ask(
                "DELETE", "/operators/v1/session",
                headers: [
                    "Host": stage.host, "Cookie": cookie, "x-syncline-csrf": csrf, "Content-Type": "application/json",
                ])
            #expect(ended.status == 200)
            try? socket.send(start(#"mutation { createTodo(input: {id: "late"}) { id } }"#))
            #expect(try socket.receiveClose().code == 4401)
            #expect(try stage.client.graphql(#"{ getTodo(id: "late") { id } }"#).contains(#""getTodo":null"#))
        }
    }
}
