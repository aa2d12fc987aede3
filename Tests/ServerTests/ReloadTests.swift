import Foundation
import Tables
import Testing
import Transformer

@testable import Server

@Suite("Reload")
struct ReloadTests {
    @Test("a changed schema is served from the next request on, and keeps the data")
    func change() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            _ = try client.graphql(#"mutation { createUser(input: {id: "a", username: "Ada"}) { id } }"#)
            let query = #"{ getUser(id: "a") { username nickname } }"#
            #expect(try client.graphql(query).contains("FieldUndefined"))
            try server.folder.write(
                TestServer.chat.replacing("postcode: String", with: "postcode: String nickname: String"),
                to: "schema.graphql")
            let summary = try server.service.reload(server.configuration)
            #expect(summary.steps.count == 1)
            try await eventually {
                try client.graphql(query) == #"{"data":{"getUser":{"username":"Ada","nickname":null}}}"#
            }
        }
    }

    @Test("a broken schema is reported with its place, and the old API goes on")
    func broken() async throws {
        try await TestServer.with { server in
            try server.folder.write("type User @model { id: ID! friend: Nobody }", to: "schema.graphql")
            let error = failure { _ = try server.service.reload(server.configuration) }
            #expect(error?.code == .invalid)
            #expect(error?.text.contains("schema.graphql:1:") == true && error?.text.contains("Nobody") == true)
            #expect(
                try server.connect().graphql("{ listMessages { items { id } } }").hasPrefix(#"{"data":{"listMessages""#)
            )
        }
    }

    @Test("a reload that would lose data is refused with its steps, and the old API goes on")
    func lossy() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            _ = try client.graphql(#"mutation { createUser(input: {username: "Ada", postcode: "SW1"}) { id } }"#)
            try server.folder.write(
                TestServer.chat.replacing("postcode: String", with: "postcode: Int"), to: "schema.graphql")
            let error = failure { _ = try server.service.reload(server.configuration) }
            #expect(error?.code == .refused)
            #expect(error?.text.contains("postcode") == true)
            #expect(
                try client.graphql("{ listUsers { items { postcode } } }")
                    == #"{"data":{"listUsers":{"items":[{"postcode":"SW1"}]}}}"#)
        }
    }

    @Test("a reload that fails for its certificates has migrated nothing, and one that succeeds later does all")
    func certificatesBeforeMigration() async throws {
        let home = try TemporaryFolder()
        defer { home.remove() }
        try await TestServer.with({ ($0.tls.setting, $0.userFolder) = (.auto, home.path("home")) }) { server in
            try server.folder.write(
                TestServer.chat.replacing("postcode: String", with: "postcode: String nickname: String"),
                to: "schema.graphql")
            var changed = server.configuration
            changed.tls.hosts = ["below.localhost"]
            // A file where the authority's folder was: a certificate for the new name can be neither read nor kept.
            let tls = home.path("home/tls")
            try FileManager.default.moveItem(atPath: tls, toPath: tls + ".aside")
            try Files.write("", to: tls)
            #expect(failure { _ = try server.service.reload(changed) } != nil)
            let query = "{ listUsers { items { nickname } } }"
            #expect(try server.connect().graphql(query).contains("FieldUndefined"))

            Files.remove(tls)
            try FileManager.default.moveItem(atPath: tls + ".aside", toPath: tls)
            let summary = try server.service.reload(changed)
            #expect(summary.steps.count == 1, "the migration was not made by the reload that failed")
            try await eventually { try server.connect().graphql(query) == #"{"data":{"listUsers":{"items":[]}}}"# }
        }
    }

    @Test("conflict detection is not switched by a reload, and the old API goes on", arguments: [true, false])
    func conflictDetection(isOn: Bool) async throws {
        let schema = "type Room @model { id: ID! name: String } type Chair @model { id: ID! }"
        try await TestServer.with(schema: schema, { $0.transform.conflictDetection = isOn ? .version : .none }) {
            server in
            let client = try server.connect()
            _ = try client.graphql(#"mutation { createRoom(input: {id: "r"}) { id } }"#)
            var configuration = server.configuration
            configuration.transform.conflictDetection = isOn ? .none : .version
            configuration.transform.modelConflictDetection = ["Chair": isOn ? .version : .none]
            let error = failure { _ = try server.service.reload(configuration) }
            #expect(error?.code == .refused)
            #expect(
                error?.diagnostics.map(\.message) == [
                    "Conflict detection of Room is switched \(isOn ? "off" : "on"), which a server that runs cannot do."
                ])
            #expect(error?.diagnostics.map(\.hint) == ["Restart the server."])
            #expect(
                try client.graphql("{ getRoom(id: \"r\") { id _version } }").hasPrefix(
                    isOn ? #"{"data":{"getRoom":{"id":"r","_version":1}}}"# : #"{"data":null,"errors":"#))
            // Who decides conflicts may change.
            configuration.transform = server.configuration.transform
            configuration.transform.conflictHandler = .optimisticConcurrency
            _ = try server.service.reload(configuration)
            guard isOn else { return }
            let update = #"mutation { updateRoom(input: {id: "r", name: "n", _version: 9}) { id } }"#
            try await eventually { try client.graphql(update).contains("ConflictUnhandled") }
        }
    }

    @Test("requests under way during reloads are answered whole by the old API or by the new")
    func underLoad() async throws {
        try await TestServer.with { server in
            let first = TestServer.chat
            let second = first.replacing("postcode: String", with: "postcode: String nickname: String")
            let query = "{ __type(name: \"User\") { fields { name } } }"
            try await withThrowingTaskGroup(of: Set<String>.self) { group in
                for _ in 0..<2 {
                    let client = try Client(port: server.port)
                    let box = Unsafe(client)
                    group.addTask {
                        var answers: Set<String> = []
                        for _ in 0..<150 { answers.insert(try box.value.graphql(query)) }
                        return answers
                    }
                }
                for round in 0..<6 {
                    try server.folder.write(round % 2 == 0 ? second : first, to: "schema.graphql")
                    _ = try server.service.reload(server.configuration)
                }
                var all: Set<String> = []
                for try await answers in group { all.formUnion(answers) }
                #expect((1...2).contains(all.count), "\(all)")
                #expect(all.allSatisfy { $0.hasPrefix(#"{"data":{"__type":{"fields":"#) && $0.contains("username") })
            }
        }
    }

    @Test("keys are replaced with the configuration")
    func keys() async throws {
        try await TestServer.with { server in
            var configuration = server.configuration
            configuration.apiKeys.configured = ["da2-new"]
            _ = try server.service.reload(configuration)
            let client = try server.connect()
            try await eventually { try client.ask(body: Client.envelope("{ __typename }")).status == 401 }
        }
    }
}

/// The error that comes of `body`, which must fail.
private func failure(_ body: () throws -> Void) -> ServerError? {
    do {
        try body()
        Issue.record("it should have failed")
        return nil
    } catch {
        return error as? ServerError
    }
}

/// Carries a client to the one task that uses it from then on.
struct Unsafe<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// Waits until a condition holds that another thread brings about, at most thirty seconds.
func eventually(_ condition: () throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while try !condition() {
        try #require(ContinuousClock.now < end, "it did not come to pass within thirty seconds")
        try await Task.sleep(for: .milliseconds(5))
    }
}
