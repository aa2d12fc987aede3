import HTTP
import Synchronization
import Testing

@testable import Server

@Suite("Host and Origin")
struct OriginTests {
    /// Headers, and whether a request with them is accepted while the key is the default one.
    static let rows: [(headers: [String: String], isAccepted: Bool)] = [
        // The server's own names.
        (["Host": "127.0.0.1:20002"], true), (["Host": "127.0.0.1"], true), (["Host": "localhost:1"], true),
        (["Host": "LOCALHOST"], true), (["Host": "localhost."], true), (["Host": "app.localhost:8080"], true),
        (["Host": "[::1]:20002"], true), (["Host": "[fe80::1]"], true), (["Host": "192.168.1.20:20002"], true),
        (["Host": "203.0.113.9"], true), (["Host": "10.0.2.2:20002"], true), (["Host": "127.1"], true),
        (["Host": CertificateNames.machine], true), (["Host": "\(CertificateNames.machine).local:1"], true),
        (["Host": "tls.example.test"], true), (["Host": "API.example.test:443"], true),
        (["Host": "a.wild.example.test"], true), (["Host": "a.b.wild.example.test"], false),
        (["Host": "wild.example.test"], false), (["Host": ".wild.example.test"], false),
        // Names that anybody may have resolve to this machine.
        (["Host": "evil.example:20002"], false), (["Host": "127.0.0.1.evil.example"], false),
        (["Host": "localhost.evil.example"], false), (["Host": "evillocalhost"], false),
        (["Host": "localhost1"], false),
        (["Host": "127.0.0.1x"], false), (["Host": "[evil]"], false), (["Host": "[::1]evil.example"], false),
        (["Host": "[::1]:80:80"], false), (["Host": "[::1].evil.example"], false), (["Host": "[]"], false),
        (["Host": ""], false), (["Host": ":80"], false),
        (["Host": "localhost:80:80"], false), (["Host": "api.example.test.evil.example"], false),
        // Pages.
        (["Origin": "http://localhost:3000"], true), (["Origin": "https://LocalHost"], true),
        (["Origin": "capacitor://localhost"], true), (["Origin": "ionic://localhost"], true),
        (["Origin": "http://127.0.0.1:3000"], true), (["Origin": "http://127.9.9.9"], true),
        (["Origin": "http://[::1]:5173"], true), (["Origin": "http://tauri.localhost"], true),
        (["Origin": "https://app.example.test"], true), (["Origin": "https://app.example.test:8443"], false),
        (["Origin": "http://app.example.test"], false),
        (["Origin": "null"], false), (["Origin": ""], false), (["Origin": "*"], false),
        (["Origin": "https://evil.example"], false), (["Origin": "http://localhost.evil.example"], false),
        (["Origin": "http://localhost@evil.example"], false), (["Origin": "http://localhost:80@evil.example"], false),
        (["Origin": "http://127.0.0.1.evil.example"], false), (["Origin": "http://127.evil"], false),
        (["Origin": "http://192.168.1.20:20002"], false), (["Origin": "localhost"], false),
        (["Origin": "://localhost"], false),
        (["Origin": "http://evil.example/localhost"], false), (["Origin": "http:localhost"], false),
        (["Origin": "http://evil.example/.localhost"], false), (["Origin": "http://evil.example#.localhost"], false),
        (["Origin": "http://evil.example?.localhost"], false), (["Origin": "http://evil.example:80.localhost"], false),
        (["Host": "evil.example:.localhost"], false),
        (["Host": "evil.example", "Origin": "http://localhost:3000"], false),
        (["Host": "evil.example:80", "Origin": "http://evil.example:80"], false),
    ]

    private func configure(_ configuration: inout Configuration) {
        configuration.address.names = ["api.example.test", "*.wild.example.test"]
        configuration.tls.hosts = ["TLS.example.test"]
        configuration.cors.origins = ["*", "https://app.example.test", "null"]
    }

    private func isRefused(_ answer: Client.Answer, _ headers: [String: String]) -> Bool {
        guard answer.status == 403 else { return false }
        let setting = headers["Origin"] == nil || headers["Host"] != nil ? "'hosts'" : "'cors.origins'"
        #expect(answer.body.hasPrefix(#"{"errors":[{"errorType":"AccessDeniedException","message":""#))
        #expect(answer.body.contains(setting) && answer.body.contains("--api-key"), "\(headers): \(answer.body)")
        #expect(answer["x-amzn-ErrorType"] == ["AccessDeniedException"])
        if headers["Origin"] != nil, headers["Host"] == nil {
            #expect(answer["Access-Control-Allow-Origin"].isEmpty, "\(headers)")
        }
        return true
    }

    @Test("with the default API key, requests, preflights and upgrades want a known Host and a known Origin")
    func wellKnownKey() async throws {
        try await TestServer.with(configure) { server in
            let client = try server.connect()
            for (headers, isAccepted) in Self.rows {
                var all = Client.usualHeaders.merging(headers) { $1 }
                let post = try client.ask(headers: all, body: Client.envelope("{ __typename }"))
                #expect(isRefused(post, headers) == !isAccepted, "POST \(headers): \(post.status)")
                if isAccepted { #expect(post.body == #"{"data":{"__typename":"Query"}}"#) }
                let get = try client.ask("GET", "/graphql?query={__typename}", headers: all)
                #expect(isRefused(get, headers) == !isAccepted, "GET \(headers): \(get.status)")
                all["Access-Control-Request-Headers"] = "x-api-key"
                let preflight = try client.ask("OPTIONS", headers: all)
                #expect(isRefused(preflight, headers) == !isAccepted, "OPTIONS \(headers): \(preflight.status)")
                if isAccepted, headers["Origin"] != nil {
                    let allowed = post["Access-Control-Allow-Origin"]
                    #expect(allowed == ["*"] || allowed == [headers["Origin"]], "\(headers)")
                    #expect(preflight["Access-Control-Allow-Origin"] == allowed)
                }
                for path in ["/graphql", "/graphql/realtime"] {
                    let upgrade = WebSocketClient.appSync.merging(headers) { $1 }
                    let socket = try WebSocketClient(port: server.port, path, headers: upgrade)
                    #expect(isRefused(socket.answer, headers) == !isAccepted, "\(path) \(headers)")
                    #expect((socket.answer.status == 101) == isAccepted, "\(path) \(headers): \(socket.answer.status)")
                }
                let plain = try client.ask("GET", "/graphql/realtime", headers: headers)
                #expect(plain.status == (isAccepted ? 426 : 403))
            }
            // A page cannot leave the Host out; a program of HTTP/1.0 can, and must not.
            try client.send("GET /graphql?query={__typename} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(try client.receive().status == 403)
        }
    }

    @Test("with a key of one's own, any Host and any Origin will do, as at AppSync; cors.origins counts on upgrades")
    func ownKey() async throws {
        let key = "da2-own"
        let headers = ["x-api-key": key, "content-type": "application/json", "Host": "anything.example"]
        func expect(_ origins: [String], _ rows: [(origin: String, status: Int, allowed: [String])]) async throws {
            try await TestServer.with {
                $0.apiKeys.configured = [key]
                $0.cors.origins = origins
            } _: { server in
                let client = try server.connect()
                for (origin, status, allowed) in rows {
                    let all = headers.merging(["Origin": origin]) { $1 }
                    let answer = try client.ask(headers: all, body: Client.envelope("{ __typename }"))
                    #expect(answer.status == 200 && answer["Access-Control-Allow-Origin"] == allowed, "\(origin)")
                    for path in ["/graphql", "/graphql/realtime"] {
                        let socket = try WebSocketClient(port: server.port, path, headers: all)
                        #expect(socket.answer.status == status, "\(origins) \(origin)")
                        if status == 403 {
                            #expect(socket.answer.body.contains("cors.origins"))
                            #expect(socket.answer["x-amzn-ErrorType"] == ["AccessDeniedException"])
                        }
                    }
                }
                #expect(try WebSocketClient(port: server.port, headers: headers).answer.status == 101, "a program")
            }
        }
        try await expect(["*"], [("https://evil.example", 101, ["*"]), ("null", 101, ["*"])])
        try await expect(
            ["https://app.example"],
            [
                ("https://app.example", 101, ["https://app.example"]), ("https://evil.example", 403, []),
                ("null", 403, []), ("http://localhost:3000", 403, []),
            ])
    }

    @Test("cors.origins counts on upgrades with the default API key too")
    func namedOrigins() async throws {
        try await TestServer.with({ $0.cors.origins = ["https://app.example"] }) { server in
            for (origin, status) in [("https://app.example", 101), ("http://localhost:3000", 403)] {
                let headers = WebSocketClient.appSync.merging(["Origin": origin]) { $1 }
                let socket = try WebSocketClient(port: server.port, headers: headers)
                #expect(socket.answer.status == status, "\(origin)")
            }
        }
    }

    @Test(
        "each refusal has one line in the log with host and origin, the first one at warning",
        arguments: [
            LogLevel.info, .warning,
        ])
    func log(level: LogLevel) async throws {
        let lines = Mutex<[String]>([])
        let log = Log(format: .text, level: level) { line in lines.withLock { $0.append(line) } }
        try await TestServer.with(log: log) { server in
            for number in 0..<3 {
                let headers = Client.usualHeaders.merging(["Origin": "https://evil\(number).example"]) { $1 }
                let answer = try server.connect().ask(headers: headers)
                #expect(answer.status == 403)
            }
            // A line is written after its answer; the third request was answered after the second one's line.
            func refusals() -> [String] { lines.withLock { $0.filter { $0.contains("  origin=https://evil") } } }
            let count = level == .info ? 3 : 1
            try await eventually { refusals().count == count }
            #expect(refusals()[0].contains("warning ") && refusals()[0].contains("cors.origins"))
            for (number, line) in refusals().enumerated() {
                #expect(line.contains("origin=https://evil\(number).example") && line.contains("  host="), "\(line)")
                #expect(number == 0 || line.contains(" info "), "\(line)")
            }
        }
    }

    @Test("Host and Origin are escaped and cut where the answer and the log repeat them")
    func excerpts() {
        #expect(LogText.excerpt("a.example") == "a.example")
        #expect(LogText.excerpt("a\u{202E}\u{1B}[2J") == "a\\u{202e}\\u{1b}[2J")
        #expect(LogText.excerpt(String(repeating: "x", count: 20_000)) == String(repeating: "x", count: 100) + "…")
        let message = Problem.foreignHost("evil.example").message
        #expect(message.hasPrefix("Host 'evil.example' is not a name of this server. While the default API key "))
    }

    @Test("a reload with a key of one's own ends the check, and one with the default API key begins it")
    func reload() async throws {
        try await TestServer.with { server in
            let headers = ["Host": "evil.example", "x-api-key": "da2-new", "content-type": "application/json"]
            func status() throws -> Int {
                try server.connect().ask(headers: headers, body: Client.envelope("{ __typename }")).status
            }
            #expect(try status() == 403)
            var changed = server.configuration
            changed.apiKeys.configured = ["da2-new"]
            _ = try server.service.reload(changed)
            try await eventually { try status() == 200 }
            changed.apiKeys.configured = ["da2-new", APIKeys.defaultKey]
            _ = try server.service.reload(changed)
            try await eventually { try status() == 403 }
        }
    }
}
