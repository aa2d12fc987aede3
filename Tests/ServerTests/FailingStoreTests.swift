import API
import CFaultVFS
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Server
@testable import Tables

/// What clients are answered when the store cannot do what they ask for.
@Suite("A failing disk and a blocked writer, seen by clients")
struct FailingStoreTests {
    /// A server whose disk fails on demand, and whose database another program may lock.
    private struct Scene {
        let server: TestServer
        let disk: Int32

        func mend() {
            fault_vfs_set_space(disk, -1)
            fault_vfs_set_codes(disk, 0, 0, 0)
        }

        /// Holds the lock of the database as another program would, until it is executed "ROLLBACK".
        func lock() throws -> Connection {
            let path = DataFolder.database(in: server.configuration.data.folder)
            let connection = try Connection(path: path, mode: .writing, limits: StoreLimits())
            try connection.execute("BEGIN IMMEDIATE")
            return connection
        }

        func create(_ id: String, username: String = "x") throws -> Client.Answer {
            try server.connect().ask(body: Client.envelope(Self.creation(id, username)))
        }

        static func creation(_ id: String, _ username: String = "x", also: String = "") -> String {
            #"mutation { \#(also)createUser(input: {id: "\#(id)", username: "\#(username)"}) { id } }"#
        }

        var ids: [String] {
            get throws {
                try server.connect().graphql("{ listUsers(limit: 1000) { items { id } } }")
                    .matches(of: /"id":"(\w+)"/).map { String($0.1) }.sorted()
            }
        }
    }

    private func with(
        _ change: (inout Limits) -> Void = { _ in }, _ body: (Scene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // Tables sets up the library before its first connection, and is to do so before anybody else uses it.
        _ = try Connection(path: ":memory:", mode: .creating, limits: StoreLimits())
        let disk = unsafe fault_vfs_watch(folder.url.resolvingSymlinksInPath().path)
        try #require(disk >= 0)
        try await TestServer.with { configuration in
            configuration.data.isEphemeral = false
            configuration.data.folder = folder.path("data")
            change(&configuration.limits)
        } _: { server in
            try await body(Scene(server: server, disk: disk))
        }
    }

    private static let failure =
        #"{"errors":[{"errorType":"InternalFailure","message":"The store could not serve the request."}]}"#
    private static let busy =
        #"{"errors":[{"errorType":"ServiceUnavailableException","message":"The service is busy. Try again."}]}"#

    @Test(
        "nothing committed: 500, so that the client tries again; reads go on; writes go on when the fault is gone",
        arguments: [(0, 0), (13, 0), (778, 0), (0, 1034)])
    func nothingCommitted(writeCode: Int32, syncCode: Int32) async throws {
        try await with { scene in
            #expect(try scene.create("before").status == 200)
            if writeCode == 0, syncCode == 0 { fault_vfs_set_space(scene.disk, 0) }
            fault_vfs_set_codes(scene.disk, writeCode, syncCode, 0)
            for _ in 0..<3 {
                // Large enough to need room that is not there.
                let answer = try scene.create("during", username: String(repeating: "x", count: 100_000))
                #expect(answer.status == 500 && answer.body == Self.failure)
                #expect(answer["x-amzn-ErrorType"] == ["InternalFailure"])
                #expect(answer["retry-after"].isEmpty)
                #expect(try scene.ids == ["before"])
            }
            scene.mend()
            #expect(try scene.create("during").status == 200)
            #expect(try scene.ids == ["before", "during"])
        }
    }

    @Test("a file is not stored if the audit log cannot be written, and the verb says why")
    func noAudit() async throws {
        try await with { scene in
            let files = try TemporaryFolder()
            defer { files.remove() }
            try files.write("x", to: "a")
            try await FilesClient.with(scene.server.configuration) { client in
                let path = try FilesPath("syncline/public/a")
                fault_vfs_set_codes(scene.disk, 13, 0, 0)
                let error = await #expect(throws: ServerError.self) { try await client.put(files.path("a"), to: path) }
                #expect(error?.text.contains("The audit log cannot be written, so nothing was done") == true)
                scene.mend()
                try await client.list(path) { #expect($0.isEmpty) }
                try await client.put(files.path("a"), to: path)
            }
        }
    }

    @Test("something committed: 200 with InternalFailure at the field, so that nothing is done twice")
    func somethingCommitted() async throws {
        try await with { scene in
            #expect(try scene.create("before").status == 200)
            fault_vfs_set_space(scene.disk, 200_000)
            let mutation = Scene.creation(
                "large", String(repeating: "x", count: 400_000),
                also: #"first: createUser(input: {id: "small", username: "x"}) { id } "#)
            let answer = try scene.server.connect().ask(body: Client.envelope(mutation))
            #expect(answer.status == 200)
            #expect(
                answer.body.hasPrefix(
                    #"{"data":{"first":{"id":"small"},"createUser":null},"errors":[{"path":["createUser"]"#))
            #expect(answer.body.contains(#""errorType":"InternalFailure""#))
            scene.mend()
            #expect(try scene.ids == ["before", "small"])
            #expect(try scene.create("large").status == 200)
        }
    }

    @Test("a disk that cannot be read is a 500 for a query, and the next one is answered")
    func reads() async throws {
        try await with { limits in
            limits.store.pageCacheBytes = 16 << 10
        } _: { scene in
            let text = String(repeating: "x", count: 50_000)
            for number in 0..<20 { #expect(try scene.create("u\(number)", username: text).status == 200) }
            fault_vfs_set_codes(scene.disk, 0, 0, 266)
            let query = Client.envelope("{ listUsers { items { id username } } }")
            let answer = try scene.server.connect().ask(body: query)
            #expect(answer.status == 500 && answer.body == Self.failure)
            scene.mend()
            #expect(try scene.server.connect().ask(body: query).status == 200)
            #expect(try scene.ids.count == 20)
        }
    }

    @Test("a lock that lasts is 503 with Retry-After")
    func locked() async throws {
        try await with { limits in
            limits.store.busyMilliseconds = 50
        } _: { scene in
            let lock = try scene.lock()
            let answer = try scene.create("a")
            #expect(answer.status == 503 && answer.body == Self.busy)
            #expect(answer["Retry-After"] == ["1"])
            #expect(answer["x-amzn-ErrorType"] == ["ServiceUnavailableException"])
            #expect(try scene.ids.isEmpty)
            try lock.execute("ROLLBACK")
            #expect(try scene.create("a").status == 200)
        }
    }

    @Test("a write that waits for longer than a request may take ends with ExecutionTimeout, and is not done later")
    func timeout() async throws {
        try await with { limits in
            limits.api.executionSeconds = 1
            limits.store.busyMilliseconds = 60_000
        } _: { scene in
            let lock = try scene.lock()
            let answer = try scene.create("late")
            #expect(answer.status == 200)
            #expect(
                answer.body
                    == #"{"data":null,"errors":[{"path":null,"errorType":"ExecutionTimeout","locations":null,"message":"Execution timed out."}]}"#
            )
            try lock.execute("ROLLBACK")
            #expect(try scene.create("after").status == 200)
            #expect(try scene.ids == ["after"])
        }
    }

    @Test("past the bound of the queue clients are asked at once to retry; those within it are answered")
    func queueBound() async throws {
        try await with { limits in
            limits.store.writeQueueCountMax = 5
            limits.store.busyMilliseconds = 60_000
        } _: { scene in
            let lock = try scene.lock()
            let answers = Mutex<[Int]>([])
            let refused = DispatchSemaphore(value: 0)
            let group = DispatchGroup()
            for number in 0..<20 {
                DispatchQueue.global().async(group: group) {
                    guard let answer = try? scene.create("u\(number)") else { return }
                    if answer.status == 503, answer["Retry-After"] == ["1"], answer.body == Self.busy {
                        refused.signal()
                    }
                    answers.withLock { $0.append(answer.status) }
                }
            }
            for _ in 0..<15 { #expect(refused.wait(timeout: .now() + 60) == .success) }
            #expect(try scene.ids.isEmpty, "reads do not wait for the writer")
            try lock.execute("ROLLBACK")
            group.wait()
            let statuses = answers.withLock { $0 }
            #expect(statuses.count { $0 == 503 } == 15 && statuses.count { $0 == 200 } == 5)
            #expect(try scene.ids.count == 5)
        }
    }

    @Test("an operator's write that the disk or the writer fails is unavailable, and not the caller's mistake")
    func operators() async throws {
        try await with { limits in
            limits.store.busyMilliseconds = 50
        } _: { scene in
            let token = try Operators.create("ada", role: .editor, of: scene.server.configuration)
            func create(_ id: String, _ name: String) throws -> Client.Answer {
                try scene.server.connect().ask(
                    "POST", "/operators/v1/data/User/items",
                    headers: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
                    body: #"{"id":"\#(id)","username":"\#(name)"}"#)
            }
            #expect(try create("a", "x").status == 201)
            // The entry of the audit log has room, and the item has none.
            fault_vfs_set_space(scene.disk, 200_000)
            let full = try create("b", String(repeating: "x", count: 400_000))
            #expect(full.status == 503 && full.body.contains(#""code":"unavailable""#), "\(full.body)")
            scene.mend()
            #expect(try create("b", "x").status == 201)
            #expect(try scene.ids == ["a", "b"])
        }
    }
}
