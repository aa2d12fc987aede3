import Foundation
import JSON
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HTTP
@testable import Server
@testable import Tables

/// The operators' API by `operators.sock`, and the same calls without a server.
@Suite("The operators' socket")
struct OperatorSocketTests {
    private func with(
        folder name: String = "data", _ body: (TestServer, OperatorClient) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.with({ ($0.data.isEphemeral, $0.data.folder) = (false, folder.path(name)) }) { server in
            try await body(server, OperatorClient(server.configuration))
        }
    }

    private func configuration(_ folder: TemporaryFolder) -> Configuration {
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        return configuration
    }

    private func audit(_ client: OperatorClient) async throws -> [String] {
        let lines = Mutex<[String]>([])
        try await client.audit { line in lines.withLock { $0.append(line) } }
        return lines.withLock { $0 }
    }

    /// Sends bytes and reads until the server closes.
    private func exchange(_ text: String, _ configuration: Configuration) async throws -> String {
        final class Reader: ChannelInboundHandler, Sendable {
            typealias InboundIn = ByteBuffer
            let text = Mutex("")
            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                let part = String(buffer: unwrapInboundIn(data))
                text.withLock { $0 += part }
            }
        }
        let socket = try OperatorSocket(folder: configuration.data.folder)
        let reader = Reader()
        let text = text.replacing("\n", with: "\r\n")
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(reader) }
            }
            .connect(unixDomainSocketPath: socket.path).get()
        try await channel.writeAndFlush(ByteBuffer(string: text)).get()
        try await channel.closeFuture.get()
        return reader.text.withLock { $0 }
    }

    private func post(_ path: String, _ body: String) -> String {
        "POST /operators/v1/\(path) HTTP/1.1\nHost: x\nConnection: close\nContent-Length: \(body.utf8.count)\n\n\(body)"
    }

    @Test("a running server creates, lists and revokes operators, and backs up, all of it in the audit log")
    func running() async throws {
        try await with { server, client in
            let token = try await client.createOperator("ada", role: .viewer)
            let headers = ["Authorization": "Bearer \(token)"]
            #expect(try server.connect().ask("GET", "/metrics", headers: headers).status == 200)
            let listed = try await client.operators()
            #expect(listed.map(\.name) == ["ada"] && listed.map(\.role) == [.viewer])
            try await client.backUp(to: server.folder.path("backup"), replaces: false)
            #expect(Files.exists(server.folder.path("backup")))
            try await client.revokeOperator("ada")
            #expect(try server.connect().ask("GET", "/metrics", headers: headers).status == 401)

            let entries = try await audit(client).map { try JSONReader.read($0) }
            #expect(
                entries.compactMap { $0["action"]?.stringValue } == [
                    "operators.create", "backups.create", "operators.revoke",
                ])
            let first = try #require(entries.first)
            #expect(first["operator"]?.stringValue == "user \(getuid())" && first["role"] == "owner")
            #expect(first["target"] == "ada (viewer)" && first["fields"]?.description == #"["name","role"]"#)
            #expect(first["address"] == "operators.sock" && first["requestId"]?.stringValue?.count == 36)
            #expect(!entries.description.contains(token))
            let path = "\(server.configuration.data.folder)/operators.sock"
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("what a running server refuses ends the verb as it would without a server")
    func refusals() async throws {
        try await with { server, client in
            func code(_ call: () async throws(ServerError) -> Void) async -> ServerError.Code? {
                do throws(ServerError) {
                    try await call()
                    return nil
                } catch { return error.code }
            }
            _ = try await client.createOperator("ada", role: .owner)
            #expect(
                await code { () throws(ServerError) in _ = try await client.createOperator("ada", role: .owner) }
                    == .refused)
            #expect(
                await code { () throws(ServerError) in _ = try await client.createOperator("a b", role: .owner) }
                    == .usage)
            #expect(await code { () throws(ServerError) in try await client.revokeOperator("nobody") } == .usage)
            let inside = "\(server.configuration.data.folder)/backup"
            #expect(
                await code { () throws(ServerError) in try await client.backUp(to: inside, replaces: true) } == .usage)
            let entries = try await audit(client)
            #expect(entries.count == 3, "created; refused, with its failure: \(entries)")
        }
    }

    @Test("a malformed request has an error of the API, and by TCP the paths want credentials")
    func errors() async throws {
        try await with { server, _ in
            let cases: [(request: String, status: Int, code: String)] = [
                (post("operators", #"{"name": "ada"}"#), 422, "invalid"), (post("operators", "[]"), 422, "invalid"),
                (post("operators", #"{"role": "owner"}"#), 422, "invalid"),
                (post("backups", #"{"file": "relative"}"#), 422, "invalid"),
                (post("backups", #"{"file": "/x", "replace": 1}"#), 422, "invalid"),
                (post("nothing", "{}"), 404, "not_found"),
                ("GET /operators/v1/audit?limit=501 HTTP/1.1\nHost: x\nConnection: close\n\n", 422, "invalid"),
                ("DELETE /operators/v1/operators/nobody HTTP/1.1\nHost: x\nConnection: close\n\n", 404, "not_found"),
                ("GET /graphql HTTP/1.1\nHost: x\nConnection: close\n\n", 404, "not_found"),
                ("nonsense\n\n", 400, "invalid"),
                ("POST /operators/v1/operators HTTP/1.1\nHost: x\nContent-Length: 99999999999\n\n", 413, "invalid"),
            ]
            for (request, status, code) in cases {
                let answer = try await exchange(request, server.configuration)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request) \(answer)")
                #expect(answer.contains(#"{"error":{"code":"\#(code)","message":""#), "\(answer)")
            }
            #expect(try server.connect().ask("GET", "/operators/v1/operators").status == 401)
        }
    }

    @Test("connections beyond the bound are closed, and one that ends makes room")
    func connections() async throws {
        try await with { server, client in
            let socket = try OperatorSocket(folder: server.configuration.data.folder)
            var channels: [any Channel] = []
            for _ in 0..<OperatorEndpoint.connectionsMax {
                channels.append(
                    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connect(unixDomainSocketPath: socket.path).get())
            }
            let extra = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(unixDomainSocketPath: socket.path).get()
            try await extra.closeFuture.get()
            #expect(channels.filter(\.isActive).count == channels.count)
            for channel in channels { try await channel.close().get() }
            // The server learns of the closed ones a moment later.
            let end = ContinuousClock.now + .seconds(30)
            var names: [String]?
            while names == nil, ContinuousClock.now < end { names = try? await client.operators().map(\.name) }
            #expect(names == [])
        }
    }

    @Test("without a server the calls are carried out in the folder, which is free afterwards")
    func alone() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let configuration = configuration(folder)
        let client = OperatorClient(configuration)
        #expect(try await client.operators().isEmpty && folder.names.isEmpty, "a list makes nothing")
        let token = try await client.createOperator("ada", role: .owner)
        #expect(token.hasPrefix(OperatorToken.prefix))
        try await client.backUp(to: folder.path("backup"), replaces: false)
        try await client.revokeOperator("ada")
        let actions = try await audit(client).map { try JSONReader.read($0)["action"]?.stringValue }
        #expect(actions == ["operators.create", "backups.create", "operators.revoke"])
        try SQLiteStore(folder: configuration.data.folder).close()
    }

    @Test("a backup of a folder without a database is refused, and makes none")
    func noDatabase() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let client = OperatorClient(configuration(folder))
        let error = await #expect(throws: ServerError.self) {
            try await client.backUp(to: folder.path("backup"), replaces: false)
        }
        #expect(error?.code == .data && folder.names.isEmpty)
    }

    @Test("the socket of a killed server is not taken for a server, and the next server replaces it")
    func stale() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Files.makeFolder(folder.path("data"))
        // Moved, so that closing it leaves the file, as kill -9 does.
        let stale = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(unixDomainSocketPath: folder.path("socket")).get()
        try FileManager.default.moveItem(atPath: folder.path("socket"), toPath: folder.path("data/operators.sock"))
        try await stale.close().get()
        #expect(Files.exists(folder.path("data/operators.sock")))
        let client = OperatorClient(configuration(folder))
        _ = try await client.createOperator("alone", role: .owner)
        try await TestServer.with({ ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("data")) }) { _ in
            _ = try await client.createOperator("served", role: .owner)
        }
        let addresses = try await audit(client).map { try JSONReader.read($0)["address"]?.stringValue }
        #expect(addresses == ["command line", "operators.sock"])
        #expect(!Files.exists(folder.path("data/operators.sock")), "a server that ends removes its socket")
    }

    #if os(Linux)
    @Test("a data folder whose path is too long for a socket has one nevertheless")
    func longPath() async throws {
        let name = String(repeating: "long/", count: 30) + "data"
        try await with(folder: name) { _, client in
            _ = try await client.createOperator("ada", role: .owner)
            let entries = try await audit(client)
            #expect(entries.count == 1 && entries.first?.contains("operators.sock") == true)
        }
    }
    #endif

    @Test("what the audit log cannot take is not done")
    func noAudit() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let handler = OperatorCallHandler(configuration: configuration(folder)) { _ throws(StoreError) in
            throw StoreError(.diskFull, "The disk is full.")
        }
        let problem = #expect(throws: OperatorProblem.self) {
            try handler.answer(.createOperator(name: "ada", role: .owner), for: .commandLine)
        }
        #expect(problem?.code == .unavailable && folder.names.isEmpty)
    }

    @Test("a restore keeps the audit log, and is in it")
    func restore() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let configuration = configuration(folder)
        let client = OperatorClient(configuration)
        _ = try await client.createOperator("ada", role: .owner)
        try await client.backUp(to: folder.path("backup"), replaces: false)
        try await client.revokeOperator("ada")
        _ = try Backups.restore(folder.path("backup"), to: configuration) { true }
        let actions = try await audit(client).map { try JSONReader.read($0)["action"]?.stringValue }
        #expect(actions == ["operators.create", "backups.create", "operators.revoke", "backups.restore"])
    }

    @Test("docs/operators.md lists every path with the role that it needs")
    func documented() throws {
        let text = try String(
            contentsOf: TidyTests.root.appending(path: "docs/operators.md"), encoding: .utf8)
        for route in OperatorRoute.table {
            #expect(text.contains("| `\(route.method) \(route.path)` | \(route.role?.rawValue ?? "–") |"), "\(route)")
        }
        let rows = text.split(separator: "\n").filter { $0.contains(" /operators/v1/") && $0.hasPrefix("| `") }
        #expect(rows.count == OperatorRoute.table.count, "no row without a route")
    }
}
