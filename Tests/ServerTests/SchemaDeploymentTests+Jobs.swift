import Foundation
import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import Server

extension SchemaDeploymentTests {
    /// Creates rooms as a job does.
    ///
    /// - Parameter refused: Called whenever some of the writes were refused.
    private static func createRooms(
        _ ids: [String], _ handler: OperatorCallHandler, refused: () -> Void
    ) throws(OperatorProblem) -> [String] {
        guard let graphQL = handler.graphQL, let source = try graphQL.servedAPI().dataSources["Room"] else {
            throw .noConsole
        }
        let inputs = ids.map { id -> JSONObject in ["id": .string(id), "name": "Sea"] }
        let outcomes = try BulkWriter(source: source, graphQL: graphQL).write(
            .createItem(model: source.place), inputs,
            isCancelled: {
                refused()
                return false
            })
        return outcomes.map { outcome in
            switch outcome {
            case .written: "written"
            case .conflict: "conflict"
            case .rejected(let reason): reason
            }
        }
    }

    @Test("writes of a job that a migration refuses wait for the new schema, and each is done once")
    func jobsMeanwhile() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let state = stage.server.service.state
            let endpoint = try #require(state.operatorEndpoint.withLock { $0 })
            let schema = try #require(state.schemaService.withLock { $0 })
            let (port, token) = (stage.server.port, stage.tokens[.editor] ?? "")
            let refusedCount = Mutex(0)
            let outcomes = Mutex<[String]?>(nil)
            let started = Mutex("")
            schema.hook.withLock {
                $0 = { step throws(OperatorProblem) in
                    // The tables are migrated, and the old API is served.
                    guard step == "committed" else { return }
                    let rows = (0..<150).map { "i\($0),Sea" }.joined(separator: "\r\n")
                    let answer = try? Client(port: port).ask(
                        "POST", "/operators/v1/data/Room/import",
                        headers: ["Authorization": "Bearer \(token)", "Content-Type": "text/csv"],
                        body: "id,name\r\n\(rows)\r\n")
                    started.withLock { $0 = answer?.body ?? "" }
                    _ = endpoint.run(for: .commandLine) { handler in
                        let written = try? Self.createRooms(["a", "b", "c"], handler) {
                            refusedCount.withLock { $0 += 1 }
                        }
                        outcomes.withLock { $0 = written ?? [] }
                    }
                    let deadline = ContinuousClock.now + .seconds(60)
                    while refusedCount.withLock({ $0 == 0 }), ContinuousClock.now < deadline { usleep(1_000) }
                }
            }
            let new = Self.schema.replacing("note: String", with: "remark: String")
            let rename: JSONValue = [["type": "Room", "field": "note", "to": "remark"]]
            #expect(try await deploy(new, stage, ["renames": rename])["state"] == "done")
            #expect(
                refusedCount.withLock { $0 } > 0, "the old API refuses what it has not written before the migration")
            try await eventually { outcomes.withLock { $0 != nil } }
            #expect(outcomes.withLock { $0 } == ["written", "written", "written"])
            let job = try await ended(try JSONReader.read(started.withLock { $0 }), stage)
            #expect(job["result"]?["created"] == 150 && job["result"]?["rejected"] == 0, "\(job)")
            #expect(try stage.ask("GET", "/data/Room/count?exact=true").value["value"] == 153)
        }
    }

    @Test(
        "conditions of the old schema are not compared with items of another one, and a model that is gone ends the work"
    )
    func changedModels() async throws {
        try await OperatorStage.with(schema: Self.schema + "type Gone @model { id: ID! }\n") { stage in
            let endpoint = try #require(stage.server.service.state.operatorEndpoint.withLock { $0 })
            let writers = Mutex<[String: BulkWriter]>([:])
            func onThread(_ work: @escaping @Sendable (OperatorCallHandler) throws(OperatorProblem) -> String) async
                -> String
            {
                await withCheckedContinuation { continuation in
                    let isTaken = endpoint.run(for: .commandLine) { handler in
                        let result = Result { () throws(OperatorProblem) in try work(handler) }
                        switch result {
                        case .success(let text): continuation.resume(returning: text)
                        case .failure(let problem): continuation.resume(returning: problem.message)
                        }
                    }
                    if !isTaken { continuation.resume(returning: "busy") }
                }
            }
            let made = await onThread { handler throws(OperatorProblem) in
                guard let graphQL = handler.graphQL else { throw .noConsole }
                for name in ["Room", "Gone"] {
                    guard let source = try graphQL.servedAPI().dataSources[name] else { throw .unknownModel(name) }
                    writers.withLock { $0[name] = BulkWriter(source: source, graphQL: graphQL) }
                }
                return "made"
            }
            #expect(made == "made")
            let new = Self.schema.replacing("name: String!", with: "beds: Int\n  name: String!")
            let job = try await deploy(new, stage, ["accept": ["s1", "s2", "s3"]])
            #expect(job["state"] == "done", "\(job)")
            for (name, message) in [("Room", "The fields of Room were changed"), ("Gone", "no model Gone")] {
                let answer = await onThread { _ throws(OperatorProblem) in
                    guard let writer = writers.withLock({ $0[name] }) else { throw .unknownModel(name) }
                    _ = try writer.write(
                        .deleteItem(model: writer.source.place), [["id": "a"]], expecting: [.and([])])
                    return "written"
                }
                #expect(answer.contains(message), "\(answer)")
            }
        }
    }
}
