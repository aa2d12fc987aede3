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
        }
    }
}
