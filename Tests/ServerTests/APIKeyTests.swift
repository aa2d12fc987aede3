import Foundation
import JSON
import Synchronization
import Tables
import Testing
import Transformer
import UserPools

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

    @Test(
        "A subscription that was begun by a key ends when the key is revoked, and others go on",
        arguments: [true, false])
    func subscriptions(isAppSync: Bool) async throws {
        try await Self.with { server, operators in
            let key = try await operators.createKey("website", days: 1)["key"]?.stringValue ?? ""
            let other = try await operators.createKey("other", days: 1)["key"]?.stringValue ?? ""
            let query = "subscription { onCreateUser { id } }"
            func open(_ key: String) throws -> WebSocketClient {
                guard !isAppSync else { return try WebSocketClient(port: server.port).acknowledged() }
                let socket = try WebSocketClient(
                    port: server.port, headers: ["Sec-WebSocket-Protocol": "graphql-transport-ws"])
                #expect(
                    try socket.ask(#"{"type":"connection_init","payload":{"x-api-key":"\#(key)"}}"#)
                        .contains("connection_ack"))
                return socket
            }
            func start(_ socket: WebSocketClient, _ id: String, _ key: String) throws {
                guard !isAppSync else {
                    let answer = try socket.ask(WebSocketClient.start(id, query, key: key))
                    return #expect(answer == WebSocketClient.acknowledgement(id))
                }
                try socket.send(#"{"id":"\#(id)","type":"subscribe","payload":{"query":"\#(query)"}}"#)
                #expect(try socket.ask(#"{"type":"ping"}"#).contains("pong"))
            }
            let (ended, lasting) = (try open(key), try open(other))
            try start(ended, "1", key)
            try start(lasting, "1", other)
            if isAppSync { try start(ended, "2", other) }
            _ = try await operators.revokeKey("website")
            let message = try ended.receive()
            #expect(message.contains("Permission denied") && message.contains(#""id":"1""#))
            #expect(message.contains("UnauthorizedException"))
            let user = Client.envelope(#"mutation { createUser(input: {username: "u"}) { id } }"#)
            #expect(
                try server.connect().ask(
                    headers: ["x-api-key": other, "content-type": "application/json"], body: user
                ).status == 200)
            #expect(try lasting.receive().contains("onCreateUser"))
            if isAppSync { #expect(try ended.receive().contains(#""id":"2""#)) }
        }
    }

    @Test("Beyond loopback an API without the mode needs no key, and accepts none")
    func withoutMode() throws {
        var (keys, address) = (APIKeys(), ListenAddress())
        address.host = "0.0.0.0"
        for configured in [[], ["short"], [APIKeys.defaultKey]] {
            keys.configured = configured
            try keys.served(at: address, isMode: false, hasCreatedKeys: false).check(for: address)
            #expect(throws: ServerError.self) {
                try keys.served(at: address, isMode: true, hasCreatedKeys: false).check(for: address)
            }
        }
        keys.configured = []
        #expect(keys.served(at: address, isMode: false, hasCreatedKeys: false).accepted.isEmpty)
    }

    @Test("Beyond loopback a created key is enough to start, and the default key is then off")
    func beyondLoopback() throws {
        var (keys, address) = (APIKeys(), ListenAddress())
        address.host = "0.0.0.0"
        #expect(throws: ServerError.self) { try keys.check(for: address) }
        #expect(keys.served(at: ListenAddress(), isMode: true, hasCreatedKeys: true).accepted == [APIKeys.defaultKey])
        let served = keys.served(at: address, isMode: true, hasCreatedKeys: true)
        try served.check(for: address)
        #expect(served.accepted.isEmpty && !served.acceptsDefault)
        keys.configured = [APIKeys.defaultKey]
        #expect(throws: ServerError.self) {
            try keys.served(at: address, isMode: true, hasCreatedKeys: true).check(for: address)
        }
    }

    @Test(
        "Keys of the configuration may have a name and an end, when they are refused; they are listed without the key")
    func configured() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let time = Mutex<Int64>(WallClock.system.milliseconds())
        let file = folder.path("syncline.json")
        func load(_ keys: String) throws -> Configuration {
            try folder.write(#"{"apiKey": \#(keys)}"#, to: "syncline.json")
            return try Configuration.load(SettingTexts(for: .serve, flags: [.config: [file]], environment: [:]))
        }
        let end = Moment(milliseconds: time.withLock { $0 } + 3_600_000).text
        let loaded = try load(
            #"["da2-plain", {"name": "web", "key": "da2-web", "expires": "\#(end)"}, {"key": "da2-nameless"}]"#)
        #expect(loaded.apiKeys.configured == ["da2-plain", "da2-web", "da2-nameless"])
        try await TestServer.with(clock: WallClock { time.withLock { $0 } }) {
            ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("d"))
            $0.apiKeys = loaded.apiKeys
        } _: { server in
            let client = try server.connect()
            for key in loaded.apiKeys.configured { #expect(try Self.ask(client, key) == "200") }
            let keys = try await OperatorClient(server.configuration).keys()
            #expect(keys.map { $0["name"] } == ["web"] && keys[0]["source"] == "configuration")
            #expect(keys[0]["expires"] == .string(end) && !keys.description.contains("da2-"))
            time.withLock { $0 += 3_600_000 }
            #expect(try Self.ask(client, "da2-web") == "You are not authorized to make this call.")
            #expect(try Self.ask(client, "da2-plain") == "200")
        }
        for millisecond in 0..<1_000 as Range<Int64> {
            let end = Moment(milliseconds: 1_900_000_000_000 + millisecond).text
            let keys = try load(#"{"name": "web", "key": "da2-web", "expires": "\#(end)"}"#).apiKeys
            #expect(keys.summaries(now: 0).map { $0["expires"] } == [.string(end)])
        }
        let past = try load(#"{"name": "old", "key": "da2-old", "expires": "2020-01-31"}"#)
        #expect(past.warnings.contains { $0.message.contains("has expired") && $0.place != nil })
        for (keys, message) in [
            (#"[{"name": "a"}]"#, "'apiKey' is a key"), (#"{"key": " a"}"#, "'apiKey.key' is a key"),
            (#"{"key": "a", "expires": "soon"}"#, "is a date or a moment"), (#"{"key": "a", "nam": 1}"#, "Unknown key"),
            (#"{"key": {"env": "SYNCLINE_TEST_NONE"}}"#, "SYNCLINE_TEST_NONE, which holds a secret, is not set"),
            (#"[{"key": "a", "name": "n"}, {"key": "b", "name": "n"}]"#, "Two API keys have the name n."),
        ] {
            let error = #expect(throws: ServerError.self) { try load(keys) }
            #expect(
                error?.text.contains(message) == true && error?.text.contains("syncline.json:1:") == true, "\(keys)")
        }
    }

    @Test("After a reload operators list and use the keys that are served, and no others")
    func reloaded() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        func keys(_ text: String) throws -> APIKeys {
            try folder.write(#"{"apiKey": \#(text)}"#, to: "syncline.json")
            let file = folder.path("syncline.json")
            return try Configuration.load(SettingTexts(for: .serve, flags: [.config: [file]], environment: [:])).apiKeys
        }
        let old = try keys(#"[{"name": "old", "key": "da2-old"}]"#)
        try await OperatorStage.with(schema: TestServer.chat) {
            $0.apiKeys = old
        } _: { stage in
            func status(as caller: String) throws -> Int {
                try stage.client.ask(
                    "POST", "/operators/v1/graphql",
                    headers: [
                        "Authorization": "Bearer \(stage.tokens[.owner] ?? "")", "Content-Type": "application/json",
                        "x-syncline-as": caller,
                    ], body: Self.query
                ).status
            }
            func names() throws -> [JSONValue?] {
                try stage.ask("GET", "/api-keys").value["items"]?.arrayValue?.map { $0["name"] } ?? []
            }
            #expect(try names() == ["old"])
            #expect(try status(as: "key:old") == 200 && status(as: "key:web") == 404)
            var configuration = stage.server.configuration
            configuration.apiKeys = try keys(#"[{"name": "web", "key": "da2-web"}]"#)
            configuration.environmentName = "staging"
            _ = try stage.server.service.reload(configuration)
            try await eventually { try Self.ask(stage.client, "da2-web") == "200" }
            #expect(try names() == ["web"])
            #expect(try status(as: "key:web") == 200 && status(as: "key:old") == 404)
            for path in ["/session", "/status"] {
                #expect(try stage.ask("GET", path).value["environment"] == "staging", "\(path)")
            }
        }
    }

    @Test("A created key is valid for apiKeyExpirationDays of the configuration where no days are given")
    func defaultDays() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "API_KEY", "#
                + #""apiKeyConfig": {"apiKeyExpirationDays": 30}}}}"#,
            to: "config/syncline.json")
        func days(_ words: String...) throws -> Int64 {
            let created = try run(["keys", "create"] + words + ["--json", "--data", "d"], in: folder)
            let name = try #require(words.first)
            let listed = try run(["keys", "list", "--json", "--data", "d"], in: folder)
            let key = try JSONReader.read(listed.output).arrayValue?.first { $0["name"]?.stringValue == name }
            let times = try ["created", "expires"].map { field in
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                return try style.parse(try #require(key?[field]?.stringValue, "\(created)"))
            }
            return Int64((times[1].timeIntervalSince(times[0]) / 86_400).rounded())
        }
        #expect(try days("one") == 30)
        #expect(try days("two", "--days", "2") == 2)
    }

    @Test("Where API_KEY is no mode, no key is accepted, none is needed beyond loopback, and any Host is served")
    func noMode() async throws {
        let schema = "type Note @model @auth(rules: [{allow: private}]) { id: ID! }"
        try await TestServer.with(schema: schema) {
            $0.authModes = [.userPools]
            $0.address.host = "0.0.0.0"
            $0.userPools.accessKeys = [.init(id: "AKIA", secret: String(repeating: "s", count: 40))]
        } _: { server in
            #expect(server.service.apiKeys.accepted.isEmpty && !server.service.apiKeys.acceptsDefault)
            let client = try server.connect()
            let headers = ["content-type": "application/json", "Host": "api.example", "x-api-key": TestServer.key]
            let answer = try client.ask("POST", "/graphql", headers: headers, body: Client.envelope("{ __typename }"))
            #expect(answer.status == 401, "\(answer)")
            let config = try client.ask("GET", "/api-config", headers: ["Host": "localhost"])
            #expect(config.status == 200 && !config.body.contains(TestServer.key), "\(config)")
            var configuration = server.configuration
            configuration.authModes = [.userPools, .apiKey]
            #expect(throws: ServerError.self) { try server.service.reload(configuration) }
        }
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
