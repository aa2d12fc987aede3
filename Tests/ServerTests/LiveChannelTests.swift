import HTTP
import JSON
import Synchronization
import Testing
import Transformer

@testable import Server

@Suite("The live channel of the console")
struct LiveChannelTests {
    private static let path = "/operators/v1/live"
    private static let protocolField = ["Sec-WebSocket-Protocol": "syncline.live.v1"]
    private static let schema = """
        type Todo @model @auth(rules: [{allow: public}]) { id: ID! name: String }
        type Seat @model @auth(rules: [{allow: owner}]) { hall: ID! @primaryKey(sortKeyFields: ["row"]) row: Int! }
        """

    /// A server, an operator of each role, and how pages connect.
    struct Stage {
        let server: TestServer
        let client: Client
        let tokens: [OperatorRole: String]

        var host: String { "127.0.0.1:\(server.port)" }

        func connect(_ headers: [String: String]) throws -> WebSocketClient {
            let own = ["Host": host].merging(LiveChannelTests.protocolField) { $1 }
            return try WebSocketClient(
                port: server.port, LiveChannelTests.path, headers: own.merging(headers) { $1 })
        }

        /// A program with the token of a role.
        func program(_ role: OperatorRole = .viewer) throws -> WebSocketClient {
            try connect(["Authorization": "Bearer \(tokens[role] ?? "")"])
        }

        /// The cookie and the secret of a new session of a browser.
        func page() throws -> (cookie: String, csrf: String) {
            let link = try #require(server.service.makeConsoleURL()?.split(separator: "#link=").last)
            let answer = try client.ask(
                "POST", "/operators/v1/session", headers: ["Host": host, "Content-Type": "application/json"],
                body: #"{"link":"\#(link)"}"#)
            try #require(answer.status == 201, "\(answer.body)")
            let cookie = String(try #require(answer["set-cookie"].first).prefix { $0 != ";" })
            return (cookie, try JSONReader.read(answer.body)["csrf"]?.stringValue ?? "")
        }

        func mutate(_ field: String) throws {
            let answer = try client.graphql("mutation { \(field) }")
            try #require(!answer.contains("errors"), "\(answer)")
        }
    }

    private func with(
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (Stage) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.withDataFolder(schema: Self.schema) {
            $0.userFolder = folder.path("user")
            $0.limits.http.idleSeconds = 600
            change(&$0)
        } _: { server, client in
            var tokens: [OperatorRole: String] = [:]
            for role in OperatorRole.allCases {
                tokens[role] = try Operators.create(role.rawValue, role: role, of: server.configuration)
            }
            try await body(Stage(server: server, client: client, tokens: tokens))
        }
    }

    private func number(_ text: String) throws -> Int64 { try #require(try JSONReader.read(text)["n"]?.intValue) }

    @Test("a page sees every write of a model, of any caller, by key and version and without values")
    func changes() async throws {
        try await with { stage in
            let socket = try stage.program()
            #expect(socket.answer.status == 101 && socket.answer["Sec-WebSocket-Protocol"] == ["syncline.live.v1"])
            let answer = try socket.ask(#"{"follow":["changes:Todo","changes:Seat","requests","metrics"]}"#)
            #expect(answer.hasPrefix(#"{"following":["changes:Seat","changes:Todo","requests"],"n":"#), "\(answer)")
            // Messages about requests would come between those about the items.
            let start = try number(try socket.ask(#"{"follow":["changes:Todo","changes:Seat"]}"#))
            func next(_ topic: String, _ data: String, _ place: Int64) throws {
                #expect(try socket.receive() == #"{"topic":"\#(topic)","n":\#(start + place),"data":\#(data)}"#)
            }
            try stage.mutate(#"createTodo(input: {id: "a", name: "secret"}) { name }"#)
            try next("changes:Todo", #"{"kind":"create","key":["a"],"version":null}"#, 1)
            try stage.mutate(#"updateTodo(input: {id: "a", name: "other"}) { name }"#)
            try next("changes:Todo", #"{"kind":"update","key":["a"],"version":null}"#, 2)
            let made = try stage.client.ask(
                "POST", "/operators/v1/data/Seat/items",
                headers: [
                    "Authorization": "Bearer \(stage.tokens[.editor] ?? "")", "Content-Type": "application/json",
                ], body: #"{"hall":"h","row":3}"#)
            #expect(made.status == 201, "\(made.body)")
            try next("changes:Seat", #"{"kind":"create","key":["h","3"],"version":null}"#, 3)
            #expect(try stage.client.graphql(#"mutation { updateTodo(input: {id: "z"}) { id } }"#).contains("errors"))
            try stage.mutate(#"deleteTodo(input: {id: "a"}) { name }"#)
            try next("changes:Todo", #"{"kind":"delete","key":["a"],"version":null}"#, 4)
            _ = try socket.ask(#"{"follow":["changes:Seat"]}"#)
            try stage.mutate(#"createTodo(input: {id: "b"}) { id }"#)
            #expect(try socket.ask(#"{"follow":[]}"#).hasPrefix(#"{"following":[],"#), "no change of Todo was sent")
        }
    }

    @Test("changes of a model with versions have the version, also where the mutation does not select it")
    func versions() async throws {
        try await with {
            $0.transform.conflictDetection = .version
        } _: { stage in
            let socket = try stage.program()
            _ = try socket.ask(#"{"follow":["changes:Todo"]}"#)
            try stage.mutate(#"createTodo(input: {id: "a"}) { id }"#)
            #expect(try socket.receive().hasSuffix(#""data":{"kind":"create","key":["a"],"version":1}}"#))
            try stage.mutate(#"deleteTodo(input: {id: "a", _version: 1}) { id }"#)
            #expect(try socket.receive().hasSuffix(#""data":{"kind":"delete","key":["a"],"version":2}}"#))
        }
    }

    @Test("a page that connects again is sent what it missed, in order")
    func resume() async throws {
        try await with { stage in
            let first = try stage.program()
            _ = try first.ask(#"{"follow":["changes:Todo"]}"#)
            try stage.mutate(#"createTodo(input: {id: "a"}) { id }"#)
            let seen = try number(first.receive())
            try first.sendClose(1000)
            _ = try first.receiveClose()
            for id in ["b", "c"] { try stage.mutate(#"createTodo(input: {id: "\#(id)"}) { id }"#) }
            let second = try stage.program()
            #expect(
                try second.ask(#"{"follow":["changes:Todo"],"since":\#(seen)}"#)
                    == #"{"following":["changes:Todo"],"n":\#(seen + 2)}"#)
            #expect(try second.receive().contains(#""n":\#(seen + 1),"data":{"kind":"create","key":["b"]"#))
            #expect(try second.receive().contains(#""n":\#(seen + 2),"data":{"kind":"create","key":["c"]"#))
            let third = try stage.program()
            _ = try third.ask(#"{"follow":["changes:Todo"],"since":5}"#)
            #expect(try third.receive() == #"{"topic":"changes:Todo","n":\#(seen + 2),"gap":1}"#)
        }
    }

    @Test("a browser presents the secret of its session, and its socket closes when the session ends")
    func session() async throws {
        try await with { stage in
            let (cookie, csrf) = try stage.page()
            let headers = ["Cookie": cookie, "Origin": "http://\(stage.host)", "Sec-Fetch-Site": "same-origin"]
            for first in [#"{"follow":["jobs"]}"#, #"{"csrf":"x","follow":["jobs"]}"#, #"{"csrf":5}"#] {
                let socket = try stage.connect(headers)
                try socket.send(first)
                #expect(try socket.receiveClose().code == 4403, "\(first)")
            }
            let socket = try stage.connect(headers)
            try socket.send(#"{"csrf":"\#(csrf)"}"#)
            #expect(try socket.ask(#"{"follow":["jobs"]}"#).hasPrefix(#"{"following":["jobs"]"#))
            let answer = try stage.client.ask(
                "DELETE", "/operators/v1/session",
                headers: [
                    "Host": stage.host, "Cookie": cookie, "x-syncline-csrf": csrf, "Content-Type": "application/json",
                ])
            #expect(answer.status == 200)
            #expect(try socket.receiveClose().code == 4401)
            #expect(try stage.connect(headers).answer.status == 401)
            let program = try stage.program()
            _ = try program.ask(#"{"follow":["jobs"]}"#)
            try Operators.revoke("viewer", of: stage.server.configuration)
            #expect(try program.receiveClose().code == 4401)
        }
    }

    @Test("pages of other origins, other hosts and callers without credentials open no socket")
    func refusals() async throws {
        try await with { stage in
            let (cookie, _) = try stage.page()
            for (headers, status) in [
                ([:], 401), (["x-api-key": TestServer.key], 401),
                (["Cookie": cookie, "Origin": "http://localhost:3000"], 403),
                (["Cookie": cookie, "Origin": "http://evil.example"], 403),
                (["Cookie": cookie, "Sec-Fetch-Site": "same-site"], 403),
                (["Cookie": cookie, "Host": "evil.example"], 421),
                (["Cookie": cookie, "X-Forwarded-For": "127.0.0.1"], 404),
                (["Cookie": cookie, "Sec-WebSocket-Protocol": "graphql-ws"], 422),
                (["Cookie": cookie, "Upgrade": "h2c"], 422),
            ] as [([String: String], Int)] {
                #expect(try stage.connect(headers).answer.status == status, "\(headers)")
            }
            let token = ["Authorization": "Bearer \(stage.tokens[.owner] ?? "")"]
            #expect(try stage.client.ask("GET", Self.path, headers: token).status == 422)
        }
    }

    @Test("malformed messages and too many of them close the socket")
    func malformed() async throws {
        try await with { stage in
            for text in [
                "x", "[]", #"{"follow":1}"#, #"{"follow":[1]}"#, #"{"follow":[],"since":"1"}"#,
                #"{"follow":[\#((0..<65).map { #""changes:\#($0)""# }.joined(separator: ","))]}"#,
            ] {
                let socket = try stage.program()
                try socket.send(text)
                #expect(try socket.receiveClose().code == 4400, "\(text)")
            }
            let socket = try stage.program()
            for _ in 0..<101 { try socket.send("{}") }
            #expect(try socket.receiveClose().code == 4429)
        }
    }

    @Test("only changes of the API's models are followed, and those of a model end that a reload removes")
    func models() async throws {
        try await with { stage in
            let socket = try stage.program()
            let answer = try socket.ask(#"{"follow":["changes:Todo","changes:Nothing","changes:","metrics"]}"#)
            #expect(answer.hasPrefix(#"{"following":["changes:Todo"],"n":"#), "\(answer)")
            #expect(
                try socket.receive()
                    == #"{"topic":"changes:","error":{"code":"not_found","message":"The API has no model ."}}"#)
            #expect(
                try socket.receive()
                    == #"{"topic":"changes:Nothing","error":{"code":"not_found","message":"The API has no model Nothing."}}"#
            )
            _ = try socket.ask(#"{"follow":["changes:Todo","changes:Seat"]}"#)
            let schema = try #require(Self.schema.split(separator: "\n").last.map(String.init))
            try stage.server.folder.write(schema, to: "schema.graphql")
            _ = try stage.server.service.reload(stage.server.configuration)
            #expect(
                try socket.receive()
                    == #"{"topic":"changes:Todo","error":{"code":"not_found","message":"The API has no model Todo."}}"#)
            let again = try socket.ask(#"{"follow":["changes:Todo","changes:Seat"]}"#)
            #expect(again.hasPrefix(#"{"following":["changes:Seat"],"#), "\(again)")
        }
    }

    @Test("topics of gone models are forgotten, and with the last one the work for them ends")
    func goneModels() {
        let topics = LiveTopics(startNumber: 1, milliseconds: { 0 })
        let sent = Mutex<[String]>([])
        let follower = Follower()
        let id = ObjectIdentifier(follower)
        #expect(topics.join(id) { text in sent.withLock { $0.append(String(decoding: text, as: UTF8.self)) } })
        topics.setModels(["A", "B"])
        let accepted = topics.follow([.changes(model: "A"), .changes(model: "Z")], since: nil, id)
        #expect(accepted?.topics == [.changes(model: "A")] && accepted?.unknown == [.changes(model: "Z")])
        topics.publish(.changes(model: "Z"), 1)
        topics.publish(.changes(model: "A"), 2)
        #expect(sent.withLock { $0.count } == 1)
        topics.setModels(["B"])
        #expect(!topics.isFollowed(.changes), "not for a minute more")
        #expect(sent.withLock { $0.last }?.contains("error") == true)
        topics.publish(.changes(model: "A"), 3)
        #expect(sent.withLock { $0.count } == 2)
    }

    @Test("no more pages are connected than there may be")
    func bound() {
        let topics = LiveTopics()
        let followers = (0..<257).map { _ in Follower() }
        let joined = followers.map { topics.join(ObjectIdentifier($0)) { _ in } }
        #expect(joined.filter(\.self).count == 256 && joined.last == false)
        topics.leave(ObjectIdentifier(followers[0]))
        #expect(topics.join(ObjectIdentifier(followers[256])) { _ in })
    }

    private final class Follower {}
}
