import Foundation
import Synchronization
import Testing

@testable import Server

@Suite("Operators and their tokens")
struct OperatorTokenTests {
    /// A server with data in a folder of its own.
    private func with(
        mode: Service.Mode = .serve, log: Log = Log(format: .text, level: .critical),
        _ body: (TestServer, Client) async throws -> Void
    ) async throws {
        try await TestServer.withDataFolder(mode: mode, log: log, { _ in }, body)
    }

    private func bearer(_ token: String, _ more: [String: String] = [:]) -> [String: String] {
        ["Authorization": "Bearer \(token)"].merging(more) { $1 }
    }

    static let paths = ["/metrics", "/api-config"]

    @Test("in serve the operators' paths want a token, also of programs on this machine; no API key opens them")
    func serve() async throws {
        try await with { server, client in
            let token = try Operators.create("ada", role: .viewer, of: server.configuration)
            for path in Self.paths {
                for headers in [
                    [:], ["Host": "localhost"], ["x-api-key": TestServer.key], bearer(TestServer.key), bearer(""),
                    bearer(String(token.dropLast())), bearer(token + "x"), ["Authorization": token],
                    ["Authorization": "Basic \(token)"], bearer(token.uppercased()),
                ] {
                    let answer = try client.ask("GET", path, headers: headers)
                    #expect(answer.status == 401, "\(path) \(headers)")
                    #expect(answer["WWW-Authenticate"] == ["Bearer"])
                    #expect(answer["x-amzn-ErrorType"] == ["UnauthorizedException"])
                    #expect(!answer.body.contains(token))
                }
                // A token is good from everywhere; "Bearer" is written as one likes.
                for headers in [
                    bearer(token), ["authorization": "bearer \(token)"],
                    bearer(token, ["Host": "api.example", "X-Forwarded-For": "192.0.2.1"]),
                ] {
                    let answer = try client.ask("GET", path, headers: headers)
                    #expect(answer.status == 200, "\(path) \(headers): \(answer.body)")
                    #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
                }
            }
            let cleared = try client.ask("DELETE", "/clear-data", headers: bearer(token))
            #expect(cleared.status == 404, "only dev has it")
        }
    }

    @Test("a new token is accepted and a revoked one refused by a server that runs")
    func revoke() async throws {
        try await with { server, client in
            func status(_ token: String) throws -> Int {
                try client.ask("GET", "/metrics", headers: bearer(token)).status
            }
            let (ada, ben) = (
                try Operators.create("ada", role: .owner, of: server.configuration),
                try Operators.create("ben", role: .viewer, of: server.configuration)
            )
            #expect(try status(ada) == 200)
            #expect(try status(ben) == 200)
            try Operators.revoke("ada", of: server.configuration)
            #expect(try status(ada) == 401)
            #expect(try status(ben) == 200)
            let again = try Operators.create("ada", role: .owner, of: server.configuration)
            #expect(again != ada)
            #expect(try status(ada) == 401)
            #expect(try status(again) == 200)
        }
    }

    @Test("in dev a token opens from elsewhere what its role may do")
    func roles() async throws {
        try await with(mode: .dev) { server, client in
            for (role, isAllowed) in [(OperatorRole.viewer, false), (.editor, true), (.owner, true)] {
                let token = try Operators.create(role.rawValue, role: role, of: server.configuration)
                let headers = bearer(token, ["Host": "api.example"])
                #expect(try client.ask("GET", "/metrics", headers: headers).status == 200)
                let cleared = try client.ask("DELETE", "/clear-data", headers: headers)
                #expect(cleared.status == (isAllowed ? 200 : 403), "\(role)")
                #expect(cleared.body.contains("needs the operator role editor") == !isAllowed)
            }
        }
    }

    @Test("tokens are kept as hashes, in a file for the server's user alone, whatever its mode was")
    func storage() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let file = OperatorFile(folder: configuration.data.folder).path
        #expect(try Operators.list(of: configuration).isEmpty && folder.names.isEmpty)
        let tokens = try OperatorRole.allCases.map {
            try Operators.create($0.rawValue, role: $0, of: configuration)
        }
        #expect(Set(tokens).count == 3 && tokens.allSatisfy { $0.hasPrefix("syncline_op_") && $0.utf8.count == 55 })
        let text = String(decoding: try Files.read(file), as: UTF8.self)
        for token in tokens { #expect(!text.contains(token.dropFirst(12))) }
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(file) == 0o600)
        #expect(try mode(configuration.data.folder) == 0o700)
        #expect(folder.names.contains("data/.gitignore"))
        let listed = try Operators.list(of: configuration)
        #expect(listed.map(\.name) == ["viewer", "editor", "owner"] && listed.map(\.role) == OperatorRole.allCases)

        for name in ["", "a b", "ä", "a/b", String(repeating: "a", count: 65)] {
            let error = #expect(throws: ServerError.self) {
                try Operators.create(name, role: .viewer, of: configuration)
            }
            #expect(error?.code == .usage)
        }
        let taken = #expect(throws: ServerError.self) {
            try Operators.create("owner", role: .viewer, of: configuration)
        }
        #expect(taken?.code == .refused)
        let unknown = #expect(throws: ServerError.self) { try Operators.revoke("nobody", of: configuration) }
        #expect(unknown?.code == .usage)
        #expect(try Operators.list(of: configuration) == listed)
        configuration.data.isEphemeral = true
        #expect(throws: ServerError.self) { try Operators.create("x", role: .viewer, of: configuration) }
    }

    @Test("operators that are created at the same time are all kept")
    func concurrent() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let shared = configuration
        try await withThrowingTaskGroup { group in
            for number in 0..<16 {
                group.addTask { _ = try Operators.create("p\(number)", role: .viewer, of: shared) }
            }
            try await group.waitForAll()
        }
        #expect(Set(try Operators.list(of: configuration).map(\.name)) == Set((0..<16).map { "p\($0)" }))
    }

    @Test("a damaged file admits no operator, and the log says so")
    func damaged() async throws {
        let lines = Mutex<[String]>([])
        let log = Log(format: .text, level: .error) { line in lines.withLock { $0.append(line) } }
        try await with(log: log) { server, client in
            let token = try Operators.create("ada", role: .owner, of: server.configuration)
            #expect(try client.ask("GET", "/metrics", headers: bearer(token)).status == 200)
            try Files.write(
                #"{"operators": [{"name": "ada"}]}"#, to: "\(server.configuration.data.folder)/operators.json")
            #expect(try client.ask("GET", "/metrics", headers: bearer(token)).status == 401)
            #expect(lines.withLock { $0.contains { $0.contains("operators.json is damaged") } })
            #expect(throws: ServerError.self) { try Operators.list(of: server.configuration) }
        }
    }

    // The limit includes the wait for a place among the other servers.
    @Test("a named pipe in the place of the file admits no operator, and blocks no request", .timeLimit(.minutes(10)))
    func namedPipe() async throws {
        try await with { server, client in
            let token = try Operators.create("ada", role: .owner, of: server.configuration)
            let path = "\(server.configuration.data.folder)/operators.json"
            Files.remove(path)
            try unsafe #require(mkfifo(path, 0o600) == 0)
            #expect(try client.ask("GET", "/metrics", headers: bearer(token)).status == 401)
            #expect(try client.ask("GET", "/health").status == 200)
            #expect { try Operators.list(of: server.configuration) } throws: {
                ($0 as? ServerError)?.text.contains("Not a regular file") ?? false
            }
        }
    }

    @Test("the command line prints a token once, lists operators without tokens, and revokes them beside a server")
    func commandLine() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        let key = "da2-abcdefghijklmnopqrstuvwxyz"
        let server = try Running(["serve", "--port", "0", "--api-key", key], in: folder)
        defer { server.stop() }
        let created = try run(["operators", "create", "ci", "--role", "viewer", "--token"], in: folder)
        let token = created.output.trimmingCharacters(in: .newlines)
        #expect(created.code == 0 && token.hasPrefix("syncline_op_") && !token.contains("\n"))
        let listed = try run(["operators", "list"], in: folder)
        #expect(listed.code == 0 && listed.output.hasPrefix("ci  viewer  20"), "\(listed)")
        #expect(!listed.output.contains("syncline_op_"))
        let config = try server.connect().ask("GET", "/api-config", headers: bearer(token))
        #expect(config.status == 200 && !config.body.contains(key))
        #expect(try run(["operators", "revoke", "ci"], in: folder).code == 0)
        #expect(try server.connect().ask("GET", "/metrics", headers: bearer(token)).status == 401)
        #expect(try run(["operators", "revoke", "ci"], in: folder).code == 2)
        #expect(try run(["operators", "create", "ci", "--role", "viewer"], in: folder).code == 2)
        #expect(try run(["operators", "create", "ci", "--role", "king", "--token"], in: folder).code == 2)
    }
}
