import Foundation
import JSON
import Synchronization
import Tables
import Testing

@testable import Server

@Suite("API keys that are created and expire")
struct APIKeyTests {
    private static let query = Client.envelope("{ listUsers { items { id } } }")

    private static func ask(_ client: Client, _ key: String) throws -> String {
        let headers = ["x-api-key": key, "content-type": "application/json"]
        let answer = try client.ask("POST", "/graphql", headers: headers, body: query)
        if answer.status == 200 { return "200" }
        #expect(answer.status == 401)
        return (try JSONReader.read(Array(answer.body.utf8)))["errors"]?.arrayValue?[0]["message"]?.stringValue ?? ""
    }

    private static func with(
        clock: WallClock = .system, _ body: (TestServer, OperatorClient) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.with(clock: clock, { ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("d")) }) {
            try await body($0, OperatorClient($0.configuration))
        }
    }

    @Test("A created key is accepted at once, listed without the key, and refused once it is revoked or has expired")
    func life() async throws {
        let time = Mutex<Int64>(WallClock.system.milliseconds())
        try await Self.with(clock: WallClock { time.withLock { $0 } }) { server, operators in
            let denied = "You are not authorized to make this call."
            let client = try server.connect()
            let short = try await operators.createKey("short", days: nil)
            let long = try await operators.createKey("long", days: 365)
            let keys = [short, long].map { $0["key"]?.stringValue ?? "" }
            #expect(keys[0].hasPrefix("da2-") && keys[0].count == 30 && keys[0] != keys[1])
            for key in keys + [TestServer.key] { #expect(try Self.ask(client, key) == "200") }
            for key in ["", keys[0] + "x", String(keys[0].dropLast()), keys[0].uppercased()] {
                #expect(try Self.ask(client, key) == denied)
            }
            let listed = try await operators.keys()
            #expect(listed.map { $0["name"]?.stringValue } == ["short", "long"])
            #expect(listed.allSatisfy { $0["expired"] == false && $0["key"] == nil && $0["keySHA256"] == nil })
            let file = try String(
                contentsOfFile: "\(server.configuration.data.folder)/api-keys.json", encoding: .utf8)
            #expect(!keys.contains { file.contains($0) })
            time.withLock { $0 += 8 * 86_400_000 }
            #expect(try Self.ask(client, keys[0]) == denied)
            #expect(try Self.ask(client, keys[1]) == "200")
            _ = try await operators.revokeKey("long")
            #expect(try Self.ask(client, keys[1]) == denied)
            let lines = Mutex<[String]>([])
            try await operators.audit { line in lines.withLock { $0.append(line) } }
            let actions = try lines.withLock { $0 }.map { try JSONReader.read($0)["action"]?.stringValue }
            #expect(actions == ["keys.create", "keys.create", "keys.revoke"])
        }
    }

    @Test("A name that is taken, a life of no or too many days, and a key that does not exist are refused")
    func refusals() async throws {
        try await Self.with { _, operators in
            _ = try await operators.createKey("one", days: 1)
            let taken = await #expect(throws: ServerError.self) { try await operators.createKey("one", days: 1) }
            #expect(taken?.code == .refused)
            for (name, days) in [("two", 0), ("two", 366), ("a b", 1), ("", 1)] {
                let error = await #expect(throws: ServerError.self) { try await operators.createKey(name, days: days) }
                #expect(error?.code == .usage, "\(name) \(days)")
            }
            for name in ["two", "a/b"] {
                let error = await #expect(throws: ServerError.self) { try await operators.revokeKey(name) }
                #expect(error?.code == .usage)
            }
            #expect(try await operators.keys().count == 1)
        }
    }

    @Test("A damaged file of keys lets no created key in")
    func damaged() async throws {
        try await Self.with { server, operators in
            let key = try await operators.createKey("one", days: 1)["key"]?.stringValue ?? ""
            let client = try server.connect()
            #expect(try Self.ask(client, key) == "200")
            try Data("{".utf8).write(to: URL(filePath: "\(server.configuration.data.folder)/api-keys.json"))
            #expect(try Self.ask(client, key) != "200")
            await #expect(throws: ServerError.self) { try await operators.keys() }
        }
    }

    @Test("Beyond loopback a created key is enough to start, and the default key is then off")
    func beyondLoopback() throws {
        var (keys, address) = (APIKeys(), ListenAddress())
        address.host = "0.0.0.0"
        #expect(throws: ServerError.self) { try keys.check(for: address) }
        #expect(keys.served(at: ListenAddress(), hasCreatedKeys: true).accepted == [APIKeys.defaultKey])
        let served = keys.served(at: address, hasCreatedKeys: true)
        try served.check(for: address)
        #expect(served.accepted.isEmpty && !served.acceptsDefault)
        keys.configured = [APIKeys.defaultKey]
        #expect(throws: ServerError.self) { try keys.served(at: address, hasCreatedKeys: true).check(for: address) }
    }

    @Test("The verbs print the key alone on standard output, or JSON")
    func verbs() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func run(_ words: String...) throws -> (code: Int32, out: String) {
            let result = try ServerTests.run(words + ["--data", folder.path("d")], in: folder)
            return (result.code, result.output)
        }
        let created = try run("keys", "create", "web", "--days", "30")
        #expect(created.code == 0 && created.out.hasPrefix("da2-") && created.out.split(separator: "\n").count == 1)
        #expect(try run("keys", "list").out.hasPrefix("web  "))
        let listed = try JSONReader.read(Array(try run("keys", "list", "--json").out.utf8))
        #expect(listed.arrayValue?.first?["name"] == "web")
        #expect(try run("keys", "create", "x", "--days", "366").code == 2)
        #expect(try run("keys", "revoke", "web", "--json").code == 0)
        #expect(try run("keys", "revoke", "web").code == 2)
    }
}
