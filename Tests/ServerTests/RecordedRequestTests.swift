import Encodings
import HTTP
import JSON
import Testing
import Transformer

@testable import Server

@Suite("Requests of the API as operators see them")
struct RecordedRequestTests {
    private static let schema = """
        type Todo @model @auth(rules: [{allow: public}]) { id: ID! name: String }
        type Note @model @auth(rules: [{allow: owner}]) { id: ID! text: String }
        """
    private static let query = "query Find($id: ID!) { getTodo(id: $id) { name } }"

    /// A server, with a program that follows requests.
    struct Stage {
        let server: TestServer
        let client: Client
        let tokens: [OperatorRole: String]

        func ask(
            _ method: String, _ path: String, as role: OperatorRole = .viewer, _ headers: [String: String] = [:],
            body: String = ""
        ) throws -> (status: Int, value: JSONValue) {
            let own = ["Authorization": "Bearer \(tokens[role] ?? "")", "Content-Type": "application/json"]
            let answer = try client.ask(
                method, "/operators/v1\(path)", headers: own.merging(headers) { $1 }, body: body)
            return (answer.status, try JSONReader.read(answer.body))
        }

        /// Follows requests as a page does, which turns recording on.
        func follow() throws -> WebSocketClient {
            let socket = try WebSocketClient(
                port: server.port, "/operators/v1/live",
                headers: [
                    "Authorization": "Bearer \(tokens[.viewer] ?? "")", "Host": "127.0.0.1:\(server.port)",
                    "Sec-WebSocket-Protocol": "syncline.live.v1",
                ])
            _ = try socket.ask(#"{"follow":["requests"]}"#)
            return socket
        }

        func list(_ query: String = "") throws -> [JSONValue] {
            let answer = try ask("GET", "/requests\(query)")
            try #require(answer.status == 200, "\(answer.value)")
            return answer.value["items"]?.arrayValue ?? []
        }

        func newest() throws -> JSONValue {
            let id = try #require(try list().first?["id"]?.stringValue)
            return try ask("GET", "/requests/\(id)").value
        }
    }

    private func with(
        schema: String = schema, mode: Service.Mode = .dev, _ change: (inout Configuration) -> Void = { _ in },
        _ body: (Stage) async throws -> Void
    ) async throws {
        try await TestServer.withDataFolder(schema: schema, mode: mode) {
            $0.console.isEnabled = true
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

    @Test("nothing is recorded while nobody follows requests; then each is, with what it asked and was answered")
    func recorded() async throws {
        try await with { stage in
            _ = try stage.client.graphql(Self.query, #"{"id":"a"}"#)
            #expect(try stage.list().isEmpty)
            let socket = try stage.follow()
            let answer = try stage.client.graphql(Self.query, #"{"id":"a"}"#)
            let notice = try JSONReader.read(socket.receive())
            #expect(notice["topic"] == "requests")
            let request = try stage.newest()
            #expect(notice["data"] == ["id": request["id"] ?? .null])
            #expect(request["operation"]?["name"] == "Find" && request["operation"]?["type"] == "query")
            #expect(request["operation"]?["fields"] == ["getTodo"])
            #expect(request["operation"]?["document"] == .string(Self.query))
            #expect(request["operation"]?["variables"] == ["id": "a"])
            #expect(request["identity"] == ["mode": "apiKey", "name": "default"])
            #expect(request["transport"] == "http" && request["method"] == "POST" && request["path"] == "/graphql")
            #expect(request["status"] == 200 && request["errorTypes"] == [] && request["address"] == "127.0.0.1")
            #expect(request["answer"] == .string(answer) && request["answerIsCut"] == false)
            #expect(request["bytes"]?.intValue == Int64(answer.utf8.count))
            #expect(request["milliseconds"]?.doubleValue ?? 0 > 0)
            #expect(request["headers"]?["content-type"] == "application/json")

            let denied = try stage.client.graphql(#"{ listNotes { items { text } } }"#)
            #expect(denied.contains("Unauthorized"))
            let second = try stage.newest()
            #expect(second["errorTypes"] == ["Unauthorized"] && second["operation"]?["name"] == .null)
            #expect(second["explain"]?["authorization"]?.arrayValue?.first?["outcome"] == "denied", "\(second)")

            let unknown = try stage.client.ask(headers: ["Content-Type": "application/json"], body: "{}")
            #expect(unknown.status >= 400)
            let third = try stage.newest()
            #expect(third["status"]?.intValue == Int64(unknown.status) && third["identity"] == .null)

            let asAdmin = try stage.ask(
                "POST", "/graphql", as: .editor,
                body: #"{"query":"mutation Make { createTodo(input: {id: \"x\"}) { id } }"}"#)
            #expect(asAdmin.status == 200)
            let fourth = try stage.newest()
            #expect(fourth["identity"] == ["mode": "admin", "name": "editor"] && fourth["transport"] == "operators")
            #expect(fourth["operation"]?["name"] == "Make" && fourth["operation"]?["type"] == "mutation")
            _ = try stage.ask("POST", "/graphql", body: #"{"query":"query IntrospectionQuery { __typename }"}"#)
            #expect(try stage.newest()["id"] == fourth["id"], "introspection of pages is left out")
        }
    }

    @Test("a recorded request is explained: its rules, what it read by, and its time by phase")
    func explained() async throws {
        try await with { stage in
            let socket = try stage.follow()
            _ = try stage.client.graphql(Self.query, #"{"id":"a"}"#)
            let read = try #require(try stage.newest()["explain"])
            let entry = read["authorization"]?.arrayValue?.first
            #expect(entry?["outcome"] == "allowed" && entry?["rule"] == "Todo:apiKey:public", "\(read)")
            #expect(entry?["path"] == "Query.getTodo" && entry?["unmet"] == [])
            #expect(try stage.newest()["index"] == .null, "as in reads, which have no index for the primary key")
            let statement = read["reads"]?.arrayValue?.first
            #expect(
                statement?["path"] == "Todo by primary key" && statement?["scan"] == false
                    && statement?["index"] == .null)
            #expect(
                statement?["sql"]?.stringValue?.hasPrefix("SELECT ") == true && statement?["itemsRead"] == 0, "\(read)")
            #expect(statement?["sql"]?.stringValue?.contains("'a'") == false, "values are parameters")
            #expect(read["milliseconds"]?["execute"]?.doubleValue ?? 0 > 0)

            _ = try stage.client.graphql("{ listTodos { items { id } } }")
            let scan = try stage.newest()["explain"]?["reads"]?.arrayValue?.first
            #expect(scan?["scan"] == true && scan?["model"] == "Todo", "\(String(describing: scan))")

            _ = try stage.client.graphql("{ listNotes { items { text } } }")
            let denied = try stage.newest()["explain"]?["authorization"]?.arrayValue?.first
            #expect(
                denied?["outcome"] == "denied" && denied?["reason"]?.stringValue?.contains("API_KEY") == true,
                "\(String(describing: denied))")

            _ = try stage.ask("POST", "/graphql", as: .editor, body: #"{"query":"{ listTodos { items { id } } }"}"#)
            let ofAdmin = try stage.newest()["explain"]
            #expect(
                ofAdmin?["authorization"]?.arrayValue?.first?["outcome"] == "allowed", "\(String(describing: ofAdmin))")
            _ = try stage.client.graphql("{ nothing }")
            #expect(try stage.newest()["explain"] == .null, "nothing was executed")
            _ = socket
        }
        // In serve documents are not kept, so that only what is no secret is explained.
        let open = "type Todo @model @auth(rules: [{allow: public}]) { id: ID! name: String }"
        try await with(schema: open, mode: .serve) {
            $0.apiKeys.configured = [TestServer.key]
        } _: { stage in
            let socket = try stage.follow()
            _ = try stage.client.graphql(Self.query, #"{"id":"a"}"#)
            let explain = try stage.newest()["explain"]
            #expect(
                explain?["authorization"] == nil && explain?["reads"]?.arrayValue?.count == 1,
                "\(String(describing: explain))")
            _ = socket
        }
    }

    @Test(
        "a mutation is explained with its plan, the statement of its write, and how many subscriptions its event reached"
    )
    func explainedWrites() async throws {
        let schema = "type Todo @model @auth(rules: [{allow: public}]) { id: ID! @primaryKey name: String }"
        try await with(schema: schema) { stage in
            let live = try stage.follow()
            let socket = try WebSocketClient(port: stage.server.port).acknowledged()
            for (id, filter) in [("1", ""), ("2", #"(filter: {name: {eq: "other"}})"#)] {
                _ = try socket.start(id, "subscription { onCreateTodo\(filter) { id name } }")
            }
            let create =
                #"mutation Make($id: ID!) { made: createTodo(input: {id: $id, name: "n-secret"}) { id name } }"#
            for id in ["a", "b"] { _ = try stage.client.graphql(create, #"{"id":"\#(id)"}"#) }
            let id = try #require(try stage.list("?operation=Make").first?["id"]?.stringValue)
            func explain() throws -> JSONValue { try stage.ask("GET", "/requests/\(id)").value["explain"] ?? .null }
            // The loops match events after the answer.
            try await eventually { try explain()["events"]?.arrayValue?.first?["delivered"] == 1 }
            let made = try explain()
            #expect(
                made["events"] == [["topic": "createTodo", "subscriptions": 2, "delivered": 1, "filtered": 1]],
                "\(made)")
            #expect(made["plan"] == ["cached": true, "uses": 2], "\(made)")
            let write = made["writes"]?.arrayValue?.first
            #expect(write?["path"] == "made" && write?["table"] == "Todo" && write?["conflict"] == .null, "\(made)")
            #expect(write?["sql"]?.stringValue?.hasPrefix("INSERT INTO ") == true && write?["version"] == .null)
            #expect(!made.description.contains("n-secret"), "values are parameters")

            // Nobody subscribes to deletions, and the condition of this one fails.
            let delete =
                #"{"query":"mutation { deleteTodo(input: {id: \"a\"}, condition: {name: {eq: \"x\"}}) { id } }"}"#
            let answer = try stage.ask("POST", "/graphql", as: .editor, ["x-syncline-explain": "1"], body: delete)
            let refused = answer.value["extensions"]?["syncline"]
            #expect(refused?["writes"]?.arrayValue?.first?["conflict"]?.stringValue?.isEmpty == false, "\(answer)")
            #expect(refused?["writes"]?.arrayValue?.first?["condition"]?.stringValue?.isEmpty == false, "\(answer)")
            #expect(refused?["plan"] == ["cached": false, "uses": 1] && refused?["events"] == [], "\(answer)")
            // Explained at once, and complete.
            let body = #"{"query":"mutation { createTodo(input: {id: \"c\"}) { id } }"}"#
            let explained = try stage.ask("POST", "/graphql", as: .editor, ["x-syncline-explain": "1"], body: body)
            #expect(
                explained.value["extensions"]?["syncline"]?["events"]
                    == [["topic": "createTodo", "subscriptions": 2, "delivered": 1, "filtered": 1]], "\(explained)")
            let requestID = try #require(explained.value["extensions"]?["syncline"]?["requestId"]?.stringValue)
            #expect(try stage.ask("GET", "/requests/\(requestID)").status == 200, "the one that was recorded")
            _ = live
        }
    }

    @Test("a request as a member of groups or with claims is recorded so that a replay has the same identity")
    func usersWithoutAccounts() async throws {
        let schema = """
            type Todo @model @auth(rules: [{allow: groups, groups: ["Staff"]}, {allow: owner}]) { id: ID! name: String }
            """
        try await with(schema: schema) {
            $0.authModes = [.apiKey, .userPools]
        } _: { stage in
            _ = try stage.follow()
            let claims = #"claims:{"sub":"1","username":"ada","cognito:username":"ada"}"#
            for (caller, username) in [("group:Staff,Night", JSONValue.null), (claims, "ada")] {
                func run(as caller: String) throws -> JSONValue {
                    let body = #"{"query":"mutation { createTodo(input: {name: \"n\"}) { name } }"}"#
                    let answer = try stage.ask("POST", "/graphql", as: .owner, ["x-syncline-as": caller], body: body)
                    try #require(answer.status == 200 && answer.value["errors"] == nil, "\(answer)")
                    return answer.value
                }
                let answer = try run(as: caller)
                let identity = try #require(try stage.newest()["identity"])
                #expect(identity == ["mode": "userPool", "username": username, "as": .string(caller)])
                let replayed = try run(as: try #require(identity["as"]?.stringValue))
                #expect(replayed == answer)
                #expect(try stage.newest()["identity"] == identity)
            }
            let found = try stage.list("?identity=\(Percent.encode("group:Staff,Night"))")
            #expect(found.count == 2)
            let socket = try WebSocketClient(
                port: stage.server.port, "/operators/v1/graphql",
                headers: [
                    "Authorization": "Bearer \(stage.tokens[.editor] ?? "")", "Host": "127.0.0.1:\(stage.server.port)",
                    "Sec-WebSocket-Protocol": "graphql-transport-ws",
                ])
            _ = try socket.ask(#"{"type":"connection_init","payload":{"x-syncline-as":"group:Staff"}}"#)
            _ = try socket.ask(
                #"{"id":"1","type":"subscribe","payload":{"query":"query Listed { listTodos { items { id } } }"}}"#)
            let listed = try stage.list("?operation=Listed").first
            #expect(listed?["identity"] == ["mode": "userPool", "username": .null, "as": "group:Staff"])
        }
    }

    @Test("operations over a WebSocket are recorded, subscriptions as well")
    func webSocket() async throws {
        try await with { stage in
            _ = try stage.follow()
            let socket = try WebSocketClient(port: stage.server.port).acknowledged()
            #expect(
                try socket.start("1", "subscription Watch { onCreateTodo { id } }")
                    == WebSocketClient.acknowledgement("1"))
            let request = try stage.newest()
            #expect(request["transport"] == "websocket" && request["operation"]?["type"] == "subscription")
            #expect(request["operation"]?["name"] == "Watch")
            #expect(request["identity"] == ["mode": "apiKey", "name": "default"])
            #expect(request["operation"]?["document"] == "subscription Watch { onCreateTodo { id } }")
            _ = try socket.start("2", "subscription { onNothing { id } }")
            #expect(try stage.newest()["errorTypes"]?.arrayValue?.isEmpty == false)
            _ = try socket.start("3", "subscription Late { onCreateTodo { id } }", key: "da2-wrongwrongwrong")
            let refused = try stage.newest()
            #expect(refused["status"] == 401 && refused["identity"] == .null, "\(refused)")
        }
    }

    @Test("secrets in headers are masked, whatever the header is called")
    func secrets() async throws {
        try await with { stage in
            _ = try stage.follow()
            let secrets = [
                "x-api-key": TestServer.key, "cookie": "session=cookie-secret-9999",
                "x-shop-token": "token-secret-8888",
                "x-amz-security-token": "amz-secret-7777", "x-syncline-operator": stage.tokens[.viewer] ?? "",
            ]
            _ = try stage.client.ask(
                headers: secrets.merging(["Content-Type": "application/json", "User-Agent": "app/1"]) { $1 },
                body: Client.envelope(Self.query, #"{"id":"a"}"#))
            let request = try stage.newest()
            #expect(request["client"] == "app/1" && request["headers"]?["user-agent"] == "app/1")
            for (name, secret) in secrets {
                #expect(request["headers"]?[name] == .string("…\(secret.suffix(4))"), "\(request)")
                #expect(!request.description.contains(secret.dropLast(4)))
            }
            _ = try stage.client.ask(
                headers: [
                    "Content-Type": "application/json", "Authorization": "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl",
                ],
                body: Client.envelope(Self.query, #"{"id":"a"}"#))
            #expect(try stage.newest()["headers"]?["authorization"] == "…dXJl")
            #expect(try stage.newest()["status"] == 401)
        }
    }

    @Test("in serve, documents, variables and answers are kept only while an owner records, which is audited")
    func contents() async throws {
        let schema = "type Todo @model @auth(rules: [{allow: public}]) { id: ID! name: String }"
        try await with(schema: schema, mode: .serve) {
            $0.apiKeys.configured = [TestServer.key]
        } _: { stage in
            let socket = try stage.follow()
            func send() throws -> JSONValue {
                _ = try stage.client.graphql(Self.query, #"{"id":"a-secret-id"}"#)
                _ = try stage.client.ask(
                    "GET", "/graphql?query=\(Percent.encode("query Other { getTodo(id: \"a-secret-id\") { id } }"))",
                    headers: ["x-api-key": TestServer.key])
                let first = try #require(try stage.list("?operation=Find").first?["id"]?.stringValue)
                let second = try #require(try stage.list("?operation=Other").first?["id"]?.stringValue)
                return [
                    try stage.ask("GET", "/requests/\(first)").value, try stage.ask("GET", "/requests/\(second)").value,
                ]
            }
            let plain = try send()
            #expect(!plain.description.contains("a-secret-id") && plain.description.contains(#""name":"Find""#))
            for request in plain.arrayValue ?? [] {
                #expect(request["operation"]?["document"] == nil && request["answer"] == .null)
            }
            for role in [OperatorRole.viewer, .editor] {
                let answer = try stage.ask("POST", "/requests/record", as: role, body: #"{"seconds":60}"#)
                #expect(answer.status == 403 && answer.value["error"]?["code"] == "forbidden")
            }
            for body in ["{}", #"{"seconds":901}"#, #"{"seconds":-1}"#, #"{"seconds":"1"}"#] {
                #expect(try stage.ask("POST", "/requests/record", as: .owner, body: body).status == 422, "\(body)")
            }
            let recording = try stage.ask("POST", "/requests/record", as: .owner, body: #"{"seconds":900}"#).value
            #expect(recording["recording"]?["by"] == "owner" && recording["recording"]?["until"]?.stringValue != nil)
            #expect(try stage.ask("GET", "/requests").value["recording"] == recording["recording"])
            let kept = try send()
            for request in kept.arrayValue ?? [] {
                #expect(
                    request["operation"]?["document"]?.stringValue != nil && request["answer"] != .null, "\(request)")
                #expect(request.description.contains("a-secret-id"))
            }
            #expect(
                try stage.ask("POST", "/requests/record", as: .owner, body: #"{"seconds":0}"#).value
                    == ["recording": .null])
            #expect(try !send().description.contains("a-secret-id"))
            let actions = try stage.ask("GET", "/audit", as: .owner).value["items"]?.arrayValue?.compactMap {
                $0["action"]?.stringValue
            }
            #expect(actions == ["requests.record", "requests.record"])
            try socket.sendClose(1000)
        }
    }

    @Test("the list is filtered and paged; a request that is not kept is not found")
    func filters() async throws {
        try await with { stage in
            _ = try stage.follow()
            for id in 0..<5 { _ = try stage.client.graphql(Self.query, #"{"id":"\#(id)"}"#) }
            _ = try stage.client.graphql("query All { listTodos { items { id } } }")
            _ = try stage.client.graphql(#"mutation Make { createTodo(input: {id: "x"}) { id } }"#)
            _ = try stage.client.graphql("query Secret { listNotes { items { id } } }")
            func names(_ query: String) throws -> [String] {
                try stage.list(query).map { $0["operation"]?["name"]?.stringValue ?? "" }
            }
            let all = ["Secret", "Make", "All", "Find", "Find", "Find", "Find", "Find"]
            #expect(try names("") == all)
            #expect(try names("?operation=Make") == ["Make"] && names("?operation=make") == [])
            #expect(try names("?type=mutation") == ["Make"])
            #expect(try names("?errorType=Unauthorized") == ["Secret"] && names("?errors=true") == ["Secret"])
            #expect(try names("?text=MAKE") == ["Make"] && names("?text=listtodos") == ["All"])
            #expect(try names("?scans=true") == ["All"])
            #expect(try names("?slower=600000") == [] && names("?slower=0") == all)
            #expect(try names("?identity=apiKey") == all && names("?identity=ada") == [])
            _ = try stage.ask(
                "POST", "/graphql", ["x-syncline-as": "key:default"], body: #"{"query":"query Own { __typename }"}"#)
            #expect(try names("?identity=default") == ["Own"] + all, "as clients' requests are named")
            let id = try #require(try stage.list("?operation=All").first?["id"]?.stringValue)
            #expect(try names("?text=\(id.prefix(8))") == ["All"])
            var (seen, next) = ([String](), "")
            repeat {
                let page = try stage.ask("GET", "/requests?limit=3&after=\(next)").value
                seen += page["items"]?.arrayValue?.map { $0["operation"]?["name"]?.stringValue ?? "" } ?? []
                next = page["next"]?.stringValue ?? ""
            } while !next.isEmpty
            #expect(seen == ["Own"] + all)
            for query in ["?type=x", "?slower=x", "?slower=-1", "?limit=0", "?limit=501", "?after=x", "?errors=1"] {
                #expect(try stage.ask("GET", "/requests\(query)").status == 422, "\(query)")
            }
            for id in ["x", "00000000-0000-4000-8000-000000000000", "../status"] {
                #expect(try stage.ask("GET", "/requests/\(id)").status == 404, "\(id)")
            }
        }
    }
}
