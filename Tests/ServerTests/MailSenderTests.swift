import Foundation
import JSON
import Synchronization
import Tables
import Testing
import UserPools

@testable import Server

@Suite("Mail that is sent and tried again")
struct MailSenderTests {
    /// Pools with a clock that the test sets, and a way for mail that does what the test says.
    private final class Stage: Sendable {
        let error = Mutex<MailError?>(nil)
        let sent = Mutex<[(mail: MailMessage, date: String)]>([])
        let pools: UserPools
        private let clock: Clock
        private let store: any Store
        private let folder: TemporaryFolder

        private final class Clock: Sendable {
            let seconds = Mutex<Int64>(1_761_987_903)
        }

        init() async throws {
            let clock = Clock()
            self.clock = clock
            folder = try TemporaryFolder()
            store = try LocalStore.open(folder: folder.path("data"))
            let tables = try store.carryOutMigration(
                to: RecordTables.all, renaming: [], allowing: .none, keepsIndexes: false
            ).tables
            pools = try UserPools(
                store: store, tables: tables, executor: SerialExecutor(),
                keyStorage: KeyFolder(folder.path("data/keys")).storage,
                services: UserPoolServices(
                    invokeFunction: { _, _ in .unreachable },
                    askProvider: { _ in .failure(.init(reason: "none")) }, noteProviderFailure: { _, _ in },
                    noteMessage: { _ in }, endSessions: { _ in },
                    noteAdministration: { _ in true }),
                clock: WallClock { clock.seconds.withLock { $0 * 1_000 } })
            try await pools.serve(UserPoolConfiguration(servedURL: "http://x"))
        }

        func advance(_ seconds: Int64) { clock.seconds.withLock { $0 += seconds } }

        /// Sends what is due once.
        /// - Returns: How many messages were handed over.
        func send() async -> Int {
            let count = sent.withLock { $0.count }
            let sender = MailSender(
                transport: { [self] mail, date throws(MailError) in
                    sent.withLock { $0.append((mail, date)) }
                    if let error = error.withLock({ $0 }) { throw error }
                }, from: "app@example.com", pools: pools, log: Log(format: .text, level: .critical) { _ in })
            await sender.sendDue()
            return sent.withLock { $0.count } - count
        }

        func post() async throws {
            func call(_ name: String, _ body: JSONObject) async throws -> JSONObject {
                try await pools.performForOperator(
                    name, body, from: Caller(address: "x", accessKeyID: "me", requestID: "r", baseURL: "")
                ).get()
            }
            let pool = try await call("CreateUserPool", ["PoolName": "p"])["UserPool"]?["Id"] ?? .null
            _ = try await call(
                "AdminCreateUser",
                [
                    "UserPoolId": pool, "Username": "ada", "TemporaryPassword": "Temp-0rary",
                    "UserAttributes": [["Name": "email", "Value": "ada@example.com"]],
                ])
        }

        func message() async throws -> JSONObject {
            try #require(try await pools.outboxMessages(after: nil, limit: 1).first)
        }

        deinit {
            store.close()
            folder.remove()
        }
    }

    @Test("mail that failed is tried again after ten seconds, then later each time up to an hour, for a day")
    func retries() async throws {
        let stage = try await Stage()
        try await stage.post()
        stage.error.withLock { $0 = MailError(message: "busy", isTemporary: true) }
        #expect(await stage.send() == 1)
        var waits: [Int64] = [10, 20, 40, 80, 160, 320, 640, 1_280, 2_560]
        waits += [Int64](repeating: 3_600, count: 22)
        for wait in waits {
            stage.advance(wait - 1)
            #expect(await stage.send() == 0, "before \(wait) s")
            stage.advance(1)
            #expect(await stage.send() == 1, "after \(wait) s")
        }
        stage.advance(1_000_000)
        #expect(await stage.send() == 0, "given up after a day")
        let message = try await stage.message()
        #expect(message["error"] == "busy" && message["code"] == "Temp-0rary" && message["sent"] == nil)
    }

    @Test("what was sent is not sent again; a lasting error ends the attempts; the date is the clock's")
    func ends() async throws {
        let stage = try await Stage()
        try await stage.post()
        #expect(await stage.send() == 1)
        let first = try #require(stage.sent.withLock { $0.first })
        #expect(first.date == "Sat, 1 Nov 2025 09:05:03 +0000" && first.mail.text.contains("Temp-0rary"))
        stage.advance(10_000)
        #expect(await stage.send() == 0)
        let sent = try await stage.message()
        #expect(sent["code"] == .null && sent["text"] == nil && sent["sent"] != nil)

        let other = try await Stage()
        try await other.post()
        other.error.withLock { $0 = MailError(message: "no such user", isTemporary: false) }
        #expect(await other.send() == 1)
        other.advance(10_000)
        #expect(await other.send() == 0)
    }
}
