import Dispatch
import Foundation
import JSON
import Synchronization
import Testing

@testable import Server

/// Creates rooms, one after the other, until it is stopped: as the old API wants them until that refuses them, then as the new
/// one does.
private final class RoomWriter: Sendable {
    struct State {
        /// The ids of rooms whose creation was acknowledged.
        var acknowledged: [String] = []
        /// Those of them that the new API acknowledged.
        var newCount = 0
        /// Answers that ask to try again.
        var refusedCount = 0
        var unexpected: [String] = []
        var isStopped = false
    }

    let state = Mutex(State())
    private let name: String
    private let port: Int
    private let fields: (old: String, new: String)

    init(_ name: String, port: Int, fields: (old: String, new: String)) {
        (self.name, self.port, self.fields) = (name, port, fields)
    }

    static func create(_ id: String, _ fields: String) -> String {
        "mutation { createRoom(input: {id: \"\(id)\", name: \"Sea\", \(fields)}) { id } }"
    }

    func work() {
        guard let client = try? Client(port: port) else { return }
        var (number, isNew) = (0, false)
        while state.withLock({ !$0.isStopped && $0.unexpected.isEmpty }) {
            number += 1
            let id = "\(name)-\(number)"
            let document = Self.create(id, isNew ? fields.new : fields.old)
            guard let answer = try? client.ask(body: Client.envelope(document)) else {
                return state.withLock { $0.unexpected.append("The connection ended.") }
            }
            state.withLock { state in
                if answer.status == 200, !answer.body.contains("\"errors\"") {
                    state.acknowledged.append(id)
                    if isNew { state.newCount += 1 }
                } else if answer.status == 503 {
                    state.refusedCount += 1
                } else if !isNew, answer.status == 200 || answer.status == 400 {
                    isNew = true
                } else {
                    state.unexpected.append("\(answer.status) \(answer.body)")
                }
            }
        }
    }
}

extension SchemaDeploymentTests {
    struct Change: Sendable {
        let from: String
        let to: String
        /// The members of a room's input, before and after.
        let fields: (old: String, new: String)
        /// What each room has afterwards.
        let expected: JSONObject
        var more: JSONObject = [:]
    }

    static let changes = [
        Change(
            from: "note: String", to: "note: String\n  beds: Int!", fields: ("note: \"n\"", "beds: 2"),
            expected: ["beds": 2], more: ["backfill": ["Room.beds": 2]]),
        Change(
            from: "note: String", to: "note: String!", fields: ("stars: \"5\"", "note: \"n\""),
            expected: ["note": "n"], more: ["backfill": ["Room.note": "n"]]),
        Change(
            from: "note: String", to: "remark: String", fields: ("note: \"n\"", "remark: \"n\""),
            expected: ["remark": "n"], more: ["renames": [["type": "Room", "field": "note", "to": "remark"]]]),
        // The values of a column are moved to another one that is there already.
        Change(
            from: "note: String\n  remark: String", to: "remark: String", fields: ("note: \"n\"", "remark: \"n\""),
            expected: ["remark": "n"], more: ["renames": [["type": "Room", "field": "note", "to": "remark"]]]),
    ]

    @Test(
        "clients that write during a deployment lose nothing that was acknowledged, and each item is as the new schema requires",
        arguments: changes)
    func writers(_ change: Change) async throws {
        let old = Self.schema.replacing("note: String", with: change.from)
        try await OperatorStage.with(schema: old) { stage in
            let port = stage.server.port
            let writers = (0..<3).map { RoomWriter("w\($0)", port: port, fields: change.fields) }
            let group = DispatchGroup()
            for writer in writers {
                DispatchQueue.global().async(group: group) { writer.work() }
            }
            @Sendable func wait(until isMet: (RoomWriter.State) -> Bool) -> Bool {
                let deadline = ContinuousClock.now + .seconds(60)
                while ContinuousClock.now < deadline {
                    if writers.allSatisfy({ $0.state.withLock { isMet($0) || !$0.unexpected.isEmpty } }) { return true }
                    usleep(1_000)
                }
                return false
            }
            let schema = try #require(stage.server.service.state.schemaService.withLock { $0 })
            let refusals = Mutex<[Int]>([])
            schema.hook.withLock {
                $0 = { step throws(OperatorProblem) in
                    // The tables are migrated, and the old API is served.
                    guard step == "committed" else { return }
                    _ = wait { $0.refusedCount > 0 }
                    let client = try? Client(port: port)
                    let writes = [
                        RoomWriter.create("late", change.fields.old),
                        "mutation { updateRoom(input: {id: \"w0-1\", \(change.fields.old)}) { id } }",
                    ]
                    for write in writes {
                        let status = (try? client?.ask(body: Client.envelope(write)))?.status ?? 0
                        refusals.withLock { $0.append(status) }
                    }
                }
            }
            #expect(wait { $0.acknowledged.count >= 5 })
            let new = old.replacing(change.from, with: change.to)
            let job = try await deploy(new, stage, change.more.merging(["accept": ["s1", "s2", "s3"]]))
            #expect(job["state"] == "done", "\(job)")
            #expect(wait { $0.newCount >= 5 })
            for writer in writers { writer.state.withLock { $0.isStopped = true } }
            await withCheckedContinuation { continuation in
                group.notify(queue: .global()) { continuation.resume() }
            }
            #expect(refusals.withLock { $0 } == [503, 503])
            var rooms: [String: JSONValue] = [:]
            var token = "null"
            let names = change.expected.keys.joined(separator: " ")
            repeat {
                let page = try query(
                    "{ listRooms(limit: 1000, nextToken: \(token)) { nextToken items { id \(names) } } }", stage)
                #expect(page["errors"] == nil, "\(page)")
                let list = try #require(page["data"]?["listRooms"])
                for item in list["items"]?.arrayValue ?? [] { rooms[item["id"]?.stringValue ?? ""] = item }
                token = list["nextToken"]?.stringValue.map { JSONValue.string($0).description } ?? "null"
            } while token != "null"
            for writer in writers {
                let state = writer.state.withLock { $0 }
                #expect(state.unexpected.isEmpty, "\(state.unexpected)")
                #expect(state.acknowledged.allSatisfy { rooms[$0] != nil })
            }
            for (id, room) in rooms {
                for (name, value) in change.expected { #expect(room[name] == value, "\(id)") }
            }
            #expect(rooms["late"] == nil)
        }
    }

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

    @Test("a file that is saved while a deployment writes it stays as it was saved, and the deployment is a conflict")
    func savedMeanwhile() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let new = Self.schema.replacing("note: String", with: "note: String\n  price: Int")
            let body = try deployment(of: new, stage).body
            let service = stage.server.service
            let schema = try #require(service.state.schemaService.withLock { $0 })
            let path = stage.server.configuration.schema.paths[0]
            let saved = Self.schema + "# saved by a colleague\n"
            schema.hook.withLock {
                $0 = { step throws(OperatorProblem) in
                    if step == "draft" { try? Files.write(saved, to: path) }
                }
            }
            let job = try await ended(try stage.ask("POST", "/schema/deploy", .object(body)).value, stage)
            #expect(job["state"] == "failed" && job["error"]?["code"] == "conflict", "\(job)")
            #expect(try text(stage) == saved)
            let names = try FileManager.default.contentsOfDirectory(atPath: Files.folder(of: path))
            #expect(!names.contains { $0.hasSuffix(".partial") }, "\(names)")
            let served = try query("{ __type(name: \"Room\") { fields { name } } }", stage).description
            #expect(served.contains("note") && !served.contains("price"))
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

extension JSONObject {
    fileprivate func merging(_ other: JSONObject) -> JSONObject {
        var object = self
        for (name, value) in other { object[name] = value }
        return object
    }
}

extension String {
    fileprivate var json: JSONValue { (try? JSONReader.read(self)) ?? .null }
}
