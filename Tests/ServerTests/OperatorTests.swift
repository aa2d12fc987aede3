import HTTP
import JSON
import Testing
import Transformer

@testable import HTTP
@testable import Server

@Suite("Probes, the schema for tools, and what is for the operator alone")
struct OperatorTests {
    // MARK: - Probes

    @Test("ping, health and ready answer anybody")
    func probes() async throws {
        try await TestServer.with(mode: .serve) { server in
            let client = try server.connect()
            for (path, body, type) in [
                ("/ping", "healthy", "text/plain;charset=UTF-8"),
                ("/health", #"{"status":"ok"}"#, "application/json;charset=UTF-8"),
                ("/ready", #"{"status":"ready"}"#, "application/json;charset=UTF-8"),
            ] {
                let answer = try client.ask("GET", path, headers: [:])
                #expect(answer.status == 200 && answer.body == body && answer["Content-Type"] == [type])
                #expect(answer["Cache-Control"] == ["no-store"] && answer["Access-Control-Allow-Origin"] == ["*"])
            }
        }
    }

    @Test("before the API is whole the server is alive and not ready")
    func starting() async throws {
        let state = ServiceState(mode: .dev, log: Log(format: .text, level: .critical))
        let services = LoopServices(
            state: state, templates: HeaderTemplates(CORS(), RequestSourcePolicy(Configuration())))
        let server = HTTPServer(responder: Routes(loopServices: [services]))
        let client = try Client(port: try server.listen(host: "127.0.0.1", port: 0))
        let local = ["Host": "localhost"]
        for (method, path, status) in [
            ("GET", "/health", 200), ("GET", "/ping", 200), ("GET", "/ready", 503), ("POST", "/graphql", 503),
            ("GET", "/schema.json", 503), ("GET", "/api-config", 503), ("DELETE", "/clear-data", 503),
            ("GET", "/metrics", 200), ("POST", "/", 503), ("GET", "/login", 503), ("POST", "/oauth2/token", 503),
            ("GET", "/us-east-1_a/.well-known/jwks.json", 503),
            ("GET", "/us-east-1_a/.well-known/openid-configuration", 503),
        ] {
            let answer = try client.ask(method, path, headers: local)
            #expect(answer.status == status, "\(path)")
            #expect(answer["x-amzn-ErrorType"] == (status == 503 ? ["ServiceUnavailableException"] : []))
        }
        await server.shutdown(drainSeconds: 1)
    }

    @Test("a server that is to end is alive and no longer ready")
    func ending() async throws {
        let state = ServiceState(mode: .dev, log: Log(format: .text, level: .critical))
        let services = LoopServices(
            state: state, templates: HeaderTemplates(CORS(), RequestSourcePolicy(Configuration())))
        let server = HTTPServer(responder: Routes(loopServices: [services]))
        let client = try Client(port: try server.listen(host: "127.0.0.1", port: 0))
        state.end()
        let ready = try client.ask("GET", "/ready", headers: [:])
        #expect(ready.status == 503 && ready.body.contains("The server is ending."))
        #expect(try client.ask("GET", "/health", headers: [:]).status == 200)
        await server.shutdown(drainSeconds: 1)

        var stopped: Server.Service?
        try await TestServer.with { stopped = $0.service }
        #expect(stopped?.state.isEnding == true)
    }

    // MARK: - The schema

    @Test("the schema is served as text and as introspection, to callers with the key and to programs of this machine")
    func schema() async throws {
        try await TestServer.with(mode: .serve) { server in
            let client = try server.connect()
            let text = try client.ask("GET", "/schema.graphql", headers: ["Host": "localhost"])
            #expect(text.body.hasPrefix("type User {\n  id: ID!\n") && text.body.contains("type Query {"))
            #expect(text["Content-Type"] == ["text/plain;charset=UTF-8"])
            let json = try client.ask("GET", "/schema.json", headers: ["x-api-key": TestServer.key])
            let schema = try JSONReader.read(json.bytes)["data"]?["__schema"]
            #expect(schema?["queryType"]?["name"] == "Query")
            let names = schema?["types"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
            #expect(Set(names).isSuperset(of: ["User", "Message", "AWSDateTime", "AWSJSON", "__Schema"]))
            #expect(json["Content-Type"] == ["application/json;charset=UTF-8"])
            #expect(json["Access-Control-Allow-Origin"] == ["*"])
            for path in ["/schema.graphql", "/schema.json"] {
                #expect(try client.ask("GET", path, headers: ["Host": "test"]).status == 403)
                let wrong = ["Host": "test", "x-api-key": "da2-wrong"]
                #expect(try client.ask("GET", path, headers: wrong).status == 401)
                let right = ["Host": "test", "x-api-key": TestServer.key]
                #expect(try client.ask("GET", path, headers: right).status == 200)
            }
        }
    }

    @Test("with introspection off, no caller gets the schema")
    func introspectionOff() async throws {
        try await TestServer.with({ $0.allowsIntrospection = false }) { server in
            let client = try server.connect()
            for path in ["/schema.graphql", "/schema.json"] {
                let answer = try client.ask("GET", path, headers: ["Host": "localhost"])
                #expect(
                    answer.status == 403 && answer.body.contains("Introspection is disabled (introspectionConfig)."))
            }
        }
    }

    // MARK: - The operator

    /// Headers, and whether they come from this machine's own programs.
    static let callers: [(headers: [String: String], status: Int)] = [
        (["Host": "localhost"], 200), (["Host": "LOCALHOST:20002"], 200), (["Host": "127.0.0.1:1"], 200),
        (["Host": "[::1]:80"], 200), (["Host": "localhost."], 200), (["Host": "app.localhost:80"], 200),
        (["Host": "[::1]evil.example"], 403), (["Host": "[::1]evil.example:80"], 403), (["Host": "[::1]]"], 403),
        (["Host": "[::1].evil.example"], 403), (["Host": "[::1"], 403), (["Host": "::1"], 403),
        (["Host": "127.evil.example"], 403), (["Host": "localhost:80:80"], 403), (["Host": "localhost:evil"], 403),
        (["Host": "test"], 403), (["Host": "localhost.evil.example"], 403),
        (["Host": "127.0.0.1.evil.example"], 403), (["Host": "evil.example:20002"], 403), (["Host": ""], 403),
        (["Host": "localhost:1", "Origin": "http://localhost:1"], 200),
        (["Host": "localhost:1", "Origin": "https://LocalHost:1"], 200),
        (["Host": "localhost:1", "Origin": "http://localhost:3000"], 403),
        (["Host": "localhost:1", "Origin": "http://evil.example"], 403),
        (["Host": "localhost:1", "Origin": "null"], 403),
        (["Host": "localhost:1", "Sec-Fetch-Site": "none"], 200),
        (["Host": "localhost:1", "Sec-Fetch-Site": "same-origin"], 200),
        (["Host": "localhost:1", "Sec-Fetch-Site": "same-site"], 403),
        (["Host": "localhost:1", "Sec-Fetch-Site": "cross-site"], 403),
        (["Host": "localhost:1", "X-Forwarded-For": "192.0.2.1"], 403),
        (["Host": "localhost:1", "Forwarded": "for=192.0.2.1"], 403),
        (["Host": "localhost:1", "X-Forwarded-Proto": "https"], 403),
        (["Host": "localhost:1", "x-forwarded-host": "api.example"], 403),
        (["Host": "localhost:1", "X-Real-IP": "192.0.2.1"], 403), (["Host": "localhost:1", "Via": "1.1 proxy"], 403),
        (["Host": "localhost:1", "CF-Connecting-IP": "192.0.2.1"], 403),
        (["Host": "localhost:1", "CF-Ray": "230b030023ae2822-SJC"], 403),
        (["Host": "localhost:1", "True-Client-IP": "192.0.2.1"], 403),
        (["Host": "localhost:1", "Tailscale-User-Login": "a@b.example"], 403),
        (["Host": "localhost:1", "X-Original-Forwarded-For": "192.0.2.1"], 403),
        (["Host": "localhost:1", "X-Http-Forwarded-For": "192.0.2.1"], 403),
        (["Host": "localhost:1", "X-Originating-IP": "192.0.2.1"], 403),
        (["Host": "localhost:1", "X-Remote-Addr": "192.0.2.1"], 403),
        (["Host": "localhost:1", "X-Sucuri-ClientIP": "192.0.2.1"], 403),
        (["Host": "localhost:1", "Incap-Client-IP": "192.0.2.1"], 403),
        (["Host": "localhost:1", "X-Scheme": "https"], 403), (["Host": "localhost:1", "Front-End-Https": "on"], 403),
        (["Host": "localhost:1", "X-ARR-SSL": "2048|256"], 403), (["Host": "localhost:1", "X-Varnish": "1"], 403),
        (["Host": "localhost:1", "X-Amzn-Trace-Id": "Root=1-67891233-abcdef012345678912345678"], 403),
        (["Host": "localhost:1", "X-Cloud-Trace-Context": "105445aa7843bc8bf206b12000100000/1"], 403),
        (["Host": "evil.example", "x-api-key": TestServer.key], 403),
        (["Host": "evil.example", "Origin": "http://evil.example", "x-api-key": TestServer.key], 403),
        (["Host": "localhost:1", "Origin": "http://evil.example", "x-api-key": TestServer.key], 403),
        (["Host": "localhost:1", "Authorization": "Basic eDp5"], 200),
        (["Host": "localhost:1", "Authorization": "Bearer syncline_op_wrong"], 401),
        (["Host": "evil.example", "Authorization": "Bearer"], 403),
    ]

    @Test("in dev a program of this machine, no web page, no proxy and no API key: three paths, the same rule")
    func callers() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            for (method, path) in [("GET", "/api-config"), ("GET", "/metrics"), ("DELETE", "/clear-data")] {
                for (headers, status) in Self.callers {
                    let answer = try client.ask(method, path, headers: headers)
                    #expect(answer.status == status, "\(path) \(headers): \(answer.body)")
                    #expect(answer["x-amzn-RequestId"].count == 1)
                    let names = answer.headers.map { $0.name.lowercased() }
                    #expect(!names.contains { $0.hasPrefix("access-control-") }, "\(path) \(headers)")
                }
                let preflight = try client.ask(
                    "OPTIONS", path,
                    headers: ["Origin": "http://evil.example", "Access-Control-Request-Method": method])
                #expect(preflight["Allow"].first?.contains(method) == true)
                #expect(!preflight.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
            }
            try client.send("GET /api-config HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(try client.receive().status == 403, "without a Host nobody knows whom the caller meant")
        }
    }

    @Test("a peer elsewhere is no program of this machine, whatever Host it sends", arguments: [true, false])
    func peer(isLoopback: Bool) throws {
        var parser = RequestParser(limits: HTTPLimits(), peer: Peer(isLoopback: isLoopback))
        unsafe Array("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8).withUnsafeBytes {
            unsafe parser.append($0)
        }
        guard case .request = parser.next() else {
            Issue.record("the request is whole")
            return
        }
        #expect(parser.takeRequest().isLocal == isLoopback)
    }

    @Test("api-config is what Amplify's mock reports, without a key that was configured")
    func apiConfig() async throws {
        let rows: [(keys: [String], member: String)] = [
            ([], #""apiKey":"da2-fakeApiId123456","#), (["da2-one", "da2-two"], ""),
            (["da2-one", TestServer.key], #""apiKey":"da2-fakeApiId123456","#),
        ]
        for (keys, member) in rows {
            try await TestServer.with({ $0.apiKeys.configured = keys }) { server in
                let answer = try server.connect().ask("GET", "/api-config", headers: ["Host": "localhost"])
                #expect(
                    answer.body
                        == #"{"name":"syncline","defaultAuthenticationType":{"authenticationType":"API_KEY"},"#
                        + #"\#(member)"additionalAuthenticationProviders":[]}"#)
            }
        }
    }

    @Test("api-config names the modes of the API, and no key where API_KEY is none of them")
    func apiConfigOfModes() async throws {
        let users = #"{"authenticationType":"AMAZON_COGNITO_USER_POOLS"}"#
        let rows: [(modes: [TransformOptions.AuthMode], body: String)] = [
            (
                [.userPools],
                #"{"name":"syncline","defaultAuthenticationType":\#(users),"additionalAuthenticationProviders":[]}"#
            ),
            (
                [.userPools, .apiKey],
                #"{"name":"syncline","defaultAuthenticationType":\#(users),"apiKey":"da2-fakeApiId123456","#
                    + #""additionalAuthenticationProviders":[{"authenticationType":"API_KEY"}]}"#
            ),
        ]
        for (modes, body) in rows {
            try await TestServer.with({ $0.authModes = modes }) { server in
                let answer = try server.connect().ask("GET", "/api-config", headers: ["Host": "localhost"])
                #expect(answer.body == body)
            }
        }
    }

    static let seats = """
        type Seat @model @key(fields: ["hall", "row", "place"]) { hall: ID! row: Int! place: String! guest: String }
        type Hall @model { id: ID! name: String }
        """

    @Test("clear-data deletes all items of all models, also those with composite keys")
    func clearData() async throws {
        try await TestServer.with(schema: Self.seats) { server in
            let client = try server.connect()
            for row in 1...3 {
                _ = try client.graphql(
                    #"mutation { createSeat(input: {hall: "h", row: \#(row), place: "a"}) { row } }"#)
            }
            _ = try client.graphql(#"mutation { createHall(input: {id: "h"}) { id } }"#)
            let all = "{ listSeats { items { row } } listHalls { items { id } } }"
            #expect(try client.graphql(all).contains(#"{"row":3}"#))
            let answer = try client.ask("DELETE", "/clear-data", headers: ["Host": "localhost"])
            #expect(
                answer.body
                    == #"{"message":"Successfully deleted [\"Seat\",\"Hall\"] tables","tables":["Seat","Hall"],"#
                    + #""objects":0,"uploads":0,"cleared":["tables","objects","uploads","objectEvents"],"kept":["users","events"]}"#
            )
            #expect(try client.graphql(all) == #"{"data":{"listSeats":{"items":[]},"listHalls":{"items":[]}}}"#)
            #expect(try client.ask("GET", "/clear-data", headers: ["Host": "localhost"]).status == 405)
        }
    }

    @Test("clear-data is not there for callers of 'syncline serve'")
    func clearDataServed() async throws {
        try await TestServer.with(mode: .serve) { server in
            let client = try server.connect()
            _ = try client.graphql(#"mutation { createUser(input: {id: "a", username: "A"}) { id } }"#)
            let headers = ["Host": "localhost", "x-api-key": TestServer.key]
            #expect(try client.ask("DELETE", "/clear-data", headers: headers).status == 404)
            #expect(try client.graphql(#"{ getUser(id: "a") { id } }"#) == #"{"data":{"getUser":{"id":"a"}}}"#)
        }
    }
}
