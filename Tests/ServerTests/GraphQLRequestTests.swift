import HTTP
import Testing

@testable import Server

@Suite("GraphQL requests: methods, content types, envelopes, keys")
struct GraphQLRequestTests {
    /// A request and what it gets.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var method = "POST"
        var path = "/graphql"
        var headers = Client.usualHeaders
        var body = #"{"query":"{ __typename }"}"#
        var status: Int
        var errorType: String?
        var message: String?

        var testDescription: String { name }
    }

    static let malformed = "MalformedHttpRequestException"
    static let unauthorized = "UnauthorizedException"
    static let unreadable = "Unable to parse GraphQL query."

    static let cases: [Case] = [
        Case(name: "well-formed", status: 200),
        Case(name: "a query string does not matter", path: "/graphql?a=b", status: 200),
        Case(name: "empty body", body: "", status: 400, errorType: malformed, message: "Request body is empty."),
        Case(name: "no JSON", body: "meow", status: 400, errorType: malformed, message: unreadable),
        Case(name: "no query", body: "{}", status: 400, errorType: malformed, message: unreadable),
        Case(name: "too much", body: "{}}", status: 400, errorType: malformed, message: unreadable),
        Case(name: "a batch", body: #"[{"query":"{a}"}]"#, status: 400, errorType: malformed, message: unreadable),
        Case(name: "query is no text", body: #"{"query":42}"#, status: 400, errorType: malformed, message: unreadable),
        Case(
            name: "variables are no object", body: #"{"query":"{a}","variables":[]}"#, status: 400,
            errorType: malformed, message: unreadable),
        Case(
            name: "several operations", body: #"{"query":"query A {__typename} query B {__typename}"}"#, status: 400,
            errorType: "BadRequestException", message: "Missing operation name."),
        Case(
            name: "unknown operation", body: #"{"query":"query A {__typename}","operationName":"B"}"#, status: 400,
            errorType: "BadRequestException", message: "Unknown operation named 'B'."),
        Case(name: "no content type", headers: ["x-api-key": TestServer.key], status: 400, errorType: malformed),
        Case(
            name: "text/plain", headers: ["x-api-key": TestServer.key, "content-type": "text/plain"], status: 400,
            errorType: malformed),
        Case(
            name: "application/graphql with a JSON body",
            headers: ["x-api-key": TestServer.key, "content-type": "Application/GraphQL ; charset=utf-8"], status: 200),
        Case(
            name: "no credentials", headers: ["content-type": "application/json"], status: 401,
            errorType: unauthorized, message: "Missing authorization header"),
        Case(
            name: "wrong key", headers: ["content-type": "application/json", "x-api-key": "da2-wrong"], status: 401,
            errorType: unauthorized, message: "You are not authorized to make this call."),
        Case(
            name: "a key that only begins right",
            headers: ["content-type": "application/json", "x-api-key": "da2-fakeApiId12345"], status: 401,
            errorType: unauthorized, message: "You are not authorized to make this call."),
        Case(
            name: "a token", headers: ["content-type": "application/json", "authorization": "a.b.c"], status: 401,
            errorType: unauthorized, message: "Valid authorization header not provided."),
        Case(
            name: "a signature goes before the key",
            headers: Client.usualHeaders.merging(["authorization": "AWS4-HMAC-SHA256 x"]) { $1 }, status: 401,
            errorType: unauthorized, message: "Valid authorization header not provided."),
        Case(
            name: "the envelope is looked at before the key", headers: ["content-type": "application/json"],
            body: "meow", status: 400, errorType: malformed, message: unreadable),
        Case(name: "wrong path", path: "/graph", status: 404, errorType: "UnknownOperationException"),
        Case(name: "PUT", method: "PUT", status: 405, errorType: malformed),
        Case(name: "DELETE", method: "DELETE", status: 405, errorType: malformed),
        Case(name: "a method nobody knows", method: "BREW", status: 405, errorType: malformed),
        Case(
            name: "GET without a query", method: "GET", status: 400, errorType: malformed, message: unreadable),
        Case(name: "GET", method: "GET", path: "/graphql?query={__typename}", body: "", status: 200),
        Case(
            name: "GET needs no content type, but a key", method: "GET", path: "/graphql?query={__typename}",
            headers: [:], body: "", status: 401, errorType: unauthorized, message: "Missing authorization header"),
        Case(name: "health", method: "GET", path: "/health", headers: [:], body: "", status: 200),
        Case(name: "health by HEAD", method: "HEAD", path: "/health", headers: [:], body: "", status: 200),
        Case(name: "health by POST", path: "/health", status: 405, errorType: malformed),
        Case(name: "ready", method: "GET", path: "/ready", headers: [:], body: "", status: 200),
    ]

    @Test("each request gets its status, its x-amzn-ErrorType, its message, and the headers that all answers have")
    func answers() async throws {
        try await TestServer.with { server in
            var identifiers: Set<String> = []
            for row in Self.cases {
                let answer = try server.connect().ask(row.method, row.path, headers: row.headers, body: row.body)
                #expect(answer.status == row.status, "\(row.name): \(answer.body)")
                #expect(answer["x-amzn-ErrorType"] == [row.errorType].compactMap(\.self), "\(row.name)")
                #expect(answer["Access-Control-Allow-Origin"] == ["*"], "\(row.name)")
                #expect(answer["Access-Control-Expose-Headers"].first?.contains("x-amzn-ErrorType") == true)
                #expect(answer["Content-Type"] == ["application/json;charset=UTF-8"], "\(row.name)")
                let identifier = try #require(answer["x-amzn-RequestId"].first, "\(row.name)")
                #expect(answer["x-amzn-RequestId"].count == 1 && identifier.count == 36, "\(row.name)")
                #expect(identifiers.insert(identifier).inserted, "an identifier names one request")
                if let errorType = row.errorType {
                    let start = #"{"errors":[{"errorType":"\#(errorType)","message":""#
                    #expect(answer.body.hasPrefix(start + (row.message.map { "\($0)\"}]}" } ?? "")), "\(row.name)")
                    #expect(answer.body.hasSuffix("\"}]}"), "\(row.name)")
                }
                let isExecuted = row.status == 200 && row.path.hasPrefix("/graphql")
                #expect(answer["x-amzn-appsync-TokensConsumed"] == (isExecuted ? ["1"] : []), "\(row.name)")
            }
        }
    }

    @Test("a preflight is answered without a key, and echoes the headers that the browser asks for")
    func preflight() async throws {
        try await TestServer.with { server in
            let asked = "authorization,content-type,x-api-key"
            let answer = try server.connect().ask(
                "OPTIONS", headers: ["Origin": "http://localhost:3000", "Access-Control-Request-Headers": asked])
            #expect(answer.status == 200 && answer.body.isEmpty)
            #expect(answer["Access-Control-Allow-Origin"] == ["*"])
            #expect(answer["Access-Control-Allow-Headers"] == [asked])
            #expect(answer["Access-Control-Allow-Methods"] == ["POST,GET,HEAD,OPTIONS"])
            #expect(answer["Access-Control-Max-Age"] == ["172800"])
        }
    }

    @Test("with named origins, each origin reads its own answers and no other origin any")
    func namedOrigins() async throws {
        try await TestServer.with({
            $0.cors.origins = ["https://a.example", "https://b.example"]
            $0.apiKeys.configured = ["da2-own"]
        }) { server in
            let client = try server.connect()
            let rows: [(origin: String?, allowed: [String])] = [
                ("https://a.example", ["https://a.example"]), ("https://b.example", ["https://b.example"]),
                ("https://c.example", []), (nil, []),
            ]
            for (origin, allowed) in rows {
                var headers = Client.usualHeaders
                headers["x-api-key"] = "da2-own"
                headers["Origin"] = origin
                let answer = try client.ask(headers: headers, body: Client.envelope("{ __typename }"))
                #expect(answer.status == 200)
                #expect(answer["Access-Control-Allow-Origin"] == allowed)
                #expect(answer["Vary"].contains("Origin"))
            }
        }
    }

    @Test("with credentials allowed, each origin that may read is named back")
    func credentials() async throws {
        for (origins, allowed) in [(["*"], true), (["https://a.example"], true), (["https://b.example"], false)] {
            try await TestServer.with({
                $0.cors.origins = origins
                $0.cors.allowsCredentials = true
                $0.apiKeys.configured = ["da2-own"]
            }) { server in
                let client = try server.connect()
                for method in ["POST", "OPTIONS"] {
                    var headers = Client.usualHeaders
                    headers["x-api-key"] = "da2-own"
                    headers["Origin"] = "https://a.example"
                    let answer = try client.ask(method, headers: headers, body: Client.envelope("{ __typename }"))
                    #expect(answer.status == 200)
                    #expect(answer["Access-Control-Allow-Origin"] == (allowed ? ["https://a.example"] : []))
                    #expect(answer["Access-Control-Allow-Credentials"] == (allowed ? ["true"] : []))
                    #expect(answer["Vary"].contains("Origin"))
                }
                #expect(try client.ask()["Access-Control-Allow-Origin"] == [])
            }
        }
    }

    @Test("every configured key is accepted, and Amplify's default only when none is configured")
    func configuredKeys() async throws {
        try await TestServer.with({ $0.apiKeys.configured = ["da2-one", "da2-two"] }) { server in
            let client = try server.connect()
            for (key, status) in [("da2-one", 200), ("da2-two", 200), (TestServer.key, 401), ("da2-onetwo", 401)] {
                let headers = ["x-api-key": key, "content-type": "application/json"]
                #expect(try client.ask(headers: headers, body: Client.envelope("{ __typename }")).status == status)
            }
        }
    }

    @Test("a body past the limit gets 413 in AppSync's form")
    func bodyLimit() async throws {
        try await TestServer.with({ $0.limits.http.bodyBytesMax = 100 }) { server in
            let answer = try server.connect().ask(body: String(repeating: "a", count: 200))
            #expect(answer.status == 413)
            #expect(answer["x-amzn-ErrorType"] == ["RequestEntityTooLargeException"])
            #expect(answer["Access-Control-Allow-Origin"] == ["*"])
        }
    }
}
