import API
import Testing

@testable import HTTP
@testable import Server

/// The acceptance cases (reference: appsync-protocol, "Acceptance cases") that go over HTTP, by their numbers,
/// over real sockets.
@Suite("Acceptance: the HTTP envelope, headers, introspection and limits")
struct AcceptanceTests {
    /// A case: its request, and what the protocol demands of the answer.
    struct Case: Sendable, CustomTestStringConvertible {
        var number: Int
        var method = "POST"
        var path = "/graphql"
        var headers = Client.usualHeaders
        var body = Client.envelope("{ __typename }")
        var change: @Sendable (inout Configuration) -> Void = { _ in }
        var status: Int
        var errorType: String?
        /// `errors[0].message`, or another part of the body.
        var parts: [String] = []
        var absent: [String] = []
        var answerHeaders: [String: String] = [:]

        var testDescription: String { "case \(number)" }
    }

    private static let malformed = "MalformedHttpRequestException"
    private static let unreadable = #""message":"Unable to parse GraphQL query.""#
    private static let json = "application/json;charset=UTF-8"
    private static let graphQLResponse = "application/graphql-response+json"

    private static func type(_ type: String) -> [String: String] {
        ["x-api-key": TestServer.key, "content-type": type]
    }

    private static func accepting(_ type: String) -> [String: String] {
        Client.usualHeaders.merging(["accept": type]) { $1 }
    }

    static let cases: [Case] = [
        Case(
            number: 1, status: 200, parts: [#"{"data":{"__typename":"Query"}}"#], answerHeaders: ["Content-Type": json]),
        Case(
            number: 2, body: "", status: 400, errorType: malformed, parts: [#""message":"Request body is empty.""#],
            absent: ["data"]),
        Case(number: 3, body: "meow", status: 400, errorType: malformed, parts: [unreadable], absent: ["data"]),
        Case(number: 4, body: "{}", status: 400, errorType: malformed, parts: [unreadable]),
        Case(number: 5, body: "[]", status: 400, errorType: malformed, parts: [unreadable]),
        Case(
            number: 6, body: #"[{"query":"{__typename}"}]"#, status: 400, errorType: malformed, parts: [unreadable]),
        Case(number: 7, body: #"{"query":42}"#, status: 400, errorType: malformed, parts: [unreadable]),
        Case(
            number: 8, body: #"{"query":"{__typename}","variables":[]}"#, status: 400, errorType: malformed,
            parts: [unreadable]),
        Case(number: 9, headers: type("text/plain"), status: 400, errorType: malformed),
        Case(
            number: 10, headers: type("application/graphql"), status: 200, parts: [#"{"data":{"__typename":"Query"}}"#]),
        Case(number: 11, headers: type("application/json; charset=utf-8"), status: 200),
        Case(
            number: 12, body: #"{"query":"{__typename}","variables":null,"operationName":null,"extensions":{}}"#,
            status: 200, parts: [#"{"data":{"__typename":"Query"}}"#]),
        Case(
            number: 13, headers: ["content-type": "application/json"], status: 401, errorType: "UnauthorizedException",
            parts: [#"{"errors":[{"errorType":"UnauthorizedException","message":""#], absent: ["data"]),
        Case(
            number: 14, headers: ["content-type": "application/json", "x-api-key": "da2-wrong"], status: 401,
            errorType: "UnauthorizedException", parts: [#""message":"You are not authorized to make this call.""#]),
        Case(
            number: 29, method: "OPTIONS",
            headers: ["Origin": "http://localhost:3000", "Access-Control-Request-Headers": "authorization,x-api-key"],
            body: "", status: 200,
            answerHeaders: [
                "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "authorization,x-api-key",
            ]),
        Case(
            number: 30, status: 200,
            answerHeaders: [
                "Access-Control-Expose-Headers":
                    "x-amzn-RequestId,x-amzn-ErrorType,x-amz-user-agent,x-amzn-ErrorMessage,Date,x-amz-schema-version"
            ]),
        Case(
            number: 32, method: "GET", path: "/graphql?query={__typename}", headers: ["x-api-key": TestServer.key],
            body: "", status: 200, parts: [#"{"data":{"__typename":"Query"}}"#]),
        Case(
            number: 33, method: "GET", path: "/graphql?query=mutation{deleteUser(input:{id:%221%22}){id}}",
            headers: ["x-api-key": TestServer.key], body: "", status: 405, errorType: malformed,
            answerHeaders: ["Allow": "POST"]),
        Case(
            number: 34, headers: accepting(graphQLResponse), body: Client.envelope("{ nope }"), status: 400,
            errorType: "BadRequestException", parts: ["FieldUndefined"], absent: [#""data""#],
            answerHeaders: ["Content-Type": "\(graphQLResponse); charset=utf-8"]),
        Case(
            number: 35, headers: accepting("application/json"), body: Client.envelope("{ nope }"), status: 200,
            parts: [#"{"data":null,"errors":[{"path":null,"locations":[{"line":1,"column":3,"sourceName":null}],"#],
            answerHeaders: ["Content-Type": json]),
        Case(number: 36, method: "PUT", status: 405, errorType: malformed),
        Case(
            number: 37, body: String(repeating: " ", count: 1_048_577), status: 413,
            errorType: "RequestEntityTooLargeException"),
        Case(
            number: 38, body: Client.envelope("subscription { onCreateUser { id } }"), status: 200,
            parts: [
                #"{"data":null,"errors":[{"path":null,"errorType":"OperationNotSupported","locations":null,"message":""#
            ]),
        Case(
            number: 107, body: Client.envelope("{ __schema { types { name } } }"),
            change: { $0.allowsIntrospection = false }, status: 200,
            parts: [
                "Validation error of type FieldUndefined: Field '__schema' in type 'Query' is undefined @ '__schema'"
            ]),
        Case(
            number: 107, body: Client.envelope("{ __type(name: \"User\") { name } }"),
            change: { $0.allowsIntrospection = false }, status: 200,
            parts: ["Validation error of type FieldUndefined: Field '__type' in type 'Query' is undefined @ '__type'"]),
        Case(number: 107, change: { $0.allowsIntrospection = false }, status: 200, absent: ["errors"]),
        Case(
            number: 108, body: Client.envelope("{ listUsers { items { id } } }"),
            change: { $0.limits.api.queryDepthLimit = 2 }, status: 200,
            parts: [
                #""data":null"#, #""errorType":"QueryDepthLimitReached""#,
                "Query depth limit exceeded: depth 3 is greater than the limit 2.",
            ]),
        Case(
            number: 109, body: Client.envelope("{ a: getUser(id: 1) { id } b: getUser(id: 1) { id } }"),
            change: { $0.limits.api.resolverCountLimit = 1 }, status: 200,
            parts: [#""data":{"a":null,"b":null}"#, #""path":["b"]"#, "Resolver invocation limit exceeded."]),
    ]

    @Test("the answer is the protocol's", arguments: cases)
    func answer(row: Case) async throws {
        try await TestServer.with(row.change) { server in
            let answer = try server.connect().ask(row.method, row.path, headers: row.headers, body: row.body)
            #expect(answer.status == row.status, "\(answer.body)")
            #expect(answer["x-amzn-ErrorType"] == [row.errorType].compactMap(\.self))
            if let errorType = row.errorType, !row.parts.contains("FieldUndefined") {
                #expect(answer.body.contains(#""errorType":"\#(errorType)""#))
            }
            for part in row.parts { #expect(answer.body.contains(part), "\(answer.body)") }
            for part in row.absent { #expect(!answer.body.contains(part), "\(answer.body)") }
            for (name, value) in row.answerHeaders { #expect(answer[name] == [value], "\(name)") }
            #expect(answer["x-amzn-RequestId"].first?.count == 36 && answer["Date"].count == 1)
        }
    }

    @Test("case 31: a large answer is compressed for clients that accept gzip")
    func compression() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            var headers = Client.usualHeaders
            let body = Client.envelope("{ __schema { types { name fields { name } } } }")
            let plain = try client.ask(headers: headers, body: body)
            headers["Accept-Encoding"] = "gzip, deflate, br"
            let packed = try client.ask(headers: headers, body: body)
            #expect(packed["Content-Encoding"] == ["gzip"] && packed["Vary"] == ["Accept-Encoding"])
            #expect(try inflated(packed.bytes[...], .gzip, bytesMax: 1 << 20) == plain.bytes)
            #expect(packed.bytes.count < plain.bytes.count && plain["Content-Encoding"] == [])
        }
    }
}

/// Every acceptance case (reference: appsync-protocol, "Acceptance cases"), so that none is forgotten.
@Suite("Acceptance: the list")
struct AcceptanceList {
    /// Cases that need no HTTP: the tests of GraphQL and of the API have them.
    static let inside: [(cases: ClosedRange<Int>, where: String)] = [
        (39...97, "APITests: one table of the exact texts"),
        (98...98, "APITests: scenario 13 of DataStore"), (103...105, "APITests: the same table"),
        (106...106, "APITests: introspection"), (110...110, "APITests: the time limit of long reads"),
        (118...118, "APITests: the clock of the realtime session is the tests'"),
        (137...138, "APITests: the filter of version 2"),
        (145...145, "HTTPTests: frames"), (146...146, "HTTPTests: TLS and clear text on one port"),
        (147...147, "HTTPTests: the handshake"),
    ]

    /// Cases that are not served yet, and what each waits for.
    static let waiting: [(cases: ClosedRange<Int>, reason: String)] = [
        (139...140, "filters and invalidation by resolvers"), (149...157, "the Events API"),
    ]

    @Test("each of the 157 cases is tested here, or inside, or waits for something")
    func complete() {
        let here = Set(
            AcceptanceTests.cases.map(\.number) + [31] + ModeAcceptanceTests.numbers + RealtimeTests.numbers
                + [FanOutTests.number])
        var found = here.sorted()
        for (cases, _) in Self.inside { found += cases }
        for (cases, _) in Self.waiting { found += cases }
        #expect(found.sorted() == Array(1...157))
    }
}
