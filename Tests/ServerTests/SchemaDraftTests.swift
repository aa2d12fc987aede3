import JSON
import Testing

@testable import Server

@Suite("Drafts of a schema")
struct SchemaDraftTests {
    @Test(
        "an owner's draft is kept with what it began from, in a private file, until it is discarded or changes nothing")
    func draft() async throws {
        try await OperatorStage.with(schema: OperatorSchemaTests.schema) { stage in
            let current = try stage.ask("GET", "/schema").value
            let hash = try #require(current["hash"])
            #expect(try stage.ask("GET", "/schema/draft").value == ["draft": .null, "hash": hash])
            let text = OperatorSchemaTests.schema
            let base: JSONValue = ["schema.graphql": .string(text)]
            var body: JSONObject = [
                "files": ["schema.graphql": .string(text + "# more\n")], "base": hash, "baseFiles": base,
                "renames": [["type": "Room", "field": "name", "to": "title"]],
            ]
            let put = try stage.ask("PUT", "/schema/draft", .object(body))
            #expect(put.status == 200, "\(put.value)")
            let draft = try #require(try stage.ask("GET", "/schema/draft").value["draft"])
            #expect(draft == put.value["draft"] && draft["files"] == body["files"] && draft["baseFiles"] == base)
            #expect(draft["base"] == hash && draft["renames"] == body["renames"])
            let folder = "\(stage.server.configuration.data.folder)/\(SchemaDrafts.folderName)"
            let names = try Files.names(inFolder: folder)
            #expect(names.count == 1 && Files.permissions("\(folder)/\(names[0])") == 0o600)
            for role in [OperatorRole.viewer, .editor] {
                #expect(try stage.ask("GET", "/schema/draft", as: role).status == 403)
            }
            body["base"] = "0000000000000000"
            #expect(try stage.ask("PUT", "/schema/draft", .object(body)).status == 422)
            body["base"] = hash
            body["renames"] = [["type": "Room"]]
            #expect(try stage.ask("PUT", "/schema/draft", .object(body)).status == 422)
            body["renames"] = []
            body["files"] = base
            #expect(try stage.ask("PUT", "/schema/draft", .object(body)).value["draft"] == .null)
            #expect(try Files.names(inFolder: folder).isEmpty)
            body["files"] = ["schema.graphql": "type A @model { id: ID! }"]
            #expect(try stage.ask("PUT", "/schema/draft", .object(body)).value["draft"] != .null)
            #expect(try stage.ask("DELETE", "/schema/draft").value["draft"] == .null)
            #expect(try stage.ask("GET", "/schema/draft").value["draft"] == .null)
            #expect(try stage.ask("PUT", "/schema/draft", .object(body)).value["draft"] != .null)
            let drafts = SchemaDrafts(dataFolder: stage.server.configuration.data.folder)
            #expect(try drafts.read(of: "owner") != nil)
            try Operators.revoke("owner", of: stage.server.configuration)
            #expect(try drafts.read(of: "owner") == nil, "the next operator of the name has none")
        }
    }

    @Test("positions of the diagram are kept for all operators, and an owner changes those of some types")
    func diagram() async throws {
        try await OperatorStage.with(schema: OperatorSchemaTests.schema) { stage in
            #expect(try stage.ask("GET", "/schema/diagram", as: .viewer).value == ["positions": [:]])
            let body: JSONValue = ["positions": ["Room": [120, -40.6], "Booking": [0, 1_000_000]]]
            #expect(try stage.ask("PATCH", "/schema/diagram", as: .editor, body).status == 403)
            let expected: JSONValue = ["positions": ["Room": [120, -41], "Booking": [0, 1_000_000]]]
            #expect(try stage.ask("PATCH", "/schema/diagram", body).value == expected)
            #expect(try stage.ask("GET", "/schema/diagram", as: .viewer).value == expected)
            let changed = try stage.ask("PATCH", "/schema/diagram", ["positions": ["Room": .null, "New": [1, 2]]])
            #expect(changed.value == ["positions": ["Booking": [0, 1_000_000], "New": [1, 2]]])
            let folder = "\(stage.server.configuration.data.folder)/\(SchemaDrafts.folderName)"
            #expect(Files.permissions("\(folder)/diagram.json") == 0o600)
            let wrong: [JSONValue] = [
                [:], ["positions": [1]], ["positions": ["A": [1]]], ["positions": ["A": [1, "2"]]],
                ["positions": ["A": [1, 2, 3]]], ["positions": ["": [1, 2]]], ["positions": ["A": [1, 1_000_001]]],
            ]
            for body in wrong { #expect(try stage.ask("PATCH", "/schema/diagram", body).status == 422, "\(body)") }
            func types(_ prefix: String, _ count: Int) -> JSONValue {
                ["positions": .object(JSONObject((0..<count).map { ("\(prefix)\($0)", [1, 2]) }))]
            }
            #expect(try stage.ask("PATCH", "/schema/diagram", types("A", 1_001)).status == 413)
            // Those that were set first go.
            let many = try stage.ask("PATCH", "/schema/diagram", types("A", 999)).value["positions"]
            #expect(many?.objectValue?.count == 1_000 && many?["Booking"] == nil && many?["New"] == [1, 2])
            #expect(try stage.ask("GET", "/schema").value["files"]?.arrayValue?.count == 1)
        }
    }
}
