import Foundation
import JSON
import Synchronization
import Testing

@testable import Server

extension SchemaDeploymentTests {
    @Test("what loses more than its plan has shown is refused, when a deployment begins and in its middle")
    func grown() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            func create(_ id: String) throws {
                let made = try query(
                    "mutation { createRoom(input: {id: \"\(id)\", name: \"Sea\", stars: \"many\"}) { id } }", stage)
                try #require(made["errors"] == nil, "\(made)")
            }
            func losses(_ problem: JSONValue?) -> JSONValue? {
                problem?["details"]?["plan"]?["steps"]?.arrayValue?.first?["lostValues"]
            }
            try create("a")
            let new = Self.schema.replacing("stars: String", with: "stars: Int")
            let (plan, body) = try deployment(of: new, stage, ["accept": ["s1"]])
            #expect(plan["steps"]?.arrayValue?.first?["lostValues"] == 1)
            try create("b")
            let refused = try stage.ask("POST", "/schema/deploy", .object(body))
            #expect(refused.status == 409 && refused.value["error"]?["code"] == "conflict", "\(refused)")
            #expect(losses(refused.value["error"]) == 2)

            let schema = try #require(stage.server.service.state.schemaService.withLock { $0 })
            let port = stage.server.port
            schema.hook.withLock {
                $0 = { step throws(OperatorProblem) in
                    guard step == "write" else { return }
                    let document = "mutation { createRoom(input: {id: \"c\", name: \"Sea\", stars: \"many\"}) { id } }"
                    _ = try? Client(port: port).graphql(document)
                }
            }
            let job = try await deploy(new, stage, ["accept": ["s1"]])
            #expect(job["state"] == "failed" && job["error"]?["code"] == "conflict", "\(job)")
            #expect(job["error"]?["details"]?["step"] == "migrate" && losses(job["error"]) == 3)
            #expect(try text(stage) == Self.schema)
            #expect(try query("{ getRoom(id: \"c\") { stars } }", stage)["data"]?["getRoom"] == ["stars": "many"])
            try create("d")
            schema.hook.withLock { $0 = nil }

            // Less than was shown may be lost.
            let seen = try deployment(of: new, stage, ["accept": ["s1"]]).body
            _ = try stage.ask("DELETE", "/data/Room/items/a")
            let done = try await ended(try stage.ask("POST", "/schema/deploy", .object(seen)).value, stage)
            #expect(done["state"] == "done", "\(done)")
        }
    }

    @Test("items that will lack a value are counted until the commit, unless they are given one")
    func grownNeeds() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            _ = try stage.ask("POST", "/data/Room/items", #"{"id":"a","name":"Sea","note":"n"}"#.json)
            let new = Self.schema.replacing("note: String", with: "note: String!")
            let (plan, body) = try deployment(of: new, stage)
            #expect(plan["steps"] == [])
            let schema = try #require(stage.server.service.state.schemaService.withLock { $0 })
            let port = stage.server.port
            schema.hook.withLock {
                $0 = { step throws(OperatorProblem) in
                    guard step == "write" else { return }
                    _ = try? Client(port: port).graphql(
                        "mutation { createRoom(input: {id: \"b\", name: \"Sea\"}) { id } }")
                }
            }
            let job = try await ended(try stage.ask("POST", "/schema/deploy", .object(body)).value, stage)
            #expect(job["error"]?["code"] == "conflict", "\(job)")
            let step = job["error"]?["details"]?["plan"]?["steps"]?.arrayValue?.first
            #expect(step?["risk"] == "needsValues" && step?["items"] == 1)
            #expect(try text(stage) == Self.schema)
            let filled = try await deploy(new, stage, ["backfill": ["Room.note": "x"]])
            #expect(filled["state"] == "done", "\(filled)")
            #expect(try query("{ getRoom(id: \"b\") { note } }", stage)["data"]?["getRoom"] == ["note": "x"])
        }
    }

    @Test("a value of an enum that items hold, and a required field of a nested type that they lack, are steps")
    func narrowedTypes() async throws {
        let schema =
            Self.schema.replacing("note: String", with: "kind: Kind\n  place: Place")
            + "enum Kind { ONE TWO }\ntype Place { city: String }\n"
        try await OperatorStage.with(schema: schema) { stage in
            _ = try stage.ask("POST", "/data/Room/items", #"{"id":"a","name":"Sea","kind":"TWO","place":{}}"#.json)
            func needs(_ old: String, _ new: String) throws -> [String] {
                let plan = try deployment(of: schema.replacing(old, with: new), stage).plan
                return (plan["steps"]?.arrayValue ?? []).map {
                    "\($0["risk"]?.stringValue ?? "") \($0["field"]?.stringValue ?? "") \($0["items"]?.intValue ?? 0)"
                }
            }
            #expect(try needs("ONE TWO", "ONE") == ["needsValues kind 1"])
            #expect(try needs("ONE TWO", "TWO") == [])
            #expect(try needs("ONE TWO", "ONE TWO THREE") == [])
            #expect(try needs("city: String", "city: String!") == ["needsValues place 1"])
            #expect(try needs("city: String", "city: String street: String") == [])
        }
    }
}

extension String {
    fileprivate var json: JSONValue { (try? JSONReader.read(self)) ?? .null }
}
