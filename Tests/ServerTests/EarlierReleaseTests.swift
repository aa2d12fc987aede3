import Foundation
import JSON
import Testing

@testable import Server

/// Data folders and backups that earlier releases made: `Fixtures/release-VERSION.tar.gz`, each with a data folder `data`, a
/// `backup` of it with its objects and keys, and the passphrase of the keys, all made by `syncline dev` of that release. Their
/// keys protect nothing else.
@Suite("Data of earlier releases", .serialized)
struct EarlierReleaseTests {
    private static let releases = ["0.1.0"]

    private func extract(_ release: String, to folder: TemporaryFolder) throws {
        let archive = try #require(
            Bundle.module.url(forResource: "release-\(release).tar", withExtension: "gz", subdirectory: "Fixtures")
        ).path
        try #require(Subprocess.run(["tar", "-xzf", archive, "-C", folder.path("")]) == 0)
    }

    /// Reads everything that the fixture's data folder has.
    private func check(_ data: String, _ folder: TemporaryFolder) async throws {
        let schema = try String(contentsOfFile: folder.path("schema.graphql"), encoding: .utf8)
        let change: (inout Configuration) -> Void = { ($0.data.isEphemeral, $0.data.folder) = (false, data) }
        try await TestServer.with(schema: schema, change) { server in
            let items = (1...3).map { #"{"id":"n\#($0)","text":"Note \#($0)","tags":["x"]}"# }.joined(separator: ",")
            #expect(
                try server.connect().graphql("{ listNotes { items { id text tags } } }")
                    == #"{"data":{"listNotes":{"items":[\#(items)]}}}"#)
            #expect(try signIn(server).contains("AccessToken"))
            try await FilesClient.with(server.configuration) { client in
                var keys: [String] = []
                try await client.list(FilesPath("syncline/")) { keys += $0.map(\.key) }
                #expect(keys.map { Array($0.utf8) } == ["public/a.txt", "public/e\u{301}.txt"].map { Array($0.utf8) })
                for (key, text) in [("public/e\u{301}.txt", "second object"), ("public/a.txt", "first object\n")] {
                    try await client.get(FilesPath("syncline/\(key)"), to: folder.path("read"))
                    #expect(try String(contentsOfFile: folder.path("read"), encoding: .utf8) == text)
                }
            }
            let client = OperatorClient(server.configuration)
            let days = [(name: "from", value: "2026-01-01"), (name: "to", value: "2026-01-02")]
            #expect(
                try await client.analytics("events", days)["items"] == [
                    ["day": "2026-01-01", "event": "close", "events": 1],
                    ["day": "2026-01-01", "event": "open", "events": 1],
                    ["day": "2026-01-02", "event": "open", "events": 1],
                ])
            #expect(
                try await client.analytics("users", days + [("by", "platform"), ("total", "true")])["items"]?
                    .arrayValue?
                    .count == 1)
            var exported: [String] = []
            try await client.eachEvent([]) { event in
                exported.append("\(event["id"] ?? "") \(event["user"] ?? "") \(event["endpoint"] ?? "")")
            }
            #expect(exported == (0..<3).map { #""id-\#($0)" "ada" "endpoint-1""# })
            let deleted = try await client.deleteAnalytics(ofUser: "ada", app: nil)
            #expect(deleted["events"] == 3 && deleted["endpoints"] == 1)
        }
    }

    private func signIn(_ server: TestServer) throws -> String {
        let text = JSONValue.object([
            "AuthFlow": "USER_PASSWORD_AUTH", "ClientId": "1y72cjclxm9bogknt3z6gm1rt4",
            "AuthParameters": ["USERNAME": "ada", "PASSWORD": "Passw0rd!"],
        ]).description
        let client = try server.connect()
        try client.send(
            "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AWSCognitoIdentityProviderService.InitiateAuth\r\n"
                + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
        return try client.receive().body
    }

    @Test("a data folder opens and loses nothing", arguments: releases)
    func dataFolder(release: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try extract(release, to: folder)
        try await check(folder.path("data"), folder)
    }

    @Test("a backup is restored with its objects and keys and loses nothing", arguments: releases)
    func backup(release: String) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try extract(release, to: folder)
        var configuration = Configuration()
        configuration.data.folder = folder.path("restored")
        let file = folder.path("backup")
        let keys = try KeyBackup.read(
            file + KeyBackup.suffix, passphrase: KeyBackup.passphrase(folder.path("passphrase.txt")))
        _ = try Backups.restore(file, to: configuration, keys: keys, isAllowed: { true })
        try await check(configuration.data.folder, folder)
    }
}
