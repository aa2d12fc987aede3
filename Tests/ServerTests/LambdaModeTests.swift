import API
import Foundation
import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import Server

@Suite("Tokens that a function accepts")
struct LambdaModeTests {
    private static let query = Client.envelope("query Q { listUsers { items { id username } } }", #"{"v":1}"#)

    private static func with(
        _ answer: String, clock: WallClock = .system, pattern: WholePattern? = nil, seconds: Int = 0,
        modes: [TransformOptions.AuthMode] = [.lambda], _ body: (TestServer, FunctionServer) async throws -> Void
    ) async throws {
        try await FunctionServer.with(.init(body: answer)) { function, url in
            try await TestServer.with(clock: clock) { configuration in
                configuration.authModes = modes
                configuration.auth.authorizer = LambdaAuthorizer(
                    function: Function(name: "gate", url: url), pattern: pattern, seconds: seconds)
            } _: { server in
                try await body(server, function)
            }
        }
    }

    private static func ask(_ client: Client, _ token: String?) throws -> Client.Answer {
        var headers = ["content-type": "application/json", "x-note": "n"]
        headers["authorization"] = token
        return try client.ask("POST", "/graphql", headers: headers, body: query)
    }

    @Test("The function is given the token, the operation and the headers, and its yes opens the API")
    func event() async throws {
        try await Self.with(#"{"isAuthorized":true}"#) { server, function in
            let answer = try Self.ask(try server.connect(), "Bearer a-token")
            #expect(answer.body == #"{"data":{"listUsers":{"items":[]}}}"#)
            let event = try #require(function.calls.first?.event)
            #expect(event["authorizationToken"] == "Bearer a-token")
            #expect(event["requestContext"]?["queryString"] == "query Q { listUsers { items { id username } } }")
            #expect(event["requestContext"]?["variables"] == ["v": 1])
            #expect(event["requestContext"]?["requestId"]?.stringValue?.isEmpty == false)
            #expect(event["requestHeaders"]?["x-note"] == "n")
        }
    }

    @Test(
        "Everything but a yes is a refusal",
        arguments: [
            #"{"isAuthorized":false}"#, "{}", #"{"isAuthorized":"true"}"#, #"{"isAuthorized":1}"#, "true", "[", "",
            #"{"isAuthorized":true,"deniedFields":"Query.listUsers"}"#, #"{"isAuthorized":true,"deniedFields":[1]}"#,
            #"{"isAuthorized":true,"deniedFields":["listUsers"]}"#,
            #"{"isAuthorized":true,"deniedFields":["Query.listUsers","Query.*"]}"#,
            #"{"isAuthorized":true,"deniedFields":["Query."]}"#,
            #"{"isAuthorized":true,"deniedFields":["arn:aws:appsync:r:1:apis/x/types/Query/field/listUsers"]}"#,
        ])
    func refusals(answer: String) async throws {
        try await Self.with(answer) { server, function in
            let client = try server.connect()
            let answer = try Self.ask(client, "token")
            #expect(answer.status == 401)
            #expect(
                answer.body
                    == #"{"errors":[{"errorType":"UnauthorizedException","message":"You are not authorized to make this call."}]}"#
            )
            #expect(function.calls.count == 1)
        }
    }

    @Test("A function that fails refuses, and so does a token that does not match the expression, without a call")
    func failures() async throws {
        try await Self.with(#"{"isAuthorized":true}"#, pattern: "t-[0-9]+") { server, function in
            let client = try server.connect()
            #expect(try Self.ask(client, "t-12").status == 200)
            for token in ["t-", "t-12x", "xt-12", "t-" + String(repeating: "1", count: 2_047)] {
                #expect(try Self.ask(client, token).status == 401)
            }
            #expect(try Self.ask(client, nil).body.contains("Missing authorization header"))
            #expect(function.calls.count == 1)
            function.release(.init(status: 500, body: #"{"isAuthorized":true}"#))
            #expect(try Self.ask(client, "t-12").status == 401)
        }
    }

    @Test("An answer of 5 MB is read, and a longer one refuses")
    func longAnswer() async throws {
        func answer(_ byteCount: Int) -> FunctionServer.Answer {
            let head = #"{"isAuthorized":true,"pad":""#
            return .init(body: head + String(repeating: "x", count: byteCount - head.utf8.count - 2) + #""}"#)
        }
        try await Self.with("") { server, function in
            for (byteCount, status) in [(5 << 20, 200), (5 << 20 + 1, 401)] {
                function.release(answer(byteCount))
                let client = try server.connect()
                #expect(try Self.ask(client, "t").status == status, "\(byteCount) bytes")
            }
        }
    }

    @Test("A function that has not answered after ten seconds refuses, and the client is not asked to try again")
    func slowFunction() async throws {
        try await Self.with("") { server, function in
            function.hold()
            let client = try server.connect()
            let start = ContinuousClock.now
            let answer = try Self.ask(client, "t")
            #expect(answer.status == 401 && answer.body.contains("You are not authorized to make this call."))
            #expect(ContinuousClock.now - start >= .seconds(9.9))
            function.release(.init(body: ""))
        }
    }

    @Test("An expression that repeats a repetition decides about a long token at once")
    func ambiguousPattern() async throws {
        try await Self.with(
            #"{"isAuthorized":true}"#, pattern: #"(Bearer )?([A-Za-z0-9_-]+\.?)+"#
        ) { server, function in
            let client = try server.connect()
            #expect(try Self.ask(client, String(repeating: "a", count: 2_000) + "!").status == 401)
            #expect(try Self.ask(client, "Bearer " + String(repeating: "a", count: 2_000)).status == 200)
            #expect(function.calls.count == 1)
        }
    }

    @Test("The function receives the operation that is executed, however the request is written")
    func sameOperation() async throws {
        try await Self.with(#"{"isAuthorized":true,"ttlOverride":0}"#) { server, function in
            let client = try server.connect()
            let headers = ["content-type": "application/json", "authorization": "token"]
            func event(_ method: String, _ path: String, _ body: String = "") throws -> JSONValue? {
                #expect(try client.ask(method, path, headers: headers, body: body).status == 200)
                return function.calls.last?.event["requestContext"]
            }
            let executed = "{ listUsers { items { id } } }"
            let encoded = executed.replacing(" ", with: "%20")
            // Parameters beyond any number that another reader may look at.
            let parameters = "query=%7B__typename%7D" + String(repeating: "&a", count: 199) + "&query=\(encoded)"
            #expect(try event("GET", "/graphql?\(parameters)")?["queryString"] == .string(executed))
            for (text, query, name, variables) in [
                (
                    #"{"query":"{ a: __typename }","variables":{"v" : 1.50e0},"x":[]}"#, "{ a: __typename }", nil,
                    "1.50e0"
                ),
                (#"{"query":"{ a }","query":"{ __type\u006eame }","operationName":null}"#, "{ __typename }", nil, nil),
                (
                    #"{"query":"query A {__typename} query B {__typename}","operationName":"A","operationName":"B"}"#,
                    "query A {__typename} query B {__typename}", "B", nil
                ),
            ] as [(String, String, String?, String?)] {
                let context = try event("POST", "/graphql", text)
                #expect(context?["queryString"] == .string(query))
                #expect(context?["operationName"]?.stringValue == name)
                #expect(context?["variables"] == .object(variables.map { ["v": .number($0)] } ?? [:]))
            }
        }
    }

    @Test("Variables as deep as the API reads them do not hide the operation, and what cannot be read reaches no one")
    func nestedVariables() async throws {
        try await Self.with(#"{"isAuthorized":true,"ttlOverride":0}"#) { server, function in
            let client = try server.connect()
            let headers = ["content-type": "application/json", "authorization": "token"]
            for (depth, isRead) in [(1, true), (62, true), (63, true), (64, false), (200, false)] {
                let count = function.calls.count
                let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                let body = #"{"query":"{ __typename }","variables":{"a":\#(nested)}}"#
                #expect(try client.ask("POST", "/graphql", headers: headers, body: body).status == (isRead ? 200 : 400))
                #expect(function.calls.count == count + (isRead ? 1 : 0), "\(depth)")
                guard isRead else { continue }
                #expect(function.calls.last?.event["requestContext"]?["queryString"] == "{ __typename }", "\(depth)")
            }
            let credentials = RealtimeCredentials(
                authorization: RealtimeAuthorization([("authorization", "token")]), envelope: Array("[]".utf8))
            #expect(throws: EnvelopeError.self) { try credentials.operation(depthMax: 64) }
        }
    }

    /// Case 173 (reference: authorization, "Acceptance cases"); its refusals are those of `refusals`.
    @Test("An answer is kept for its own time or the configured one, and none without")
    func cache() async throws {
        let time = Mutex<Int64>(WallClock.system.milliseconds())
        let clock = WallClock { time.withLock { $0 } }
        let rows: [(answer: String, seconds: Int, kept: Int64?)] = [
            (#"{"isAuthorized":true}"#, 0, nil), (#"{"isAuthorized":true}"#, 300, 300),
            (#"{"isAuthorized":true,"ttlOverride":10}"#, 300, 10),
            (#"{"isAuthorized":true,"ttlOverride":0}"#, 300, nil),
            (#"{"isAuthorized":true,"ttlOverride":99999}"#, 0, 3_600), (#"{"isAuthorized":false}"#, 300, nil),
        ]
        for row in rows {
            try await Self.with(row.answer, clock: clock, seconds: row.seconds) { server, function in
                let client = try server.connect()
                for _ in 0..<3 { _ = try Self.ask(client, "one") }
                #expect(function.calls.count == (row.kept == nil ? 3 : 1), "\(row)")
                _ = try Self.ask(client, "two")
                guard let kept = row.kept else { return }
                #expect(function.calls.count == 2)
                time.withLock { $0 += kept * 1_000 - 1 }
                _ = try Self.ask(client, "two")
                time.withLock { $0 += 2 }
                #expect(function.calls.count == 2)
                _ = try Self.ask(client, "two")
                #expect(function.calls.count == 3)
            }
        }
    }

    /// Case 172 (reference: authorization, "Acceptance cases").
    @Test("Denied fields are null and unauthorized, by name and by ARN")
    func deniedFields() async throws {
        for name in ["User.username", "arn:aws:appsync:r:1:apis/x/types/User/fields/username"] {
            try await Self.with(#"{"isAuthorized":true,"deniedFields":["\#(name)","Nothing.here"]}"#) { server, _ in
                let body = Client.envelope(#"mutation { createUser(input: {username: "u"}) { username postcode } }"#)
                let headers = ["content-type": "application/json", "authorization": "t"]
                let answer = try server.connect().ask("POST", "/graphql", headers: headers, body: body)
                #expect(answer.body.contains("Not Authorized to access username on type User"), "\(answer.body)")
            }
        }
    }

    @Test("Without the function's URL dev warns and refuses the mode's tokens by name, and serve does not start")
    func missingFunction() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Note @model { id: ID! }", to: "schema.graphql")
        try folder.write(
            """
            {"authConfig": {"defaultAuthentication": {"authenticationType": "API_KEY"},
              "additionalAuthenticationProviders": [
                {"authenticationType": "AWS_LAMBDA", "lambdaAuthorizerConfig": {
                  "lambdaFunction": "gate"}}]}}
            """, to: "config/syncline.json")
        let serve = try run(["serve", "--port", "0", "--data", ":memory:"], in: folder)
        let place = "config/syncline.json:4:7"
        #expect(serve.code == 3 && serve.complaint.contains(place), "\(serve)")
        #expect(serve.complaint.contains("The function gate of the Lambda authorizer is not configured."), "\(serve)")
        let server = try Running(["dev", "--port", "0", "--data", ":memory:", "--tls", "off"], in: folder)
        defer { server.stop() }
        let client = try Client(port: server.port)
        let body = Client.envelope("{ __typename }")
        let headers = ["content-type": "application/json"]
        let known = try client.ask(headers: headers.merging(["x-api-key": TestServer.key]) { $1 }, body: body)
        #expect(known.status == 200)
        let refused = try client.ask(headers: headers.merging(["authorization": "token"]) { $1 }, body: body)
        #expect(refused.status == 401 && refused.body.contains("AWS_LAMBDA accepts no token: The function gate"))
        // The pipe of its standard error is read by another thread.
        try await eventually { server.complaint.contains(place) }
    }

    @Test("Of several tokens and keys each goes to its mode: a key before a token")
    func order() async throws {
        try await Self.with(#"{"isAuthorized":true}"#, modes: [.lambda, .apiKey]) { server, function in
            let client = try server.connect()
            #expect(try Self.ask(client, "a.b.c").status == 200)
            let headers = ["content-type": "application/json", "authorization": "t", "x-api-key": "da2-wrong"]
            #expect(try client.ask("POST", "/graphql", headers: headers, body: Self.query).status == 401)
            #expect(function.calls.count == 1)
        }
    }

    @Test("An operator's token reaches no function, over HTTP and the realtime channel, in whatever form it is sent")
    func operatorToken() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await FunctionServer.with(.init(body: #"{"isAuthorized":true}"#)) { function, url in
            try await TestServer.with {
                ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("d"))
                $0.authModes = [.lambda, .apiKey]
                $0.auth.authorizer = LambdaAuthorizer(function: Function(name: "gate", url: url))
            } _: { server in
                let known = try Operators.create("ada", role: .viewer, of: server.configuration)
                let client = try server.connect()
                let socket = try WebSocketClient(port: server.port).acknowledged()
                for token in [
                    "Bearer \(known)", known, "bearer  \(known)", "Basic \(known)", "Bearer \(OperatorToken().text)",
                ] {
                    let answer = try Self.ask(client, token)
                    #expect(answer.status == 401 && answer.body.contains("x-syncline-operator"), "\(answer.body)")
                    #expect(answer["x-amzn-ErrorType"] == ["UnauthorizedException"])
                    let start = WebSocketClient.start("1", "subscription { onCreateMessage { room } }", key: token)
                        .replacing(#""x-api-key":"#, with: #""Authorization":"#)
                    #expect(try socket.ask(start).contains("Permission denied"), "\(token)")
                }
                #expect(function.calls.isEmpty)
                // Beside a key it is the operator's who asks for explanations.
                let headers = [
                    "content-type": "application/json", "authorization": "Bearer \(known)", "x-api-key": TestServer.key,
                ]
                #expect(try client.ask("POST", "/graphql", headers: headers, body: Self.query).status == 200)
                #expect(try Self.ask(client, "Bearer other").status == 200)
                #expect(function.calls.count == 1)
            }
        }
    }

    @Test("The function is asked when a WebSocket opens, without an operation, and at each start, with it")
    func realtime() async throws {
        try await Self.with(#"{"isAuthorized":true}"#) { server, function in
            let socket = try WebSocketClient(
                port: server.port, headers: ["Sec-WebSocket-Protocol": "graphql-ws", "authorization": "t"])
            try socket.send(#"{"type":"connection_init"}"#)
            _ = try socket.receiveAcknowledgement()
            func start(_ id: String) -> String {
                WebSocketClient.start(id, "subscription { onCreateMessage { room } }", key: "t")
                    .replacing(#""x-api-key":"#, with: #""Authorization":"#)
            }
            #expect(try socket.ask(start("1")) == WebSocketClient.acknowledgement("1"))
            let contexts = function.calls.map { $0.event["requestContext"] }
            #expect(contexts.count == 2 && contexts[0]?["queryString"] == nil)
            #expect(contexts[1]?["queryString"] == "subscription { onCreateMessage { room } }")
            function.release(.init(body: #"{"isAuthorized":false}"#))
            #expect(try socket.ask(start("2")).contains("Permission denied"))
        }
    }
}
