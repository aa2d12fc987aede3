import Foundation
import JSON
import Testing

@testable import Server

extension SchemaDeploymentTests {
    private static let price = schema.replacing("note: String", with: "note: String\n  price: Int")

    private func write(_ text: String, _ stage: OperatorStage) throws {
        try Data(text.utf8).write(to: URL(filePath: stage.server.configuration.schema.paths[0]))
    }

    private func deployments(_ stage: OperatorStage) throws -> [JSONValue] {
        try stage.ask("GET", "/schema/deployments", as: .viewer).value["items"]?.arrayValue ?? []
    }

    @Test(
        "a change of the files on disk is listed among the deployments once it is served, with its plan and its lines")
    func changesOnDisk() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let (service, configuration) = (stage.server.service, stage.server.configuration)
            try write(Self.price, stage)
            #expect(try deployments(stage).isEmpty, "it is not served yet")
            _ = try service.reload(configuration)
            let list = try deployments(stage)
            #expect(list.count == 1 && list[0]["number"] == 1 && list[0]["source"] == "files", "\(list)")
            #expect(list[0]["by"] == .null && list[0]["summary"]?["additive"] == 1 && list[0]["reversible"] == true)
            let schema = try stage.ask("GET", "/schema").value
            #expect(schema["served"] == true && schema["hash"] == list[0]["hash"])
            #expect(schema["deployment"]?["number"] == 1)
            let record = try stage.ask("GET", "/schema/deployments/1", as: .viewer).value
            #expect(record["files"] == files(Self.price) && record["undo"]?["files"] == files(Self.schema))
            let steps = record["plan"]?["steps"]?.arrayValue?.map { $0["kind"] }
            #expect(steps == ["addColumn"], "\(record)")
            #expect(record["diff"]?.arrayValue?.first?["text"]?.stringValue?.contains("+  price: Int") == true)

            _ = try service.reload(configuration)
            try write("type Room @model { id: Nothing }", stage)
            #expect(throws: ServerError.self) { try service.reload(configuration) }
            #expect(try deployments(stage).count == 1, "neither the same files nor ones with errors are a change")
            try write(Self.price, stage)

            #expect(try await deploy(Self.price + "# more\n", stage)["result"]?["deployment"] == 2)
            _ = try service.reload(configuration)
            #expect(try deployments(stage).map { $0["source"] } == ["console", "files"])
            try write(Self.price, stage)
            _ = try service.reload(configuration)
            let last = try deployments(stage)
            #expect(last.count == 3 && last[0]["source"] == "files" && last[0]["undoes"] == 2, "\(last)")
        }
    }

    @Test(
        "files that were changed while no server ran are listed at the next start",
        arguments: [Service.Mode.dev, .serve])
    func changesBetweenStarts(_ mode: Service.Mode) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.schema.paths = [folder.path("schema.graphql")]
        (configuration.data.isEphemeral, configuration.data.folder) = (false, folder.path("data"))
        configuration.address.port = 0
        configuration.tls.setting = .off
        configuration.limits.eventLoopCount = 1
        configuration.apiKeys.configured = [TestServer.key]
        for (text, count) in [(Self.schema, 0), (Self.schema, 0), (Self.price, 1), (Self.price, 1), (Self.schema, 2)] {
            try folder.write(text, to: "schema.graphql")
            let service = try await Service.start(
                configuration, mode: mode, log: Log(format: .text, level: .critical))
            await service.stop()
            let list = SchemaDeployments(dataFolder: folder.path("data")).list(after: nil, limit: 10).items
            #expect(list.count == count, "\(list)")
            #expect(Files.permissions(folder.path("data/\(SchemaDeployments.servedName)")) == 0o600)
        }
        let deployments = SchemaDeployments(dataFolder: folder.path("data"))
        let first = try #require(deployments[1])
        #expect(first["files"] == files(Self.price) && first["before"] == files(Self.schema))
        #expect(first["plan"]?["steps"]?.arrayValue?.first?["kind"] == "addColumn", "\(first)")
        #expect(deployments[2]?["undoes"] == 1)
    }
}
