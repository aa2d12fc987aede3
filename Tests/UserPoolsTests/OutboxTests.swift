import Foundation
import JSON
import Synchronization
import Tables
import Testing

@testable import UserPools

@Suite("The outbox")
struct OutboxTests {
    /// Pools over the store of a stage, with keys of their own.
    private func open(
        _ stage: PoolStage, _ keys: KeyStorage = MemoryKeys().storage
    ) async throws -> UserPools {
        let tables = try stage.store.carryOutMigration(
            to: RecordTables.all, renaming: [], allowing: .none, keepsIndexes: false
        ).tables
        let pools = try UserPools(
            store: stage.store, tables: tables, executor: PoolStage.QueueExecutor(), keyStorage: keys,
            services: UserPoolServices(
                invokeFunction: { _, _ in .unreachable }, askProvider: { _ in .failure(.init(reason: "none")) },
                noteProviderFailure: { _, _ in },
                noteMessage: { _ in }, endSessions: { _ in }, noteAdministration: { _ in true }),
            clock: WallClock { [time = stage.time] in time.milliseconds.withLock { $0 } })
        try await pools.serve(UserPoolConfiguration(servedURL: "http://127.0.0.1:20002"))
        return pools
    }

    private func rows(_ stage: PoolStage) async throws -> String {
        try await stage.pools.records.scan(OutboxMessage.self).map { "\($0.row)" }.joined()
    }

    private func invite(_ stage: PoolStage, _ name: String, _ pool: String) async throws {
        try await stage.get(
            "AdminCreateUser",
            [
                "UserPoolId": .string(pool), "Username": .string(name), "TemporaryPassword": "Temp-0rary-\(name)".json,
                "UserAttributes": [["Name": "email", "Value": "\(name)@example.com".json]],
            ])
    }

    @Test("a message is stored without its text, its code and its subject, and shown with them")
    func sealed() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool([
            "LambdaConfig": ["CustomMessage": "message"]
        ])
        stage.functions.respond("message") { _ in
            ["emailSubject": "Secret subject {####}", "emailMessage": "Hello {username}, use {####}"]
        }
        try await invite(stage, "ada", pool)
        let stored = try await rows(stage)
        #expect(stored.contains("ada@example.com"))
        #expect(!stored.contains("Temp-0rary") && !stored.contains("Hello") && !stored.contains("Secret"), "\(stored)")
        let shown = try await stage.pools.outboxMessages(after: nil, limit: 10)
        #expect(shown.map { $0["code"] } == ["Temp-0rary-ada"])
        #expect(shown.map { $0["text"] } == ["Hello ada, use Temp-0rary-ada"])
        #expect(await stage.pools.dueMessages(limit: 10).map(\.text) == ["Hello ada, use Temp-0rary-ada"])
        await stage.pools.noteDelivery(of: shown[0]["id"]?.stringValue ?? "", error: nil, isFinal: false)
        let sent = try await stage.pools.outboxMessages(after: nil, limit: 10)
        #expect(sent.map { $0["text"] } == [nil] && sent.map { $0["lost"] } == [nil] && sent[0]["sent"] != nil)
    }

    @Test("after a restore without the keys, messages are listed as lost, and mail is not tried again")
    func lost() async throws {
        let stage = try PoolStage()
        let (pool, _) = try await stage.makePool()
        for name in ["ada", "bob"] { try await invite(stage, name, pool) }
        let others = try await open(stage)
        try await invite(stage, "eve", pool)
        let listed = try await others.outboxMessages(after: nil, limit: 10)
        #expect(listed.map { $0["lost"] } == [true, true, true])
        #expect(listed.allSatisfy { $0["text"] == nil && $0["code"] == .null && $0["recipient"] != nil })
        #expect(await others.dueMessages(limit: 10).isEmpty)
        #expect(await others.dueMessages(limit: 10).isEmpty)
        let after = try await others.outboxMessages(after: nil, limit: 10)
        #expect(after.allSatisfy { $0["error"] == "The key that sealed the message is missing." })
    }

    @Test("a full outbox gives up what was sent before mail that waits")
    func full() async throws {
        var limits = UserPoolLimits()
        limits.outboxMessagesMax = 2
        let stage = try PoolStage(limits: limits)
        let (pool, _) = try await stage.makePool()
        for name in ["ada", "bob"] { try await invite(stage, name, pool) }
        func recipients() async throws -> Set<String> {
            Set(try await stage.pools.outboxMessages(after: nil, limit: 10).compactMap { $0["recipient"]?.stringValue })
        }
        let bob = try await stage.pools.outboxMessages(after: nil, limit: 10).first {
            $0["recipient"] == "bob@example.com"
        }
        await stage.pools.noteDelivery(of: try #require(bob?["id"]?.stringValue), error: nil, isFinal: false)
        try await invite(stage, "eve", pool)
        #expect(try await recipients() == ["ada@example.com", "eve@example.com"])
    }

    @Test("clear text of an earlier version is sealed at the start, what was sent of it is dropped")
    func earlier() async throws {
        let stage = try PoolStage()
        for (number, sent) in [(1, false), (2, true), (3, false)] {
            var message = OutboxMessage(
                id: "000\(number)", poolID: "p", recipient: "a\(number)@example.com", medium: "EMAIL",
                trigger: "CustomMessage_SignUp", sealed: nil, created: 1)
            (message.box, message.next) = (OutboxMessage.clearBox, sent ? nil : 1)
            var row = message.row
            guard case .text(let text)? = row.last, var document = RecordDocument(text) else { continue }
            document.set("subject", "Your code")
            document.set("text", sent ? "" : "It is 12345\(number).")
            document.set("code", sent ? nil : "12345\(number)")
            row[row.count - 1] = .text(document.text)
            let old = try #require(OutboxMessage(row, revision: 0))
            #expect(try await stage.pools.records.insert(Earlier(message: old, row: row)))
        }
        #expect(try await rows(stage).contains("a1@example.com"))
        let pools = try await open(stage)
        let stored = try await rows(stage)
        #expect(!stored.contains("12345"), "\(stored)")
        let shown = try await pools.outboxMessages(after: nil, limit: 10)
        #expect(
            shown.map { $0["code"] } == ["123451", .null, "123453"] && shown.map { $0["lost"] } == [nil, nil, nil])
        #expect(shown[2]["text"] == "It is 123453." && shown[2]["subject"] == "Your code")
        #expect(await pools.dueMessages(limit: 10).map(\.recipient) == ["a1@example.com", "a3@example.com"])
    }

    /// All rows by table and column.
    private static func rows(of records: RecordStore) async throws -> [String: [[String: Value]]] {
        var rows: [String: [[String: Value]]] = [:]
        func add<Kind: Record>(_: Kind.Type) async throws {
            rows[Kind.table.name] = try await records.scan(Kind.self).map { record in
                Dictionary(uniqueKeysWithValues: zip(Kind.table.columns.map(\.name), record.row))
            }
        }
        for kind in RecordTables.kinds { try await add(kind) }
        return rows
    }

    /// A message as an earlier version stored it.
    private struct Earlier: Record {
        var message: OutboxMessage
        var row: [Value]
        var revision: Int64 = 0
        static var table: Table { OutboxMessage.table }
        init(message: OutboxMessage, row: [Value]) { (self.message, self.row) = (message, row) }
        init?(_ row: [Value], revision: Int64) { nil }
    }

    @Test("a client whose secret does not open gets another one, and never none")
    func clientSecret() async throws {
        let stage = try PoolStage()
        let (pool, client) = try await stage.makePool(client: ["GenerateSecret": true])
        let keys = MemoryKeys()
        let others = try await open(stage, keys.storage)
        let body: JSONObject = ["UserPoolId": .string(pool), "ClientId": .string(client)]
        func secret(_ pools: UserPools, _ role: AccessRole = .owner) async throws -> JSONValue? {
            try await pools.perform(
                "AWSCognitoIdentityProviderService.DescribeUserPoolClient", body,
                from: Caller(address: "x", accessKeyID: "AKIA", role: role, requestID: "r", baseURL: "")
            ).get()["UserPoolClient"]?["ClientSecret"]
        }
        let (before, after) = (try await secret(stage.pools), try await secret(others))
        #expect(after != nil && after != before)
        #expect(try await secret(try await open(stage, keys.storage)) == after, "it stays")
        #expect(try await secret(others, .editor) == nil)
    }

    @Test("what other keys sealed or signed is counted, and with the right keys nothing is")
    func lostSecrets() async throws {
        let stage = try PoolStage()
        let keys = MemoryKeys()
        let pools = try await open(stage, keys.storage)
        func call(_ name: String, _ body: JSONObject) async throws -> JSONObject {
            try await pools.perform(
                "AWSCognitoIdentityProviderService.\(name)", body,
                from: Caller(address: "x", accessKeyID: "AKIA", requestID: "r", baseURL: "")
            ).get()
        }
        let pool = try #require(
            try await call("CreateUserPool", ["PoolName": "p", "AutoVerifiedAttributes": ["email"]])["UserPool"]?["Id"])
        let client = try #require(
            try await call(
                "CreateUserPoolClient",
                [
                    "UserPoolId": pool, "ClientName": "c", "GenerateSecret": false,
                    "ExplicitAuthFlows": ["ALLOW_USER_PASSWORD_AUTH"],
                ])["UserPoolClient"]?["ClientId"])
        _ = try await call(
            "CreateUserPoolClient", ["UserPoolId": pool, "ClientName": "d", "GenerateSecret": true])
        let attributes: JSONValue = [["Name": "email", "Value": "ada@example.com"]]
        _ = try await call(
            "SignUp", ["ClientId": client, "Username": "ada", "Password": "Passw0rd!", "UserAttributes": attributes])
        func lost(_ files: [String: [UInt8]]) async throws -> LostSecrets {
            let rows = try await Self.rows(of: stage.pools.records)
            return LostSecrets(files: Set(files.keys), sealing: files[LostSecrets.sealingFileName]) {
                table, column, body in
                for row in rows[table] ?? [] { if let text = row[column]?.text { body(text) } }
            }
        }
        let right = keys.files.withLock { $0 }
        #expect(try await lost(right).sentence == "")
        let all =
            "the passwords of 1 user, the secrets of 1 app client, 1 message of the outbox, 1 code that users were sent"
        #expect(try await lost([:]).sentence == all)
        let others = MemoryKeys()
        _ = try await open(try PoolStage(), others.storage)
        #expect(try await lost(others.files.withLock { $0 }).sentence == all)
        _ = try await call("AdminConfirmSignUp", ["UserPoolId": pool, "Username": "ada"])
        _ = try await call(
            "InitiateAuth",
            [
                "AuthFlow": "USER_PASSWORD_AUTH", "ClientId": client,
                "AuthParameters": ["USERNAME": "ada", "PASSWORD": "Passw0rd!"],
            ])
        let sealing = right.filter { $0.key == LostSecrets.sealingFileName }
        #expect(try await lost(keys.files.withLock { $0 }).isEmpty)
        #expect(try await lost(sealing).sentence == "the tokens of all sessions, until they are refreshed")
    }
}

extension String {
    fileprivate var json: JSONValue { .string(self) }
}
