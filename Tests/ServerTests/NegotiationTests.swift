import HTTP
import Testing

@testable import Server

@Suite("Content negotiation and GET")
struct NegotiationTests {
    static let graphQLResponse = "application/graphql-response+json; charset=utf-8"

    @Test(
        "Accept decides the form of the answer",
        arguments: [
            (nil, .appSync), ("", .appSync), ("*/*", .appSync), ("application/json", .appSync),
            ("application/json, text/javascript", .appSync), ("APPLICATION/JSON", .appSync),
            ("application/*", .appSync),
            ("text/html,application/xhtml+xml,*/*;q=0.8", .appSync),
            ("application/graphql-response+json", .graphQLResponse),
            ("application/graphql-response+json,application/json;q=0.9", .graphQLResponse),
            ("application/graphql-response+json, application/json", .graphQLResponse),
            ("application/json;charset=utf-8 ; q=0.9 , Application/GraphQL-Response+JSON ;q=0.9", .graphQLResponse),
            ("application/graphql-response+json;q=0.5, application/json", .appSync),
            ("application/graphql-response+json;q=0.5, */*", .appSync),
            ("application/graphql-response+json, */*;q=0.5", .graphQLResponse),
            ("application/json;q=0, */*", .graphQLResponse),
            ("application/graphql-response+json;q=x", .graphQLResponse),
            ("text/html", nil), ("application/json;q=0", nil), ("*/*;q=0", nil), ("text/event-stream, image/*", nil),
        ] as [(String?, AnswerForm?)])
    func accept(field: String?, form: AnswerForm?) {
        guard let field else { return unsafe #expect(AnswerForm(accept: nil) == form) }
        unsafe Array(field.utf8).withUnsafeBytes { unsafe #expect(AnswerForm(accept: $0) == form) }
    }

    /// A request by the newer media type, and its answer.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var method = "POST"
        var path = "/graphql"
        var headers: [String: String] = [:]
        var body = ""
        var status: Int
        var part: String

        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(
            name: "fine", body: Client.envelope("{ __typename }"), status: 200,
            part: #"{"data":{"__typename":"Query"}}"#),
        Case(name: "syntax", body: Client.envelope("{"), status: 400, part: "Invalid Syntax"),
        Case(name: "validation", body: Client.envelope("{ nope }"), status: 400, part: "FieldUndefined"),
        Case(
            name: "coercion", body: Client.envelope("query Q($i: ID!) { getUser(id: $i) { id } }"), status: 400,
            part: "coerced Null value"),
        Case(
            name: "no operation name", body: Client.envelope("query A {__typename} query B {__typename}"), status: 400,
            part: "Missing operation name."),
        Case(
            name: "unknown operation", body: #"{"query":"query A {__typename}","operationName":"B"}"#, status: 400,
            part: "Unknown operation named 'B'."),
        Case(
            name: "an error in an executed field",
            body: Client.envelope(#"mutation { deleteUser(input: {id: "nobody"}) { id } }"#), status: 200,
            part: #"{"data":{"deleteUser":null},"errors":["#),
        Case(name: "query is no text", body: #"{"query":42}"#, status: 400, part: "Unable to parse GraphQL query."),
        Case(name: "type of content", headers: ["content-type": "text/plain"], status: 415, part: "Content-Type"),
        Case(
            name: "no key", headers: ["x-api-key": "da2-wrong"], body: Client.envelope("{ a }"), status: 401,
            part: "call."),
        Case(name: "GET", method: "GET", path: "/graphql?query={__typename}", status: 200, part: #"{"data":"#),
        Case(
            name: "GET what is wrong", method: "GET", path: "/graphql?query={nope}", status: 400, part: "FieldUndefined"
        ),
        Case(name: "GET nothing", method: "GET", path: "/graphql", status: 400, part: "Unable to parse GraphQL query."),
        Case(
            name: "GET a mutation", method: "GET",
            path: "/graphql?query=mutation{createUser(input:{username:%22A%22}){id}}", status: 405, part: "by POST"),
    ]

    @Test("application/graphql-response+json has statuses of its own, and no data for a request error")
    func graphQLOverHTTP() async throws {
        // GraphQL over HTTP does not let a switch run a mutation by GET.
        try await TestServer.with({ $0.compatibility.allowsGetMutations = true }) { server in
            let client = try server.connect()
            for row in Self.cases {
                var headers = Client.usualHeaders.merging(row.headers) { $1 }
                headers["Accept"] = "application/graphql-response+json, application/json;q=0.9"
                let answer = try client.ask(row.method, row.path, headers: headers, body: row.body)
                #expect(answer.status == row.status && answer.body.contains(row.part), "\(row.name): \(answer.body)")
                #expect(answer["Content-Type"] == [Self.graphQLResponse], "\(row.name)")
                #expect(answer["x-amzn-ErrorType"].count == (row.status == 200 ? 0 : 1), "\(row.name)")
                #expect(answer["Allow"] == (row.status == 405 ? ["POST"] : []), "\(row.name)")
                #expect(answer.body.contains(#""data":"#) == (row.status == 200), "\(row.name): \(answer.body)")
            }
        }
    }

    @Test("a request that accepts neither type gets an error in JSON")
    func notAcceptable() async throws {
        try await TestServer.with { server in
            var headers = Client.usualHeaders
            headers["Accept"] = "text/html"
            let answer = try server.connect().ask(headers: headers, body: Client.envelope("{ __typename }"))
            #expect(answer.status == 406 && answer["x-amzn-ErrorType"] == ["NotAcceptableException"])
            #expect(answer["Content-Type"] == ["application/json;charset=UTF-8"])
        }
    }

    @Test("forceAppSyncStatus answers as AppSync does, whatever Accept says")
    func forced() async throws {
        try await TestServer.with({ $0.compatibility.forcesAppSyncStatus = true }) { server in
            let client = try server.connect()
            for accept in ["application/graphql-response+json", "text/html", "*/*"] {
                var headers = Client.usualHeaders
                headers["Accept"] = accept
                let answer = try client.ask(headers: headers, body: Client.envelope("{ nope }"))
                #expect(answer.status == 200 && answer.body.hasPrefix(#"{"data":null,"errors":["#))
                #expect(answer["Content-Type"] == ["application/json;charset=UTF-8"])
            }
        }
    }

    @Test("GET takes query, variables and operationName; no cache keeps the answer; HEAD leaves the body out")
    func get() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            _ = try client.graphql(#"mutation { createUser(input: {id: "a", username: "Ada L"}) { id } }"#)
            let path =
                "/graphql?query=query+A($n:ID!){getUser(id:$n){username}}query%20B{__typename}"
                + "&variables=%7B%22n%22:%22a%22%7D&operationName=A&extensions=%7B%7D"
            let answer = try client.ask("GET", path, headers: ["x-api-key": TestServer.key])
            #expect(answer.body == #"{"data":{"getUser":{"username":"Ada L"}}}"#)
            #expect(answer["Cache-Control"] == ["no-store"])
            let head = try client.ask("HEAD", path, headers: ["x-api-key": TestServer.key])
            #expect(head.status == 200 && head["Content-Length"] == ["\(answer.bytes.count)"])
            #expect(try client.ask("GET", "/health", headers: [:]).status == 200, "nothing is left of the HEAD")
        }
    }

    @Test("a mutation by GET is refused, and run where the configuration says so", arguments: [false, true])
    func getMutation(isAllowed: Bool) async throws {
        try await TestServer.with({ $0.compatibility.allowsGetMutations = isAllowed }) { server in
            let client = try server.connect()
            let answer = try client.ask(
                "GET", "/graphql?query=mutation{createUser(input:{id:%22a%22,username:%22A%22}){id}}",
                headers: ["x-api-key": TestServer.key])
            #expect(answer.status == (isAllowed ? 200 : 405))
            #expect(answer["Allow"] == (isAllowed ? [] : ["POST"]))
            let users = try client.graphql("{ listUsers { items { id } } }")
            #expect(users == #"{"data":{"listUsers":{"items":[\#(isAllowed ? #"{"id":"a"}"# : "")]}}}"#)
        }
    }
}
