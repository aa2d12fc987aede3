import CFaultVFS
import Foundation
import Testing

@testable import Server
@testable import Tables

@Suite("Readiness: whether requests are answered")
struct ReadinessTests {
    /// A server on a disk that fails on demand; probes are kept for no time unless `change` says otherwise.
    private func with(
        _ change: (inout Limits) -> Void = { _ in }, _ body: (TestServer, Int32) async throws -> Void
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
            configuration.limits.probeIntervalMilliseconds = 0
            change(&configuration.limits)
        } _: {
            try await body($0, disk)
        }
    }

    private func status(_ server: TestServer, _ path: String = "/ready") throws -> Int {
        try server.connect().ask("GET", path, headers: [:]).status
    }

    private func create(_ id: String, in server: TestServer) throws -> Int {
        try server.connect().ask(
            body: Client.envelope(#"mutation { createUser(input: {id: "\#(id)", username: "x"}) { id } }"#)
        ).status
    }

    @Test("while the disk refuses a write the server is alive and not ready; when it accepts one again, it is ready")
    func failingDisk() async throws {
        try await with { (server: TestServer, disk: Int32) async throws -> Void in
            #expect(try create("before", in: server) == 200)
            #expect(try status(server) == 200)
            fault_vfs_set_codes(disk, 778, 0, 0)
            #expect(try create("during", in: server) == 500)
            for _ in 0..<3 { #expect(try status(server) == 503) }
            #expect(try status(server, "/health") == 200 && status(server, "/ping") == 200)
            fault_vfs_set_codes(disk, 0, 0, 0)
            #expect(try status(server) == 200)
            #expect(try create("after", in: server) == 200)
        }
    }

    @Test("a folder that accepts no file is not ready before any write has failed")
    func refusingFolder() async throws {
        try await with { (server: TestServer, _: Int32) async throws -> Void in
            #expect(try status(server) == 200)
            // A folder in the probe's place refuses the probe's file to every user.
            let probe = server.configuration.data.folder + "/write-probe"
            try FileManager.default.createDirectory(atPath: probe, withIntermediateDirectories: false)
            #expect(try status(server) == 503)
            try FileManager.default.removeItem(atPath: probe)
            #expect(try status(server) == 200)
        }
    }

    @Test("while another program holds the database's lock the server is not ready within the probe's time")
    func lockedDatabase() async throws {
        try await with { limits in
            limits.probeSeconds = 1
            limits.store.busyMilliseconds = 60_000
        } _: { (server: TestServer, _: Int32) async throws -> Void in
            let path = DataFolder.database(in: server.configuration.data.folder)
            let other = try Connection(path: path, mode: .writing, limits: StoreLimits())
            try other.execute("BEGIN IMMEDIATE")
            let start = ContinuousClock.now
            #expect(try status(server) == 503)
            #expect(start.duration(to: .now) < .seconds(20))
            // The late probe stands in the writer's queue; nobody waits for it.
            for _ in 0..<100 { #expect(try status(server) == 503) }
            try other.execute("ROLLBACK")
            try await eventually { try status(server) == 200 }
        }
    }

    @Test("probes commit nothing, and however often they are asked for, few are made")
    func cost() async throws {
        try await with {
            $0.probeIntervalMilliseconds = 60_000
        } _: { (server: TestServer, _: Int32) async throws -> Void in
            #expect(try create("a", in: server) == 200)
            let before = server.service.backend.store.statistics
            let client = try server.connect()
            for _ in 0..<500 { #expect(try client.ask("GET", "/ready", headers: [:]).status == 200) }
            let after = server.service.backend.store.statistics
            #expect(after.commits == before.commits && after.logPages == before.logPages)
            // Even this is kept from the last probe.
            let probe = server.configuration.data.folder + "/write-probe"
            try FileManager.default.createDirectory(atPath: probe, withIntermediateDirectories: false)
            #expect(try client.ask("GET", "/ready", headers: [:]).status == 200)
        }
    }

    @Test("a probe leaves the write-ahead log as it was")
    func log() async throws {
        try await with { (server: TestServer, _: Int32) async throws -> Void in
            #expect(try create("a", in: server) == 200)
            let log = DataFolder.database(in: server.configuration.data.folder) + "-wal"
            func size() throws -> Int? { try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int }
            let before = try size()
            for _ in 0..<20 { #expect(try status(server) == 200) }
            #expect(try size() == before)
            #expect(!Files.exists(server.configuration.data.folder + "/write-probe"))
        }
    }
}
