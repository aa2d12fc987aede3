import API
import HTTP
import Testing
import Transformer

@testable import Server

/// Every bound that a caller can reach by a request is reached once, as set by its key.
@Suite("Limits, by their keys")
struct LimitTests {
    /// A bound, set low, and the request that passes it.
    struct Case: Sendable, CustomTestStringConvertible {
        var key: String
        var value: Int
        /// The bytes to send; a text without a line end is a document.
        var request: String
        var status: Int
        var part: String

        var testDescription: String { key }
    }

    private static func chunked(_ rest: String) -> String {
        let lines = Client.usualHeaders.map { "\($0): \($1)\r\n" }.joined()
        return "POST /graphql HTTP/1.1\r\nHost: localhost\r\n\(lines)Transfer-Encoding: chunked\r\n\r\n\(rest)"
    }

    private static let users = "listUsers { items { id } }"

    static let cases: [Case] = [
        Case(
            key: "requestHeadBytesMax", value: 300,
            request: "GET / HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 400))\r\n\r\n", status: 431,
            part: "header section"),
        Case(
            key: "headerCountMax", value: 2, request: "GET / HTTP/1.1\r\nHost: h\r\nA: 1\r\nB: 2\r\n\r\n", status: 431,
            part: "header lines"),
        Case(
            key: "targetBytesMax", value: 20,
            request: "GET /\(String(repeating: "x", count: 20)) HTTP/1.1\r\nHost: h\r\n\r\n",
            status: 414, part: "target"),
        Case(key: "bodyBytesMax", value: 20, request: "{ \(users) }", status: 413, part: "body"),
        Case(
            key: "chunkCountMax", value: 2, request: chunked("1\r\n{\r\n1\r\n}\r\n1\r\n \r\n0\r\n\r\n"), status: 413,
            part: "body"),
        Case(
            key: "chunkLineBytesMax", value: 18,
            request: chunked("2;\(String(repeating: "x", count: 40))\r\n{}\r\n0\r\n\r\n"),
            status: 400, part: "chunk"),
        Case(
            key: "trailerBytesMax", value: 20,
            request: chunked("2\r\n{}\r\n0\r\nX: \(String(repeating: "x", count: 40))\r\n\r\n"), status: 431,
            part: "trailer"),
        Case(key: "documentTokensMax", value: 5, request: "{ \(users) }", status: 200, part: "errors"),
        Case(key: "documentDepthMax", value: 2, request: "{ \(users) }", status: 200, part: "errors"),
        Case(key: "documentFieldsMax", value: 2, request: "{ \(users) }", status: 200, part: "3 fields"),
        Case(
            key: "documentAliasesMax", value: 1, request: "{ a: __typename b: __typename }", status: 200,
            part: "2 aliases"),
        Case(
            key: "documentDirectivesMax", value: 1,
            request: "{ a: __typename @skip(if: true) b: __typename @skip(if: true) }", status: 200,
            part: "2 directives"),
        Case(
            key: "documentFragmentsMax", value: 1,
            request: "{ ...A ...B } fragment A on Query { __typename } fragment B on Query { __typename }", status: 200,
            part: "2 fragments"),
        Case(key: "queryDepthLimit", value: 2, request: "{ \(users) }", status: 200, part: "QueryDepthLimitReached"),
        Case(
            key: "resolverCountLimit", value: 1, request: "{ a: \(users) b: \(users) }", status: 200,
            part: "ResolverExecutionLimitReached"),
        Case(
            key: "filterTermsMax", value: 1,
            request: "{ listUsers(filter: {id: {eq: \"a\"}, username: {eq: \"b\"}}) { items { id } } }", status: 200,
            part: "errors"),
        Case(
            key: "responseBytesMax", value: 20, request: "{ __schema { types { name } } }", status: 200, part: "errors"),
    ]

    @Test("a request past a bound is refused in AppSync's form, and the server goes on", arguments: cases)
    func reached(row: Case) async throws {
        try await TestServer.with({ configuration in
            for limit in Limit.all where limit.key == row.key { configuration.limits[keyPath: limit.path] = row.value }
        }) { server in
            let client = try server.connect()
            let isDocument = !row.request.contains("\r\n")
            let body = isDocument ? Client.envelope(row.request) : ""
            try client.send(
                isDocument
                    ? Client.request("POST", "/graphql", headers: Client.usualHeaders, body: body) : row.request)
            let answer = try client.receive()
            #expect(answer.status == row.status && answer.body.contains(row.part), "\(answer.body)")
            #expect(answer["x-amzn-RequestId"].count == 1)
            #expect(answer["Access-Control-Allow-Origin"] == ["*"])
            #expect(answer["x-amzn-ErrorType"].count == (row.status == 200 ? 0 : 1))
            let fresh = try server.connect()
            try fresh.send("GET /ping HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try fresh.receive().status == 200)
        }
    }

    @Test("variables may be as deep as their bound")
    func variablesDepth() async throws {
        try await TestServer.with({ $0.limits.api.variablesDepthMax = 2 }) { server in
            let client = try server.connect()
            for (variables, status) in [(#"{"a":[]}"#, 200), (#"{"a":[[]]}"#, 400)] {
                #expect(try client.ask(body: Client.envelope("{ __typename }", variables)).status == status)
            }
        }
    }

    @Test("a connection too many is answered 503; one that has carried its requests is closed in good order")
    func connections() async throws {
        try await TestServer.with({ $0.limits.http.connectionsMax = 1 }) { server in
            let first = try server.connect()
            #expect(try first.ask("GET", "/ping").status == 200)
            let second = try server.connect().receive()
            #expect(second.status == 503 && second["x-amzn-ErrorType"] == ["ServiceUnavailableException"])
        }
        try await TestServer.with({ $0.limits.http.requestsPerConnectionMax = 2 }) { server in
            let client = try server.connect()
            #expect(try client.ask("GET", "/ping")["Connection"] == [])
            #expect(try client.ask("GET", "/ping")["Connection"] == ["close"])
        }
    }

    @Test("pages are as large as their bound, and as their default")
    func pages() async throws {
        try await TestServer.with({
            $0.limits.api.pageItemsMax = 3
            $0.limits.api.pageItemsDefault = 2
        }) { server in
            let client = try server.connect()
            for id in 1...5 {
                _ = try client.graphql(#"mutation { createUser(input: {id: "\#(id)", username: "U"}) { id } }"#)
            }
            for (arguments, count) in [("", 2), ("(limit: 100)", 3), ("(limit: 1)", 1)] {
                let answer = try client.graphql("{ listUsers\(arguments) { items { id } nextToken } }")
                #expect(answer.matches(of: /"id"/).count == count, "\(answer)")
            }
        }
    }

    @Test("a server whose limits are all at their greatest values serves requests, subscriptions and syncs")
    func greatest() async throws {
        try await TestServer.with({ configuration in
            configuration.transform.conflictDetection = .version
            // The threads and timeouts of the test's own client are not for 1,024 cores and an hour.
            for limit in Limit.all where !["eventLoopCount", "drainSeconds"].contains(limit.key) {
                configuration.limits[keyPath: limit.path] = limit.range.upperBound
            }
        }) { server in
            let client = try server.connect()
            let socket = try WebSocketClient(port: server.port).acknowledged()
            let query = "subscription { onCreateUser { id } }"
            #expect(try socket.start("1", query) == WebSocketClient.acknowledgement("1"))
            let created = try client.graphql(#"mutation { createUser(input: {id: "1", username: "U"}) { id } }"#)
            #expect(created == #"{"data":{"createUser":{"id":"1"}}}"#)
            #expect(try socket.receive().contains(#"{"onCreateUser":{"id":"1"}}"#))
            let users = #"{"items":[{"id":"1"}]}"#
            #expect(
                try client.graphql("{ listUsers(limit: 2147483647) { items { id } } }")
                    == #"{"data":{"listUsers":\#(users)}}"#)
            #expect(
                try client.graphql("{ syncUsers(limit: 2147483647, lastSync: 9223372036854775807) { items { id } } }")
                    == #"{"data":{"syncUsers":\#(users)}}"#)
        }
    }

    @Test("a server whose limits are all at their least values answers every request, and goes on")
    func least() async throws {
        let requests = [
            #"mutation { createUser(input: {id: "1", username: "U"}) { id } }"#,
            "{ listUsers(filter: {id: {eq: \"1\"}}) { items { id messages { items { id } } } nextToken } }",
            "{ syncUsers { items { id } startedAt } }", "{ __typename }",
        ]
        // The bounds of a request refuse all of these, so the others are set without them once.
        for isWithRequests in [true, false] {
            let kept: Set<String> = ["requestHeadBytesMax", "headerCountMax", "targetBytesMax", "bodyBytesMax"]
            try await TestServer.with({ configuration in
                configuration.transform.conflictDetection = .version
                for limit in Limit.all where isWithRequests || !limit.key.hasPrefix("document") {
                    if !isWithRequests, kept.contains(limit.key) { continue }
                    configuration.limits[keyPath: limit.path] = limit.range.lowerBound
                }
                configuration.limits.http.connectionsMax = 100
            }) { server in
                for request in requests {
                    let answer = try server.connect().ask(body: Client.envelope(request))
                    // With one byte of writes waiting at most, a mutation is answered 503.
                    let isServed = answer.status == 200 || answer.status == 503 && request.hasPrefix("mutation")
                    #expect(isWithRequests ? answer.status >= 400 : isServed, "\(answer.body)")
                }
                let client = try server.connect()
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.receive().status == 404)
            }
        }
    }
}
