import Codegen
import Encodings
import JSON
import Testing

@testable import Server

@Suite("The operators' API by TCP: who reaches it, and from which pages")
struct ConsoleAccessTests {
    private static let path = "/operators/v1/operators"

    private func bearer(_ token: String, _ more: [String: String] = [:]) -> [String: String] {
        ["Authorization": "Bearer \(token)"].merging(more) { $1 }
    }

    @Test("in serve the paths are not there unless 'console' is enabled, but for those of clients' files")
    func serve() async throws {
        try await TestServer.withDataFolder(mode: .serve) { server, client in
            let token = try Operators.create("ada", role: .owner, of: server.configuration)
            for path in [Self.path, "/operators/v1/audit", "/operators/v1/nothing"] {
                let answer = try client.ask("GET", path, headers: bearer(token))
                #expect(answer.status == 404 && answer["x-amzn-ErrorType"] == ["UnknownOperationException"])
            }
            #expect(try client.ask("POST", Self.path, headers: bearer(token), body: "{}").status == 404)
            #expect(try client.ask("GET", "/operators/v1/connect", headers: bearer(token)).status == 200)
        }
        try await TestServer.withDataFolder(mode: .serve) {
            $0.console.isEnabled = true
        } _: { server, client in
            let token = try Operators.create("ada", role: .owner, of: server.configuration)
            #expect(try client.ask("GET", Self.path, headers: bearer(token)).status == 200)
            #expect(try client.ask("GET", Self.path, headers: ["Host": "localhost"]).status == 401)
        }
        try await TestServer.withDataFolder {
            $0.console.isEnabled = false
        } _: { server, client in
            let token = try Operators.create("ada", role: .owner, of: server.configuration)
            #expect(try client.ask("GET", Self.path, headers: bearer(token)).status == 404)
        }
    }

    @Test("a token may do what its role may, with the errors of the API, and what it does is in the audit log")
    func roles() async throws {
        try await TestServer.withDataFolder { server, client in
            let tokens = try OperatorRole.allCases.map { role in
                (role, try Operators.create(role.rawValue, role: role, of: server.configuration))
            }
            for (role, token) in tokens {
                for route in OperatorRoute.table where route.method == "GET" {
                    let target = route.path.replacing("{name}", with: "aws-exports.js").replacing(
                        "{report}", with: "events")
                    let answer = try client.ask("GET", target, headers: bearer(token))
                    #expect(
                        (answer.status == 403) == (role < route.role ?? .viewer), "\(role) \(target): \(answer.body)")
                    guard answer.status == 403 else { continue }
                    let error = try JSONReader.read(answer.body)["error"]
                    #expect(error?["code"] == "forbidden" && error?["requestId"]?.stringValue?.count == 36)
                }
            }
            let owner = tokens[2].1
            let unsigned = try client.ask("GET", Self.path, headers: [:])
            #expect(unsigned.status == 401 && unsigned["WWW-Authenticate"] == ["Bearer"])
            #expect(try client.ask("GET", Self.path, headers: bearer(owner + "x")).status == 401)
            #expect(try client.ask("GET", Self.path, headers: ["x-api-key": TestServer.key]).status == 401)
            #expect(try client.ask("GET", "/operators/v1/nothing", headers: bearer(owner)).status == 404)
            #expect(try client.ask("PUT", Self.path, headers: bearer(owner)).status == 404)
            #expect(try client.ask("POST", Self.path, headers: bearer(owner), body: "[]").status == 422)
            let made = try client.ask(
                "POST", Self.path, headers: bearer(owner), body: #"{"name":"ben","role":"viewer"}"#)
            #expect(made.status == 201)
            let audit = try client.ask("GET", "/operators/v1/audit", headers: bearer(owner))
            let entry = try JSONReader.read(audit.body)["items"]?.arrayValue?.last
            #expect(entry?["operator"] == "owner" && entry?["role"] == "owner" && entry?["address"] == "127.0.0.1")
            #expect(entry?["action"] == "operators.create" && entry?["target"] == "ben (viewer)")
            let head = try client.ask("HEAD", Self.path, headers: bearer(owner))
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    /// Headers beside a token, and the status in `dev`.
    static let sources: [(headers: [String: String], status: Int)] = [
        (["Host": "localhost:1"], 200), (["Host": "127.0.0.1"], 200), (["Host": "[::1]:1"], 200),
        (["Host": "app.localhost"], 200), (["Host": "evil.example"], 421), (["Host": "127.0.0.1.evil.example"], 421),
        (["Host": "192.168.1.20:20002"], 421), (["Host": ""], 421), (["Host": "console.test"], 421),
        (["Host": "localhost:1", "Origin": "http://localhost:1"], 200),
        (["Host": "LocalHost:1", "Origin": "http://localhost:1"], 200),
        (["Host": "localhost:1", "Origin": "https://localhost:1"], 403),
        (["Host": "localhost:1", "Origin": "http://localhost:3000"], 403),
        (["Host": "localhost:1", "Origin": "http://127.0.0.1:1"], 403),
        (["Host": "localhost:1", "Origin": "null"], 403),
        (["Host": "localhost:1", "Origin": "http://evil.example"], 403),
        (["Host": "evil.example", "Origin": "http://evil.example"], 421),
        (["Host": "localhost:1", "Sec-Fetch-Site": "same-origin"], 200),
        (["Host": "localhost:1", "Sec-Fetch-Site": "none"], 200),
        (["Host": "localhost:1", "Sec-Fetch-Site": "same-site"], 403),
        (["Host": "localhost:1", "Sec-Fetch-Site": "cross-site"], 403),
        (["Host": "localhost:1", "Forwarded": "for=127.0.0.1"], 404),
        (["Host": "localhost:1", "X-Forwarded-For": "127.0.0.1"], 404),
        (["Host": "localhost:1", "X-Forwarded-Proto": "https"], 404),
        (["Host": "localhost:1", "Via": "1.1 proxy"], 404),
    ]

    @Test(
        "Host, Origin and Sec-Fetch-Site are checked, what was forwarded is not of this machine, and CORS allows nothing"
    )
    func sources() async throws {
        try await TestServer.withDataFolder { server, client in
            let token = try Operators.create("zoe", role: .owner, of: server.configuration)
            for (headers, status) in Self.sources {
                let answer = try client.ask("GET", Self.path, headers: bearer(token, headers))
                #expect(answer.status == status, "\(headers): \(answer.body)")
                #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("access-control-") }, "\(headers)")
                // A name that no id of a request has.
                guard status != 200 else { continue }
                #expect(!answer.body.contains("zoe"))
            }
            let typed = bearer(token, ["Host": "localhost", "Sec-Fetch-Site": "none"])
            #expect(try client.ask("POST", Self.path, headers: typed, body: "{}").status == 403, "no page is at work")
            let preflight = try client.ask(
                "OPTIONS", Self.path,
                headers: ["Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST"])
            #expect(!preflight.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
            for (method, path, status) in [
                ("OPTIONS", Self.path, 200), ("OPTIONS", "/console/", 200), ("DELETE", "/console/", 405),
            ] {
                for (headers, expected) in [
                    (["Host": "evil.example"], 421), (["Host": "localhost:1", "Origin": "http://localhost:3000"], 403),
                    (["Host": "localhost:1", "Forwarded": "for=127.0.0.1"], 404), (["Host": "localhost:1"], status),
                ] {
                    let answer = try client.ask(method, path, headers: headers)
                    #expect(answer.status == expected, "\(method) \(path) \(headers): \(answer.body)")
                }
            }
        }
    }

    @Test("a name in console.hosts is the console's, of a request that a trusted proxy forwards as well")
    func hosts() async throws {
        try await TestServer.withDataFolder(mode: .serve) {
            $0.console.isEnabled = true
            $0.console.hosts = ["console.test", "*.ops.test"]
            $0.trustedProxies = .trusting("127.0.0.1")
        } _: { server, client in
            let token = try Operators.create("ada", role: .owner, of: server.configuration)
            let forwarded = ["X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"]
            for (headers, status) in [
                (["Host": "console.test"], 200), (["Host": "a.ops.test:443"], 200), (["Host": "ops.test"], 421),
                (["Host": "console.test", "Origin": "http://console.test"], 200),
                (["Host": "console.test", "Origin": "https://console.test"], 403),
                (forwarded.merging(["Host": "console.test", "Origin": "https://console.test"]) { $1 }, 200),
                (forwarded.merging(["Host": "console.test", "Origin": "http://console.test"]) { $1 }, 403),
            ] {
                let answer = try client.ask("GET", Self.path, headers: bearer(token, headers))
                #expect(answer.status == status, "\(headers): \(answer.body)")
            }
        }
    }

    @Test("a console that other machines could reach in clear text is refused at the start, with the remedy")
    func clearText() throws {
        func code(_ mode: Service.Mode, _ change: (inout Configuration) -> Void) -> ServerError.Code? {
            var configuration = Configuration()
            configuration.address.host = "0.0.0.0"
            change(&configuration)
            do throws(ServerError) {
                try configuration.console.check(for: mode, configuration.address, configuration.tls)
                return nil
            } catch {
                #expect(error.text.contains("--tls-only") || error.code == .usage)
                return error.code
            }
        }
        #expect(ServerError.Code.address.rawValue == 4)
        for mode in [Service.Mode.dev, .serve] {
            #expect(code(mode) { $0.console.isEnabled = true } == .address)
            #expect(code(mode) { _ in } == nil, "nobody elsewhere reaches it")
            #expect(
                code(mode) {
                    ($0.console.isEnabled, $0.address.host) = (true, "127.0.0.1")
                } == nil)
            #expect(
                code(mode) {
                    ($0.console.isEnabled, $0.tls.isRequired, $0.console.hosts) = (true, true, ["console.test"])
                } == nil)
            #expect(
                code(mode) { ($0.console.isEnabled, $0.tls.isRequired) = (true, true) } == .usage, "no name is known")
        }
        #expect(code(.dev) { $0.console.hosts = ["console.test"] } == .address)
    }
}
