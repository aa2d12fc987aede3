import Foundation
import Server
import Tables

/// A server with throw-away data on a free port, for the length of a test.
struct TestServer {
    static let key = "da2-fakeApiId123456"

    let service: Service
    let configuration: Configuration
    let folder: TemporaryFolder
    let port: Int

    /// Runs `body` beside a server of this schema, once there is a place for it, and stops the server whatever comes of it.
    static func with(
        schema: String = chat, mode: Service.Mode = .dev, log: Log = Log(format: .text, level: .critical),
        clock: WallClock = .system, _ change: (inout Configuration) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await ServerPlaces.shared.with {
            try await start(schema, mode, log, clock, change, body)
        }
    }

    /// Runs `body` with a client beside a server whose data is in a folder of its own, so that it has operators.
    static func withDataFolder(
        schema: String = chat, mode: Service.Mode = .dev, log: Log = Log(format: .text, level: .critical),
        _ change: (inout Configuration) -> Void = { _ in }, _ body: (TestServer, Client) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await with(schema: schema, mode: mode, log: log) {
            ($0.data.isEphemeral, $0.data.folder) = (false, folder.path("data"))
            change(&$0)
        } _: { server in
            try await body(server, try server.connect())
        }
    }

    private static func start(
        _ schema: String, _ mode: Service.Mode, _ log: Log, _ clock: WallClock, _ change: (inout Configuration) -> Void,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(schema, to: "schema.graphql")
        var configuration = Configuration()
        configuration.schema.paths = [folder.path("schema.graphql")]
        configuration.data.isEphemeral = true
        configuration.address.port = 0
        // No test but those of TLS makes certificates, and none in the home of the user who runs it.
        configuration.tls.setting = .off
        configuration.limits.eventLoopCount = 2
        change(&configuration)
        let service = try await Service.start(configuration, mode: mode, log: log, clock: clock)
        let port = URLComponents(string: service.url)?.port ?? 0
        let server = TestServer(service: service, configuration: configuration, folder: folder, port: port)
        do {
            try await body(server)
        } catch {
            await service.stop()
            throw error
        }
        await service.stop()
    }

    func connect() throws -> Client { try Client(port: port) }

    static let chat = """
        type User @model {
          id: ID!
          username: String!
          postcode: String
          messages: [Message] @connection(name: "UserMessages")
        }

        type Message @model @key(name: "byRoom", fields: ["room", "createdAt"], queryField: "messagesByRoom") {
          id: ID!
          room: String!
          body: String!
          createdAt: AWSDateTime!
          author: User @connection(name: "UserMessages")
        }
        """
}

/// A folder of its own for a test.
struct TemporaryFolder {
    let url: URL

    /// A folder that is there.
    init(url: URL) { self.url = url }

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "syncline-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ text: String, to name: String) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// The names of all that is in the folder, at any depth.
    var names: [String] { (try? FileManager.default.subpathsOfDirectory(atPath: url.path))?.sorted() ?? [] }

    func remove() { try? FileManager.default.removeItem(at: url) }
}
