import Foundation
import JSON
import Testing

@testable import Server

@Suite("The schema by the operators' API: read, check, edit and merge")
struct OperatorSchemaTests {
    static let schema = """
        # Rooms of the hotel.
        type Room @model @auth(rules: [{allow: public}]) {
          id: ID!
          name: String!
          bookings: [Booking] @hasMany(indexName: "byRoom", fields: ["id"])
        }

        "One stay."
        type Booking @model @auth(rules: [{allow: public, operations: [read, create]}]) {
          id: ID!
          roomID: ID! @index(name: "byRoom", sortKeyFields: ["day"], queryField: "bookingsByRoom")
          day: AWSDate!
          kind: Kind
          room: Room @belongsTo(fields: ["roomID"])
        }

        enum Kind { SINGLE DOUBLE }

        """

    private func files(_ text: String) -> JSONValue { ["files": ["schema.graphql": .string(text)]] }

    @Test("a schema that would take long to check is refused, with what it has too much of")
    func size() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let fields = (0..<2_000).map { " f\($0): String" }.joined()
            let texts = [
                ("types", (0..<4_001).map { "enum E\($0) { A }\n" }.joined()),
                ("fields", (0..<26).map { "type T\($0) {\(fields) }\n" }.joined()),
                (
                    "rules",
                    "type A @model @auth(rules: [\(String(repeating: "{allow: public} ", count: 4_001))]) { id: ID! }"
                ),
                (
                    "rules times",
                    "type A @model @auth(rules: [\(String(repeating: "{allow: public} ", count: 501))]) { id: ID!\(fields) }"
                ),
            ]
            for (name, text) in texts {
                for path in ["check", "plan"] {
                    let answer = try stage.ask("POST", "/schema/\(path)", files(text))
                    #expect(answer.status == 413 && answer.value["error"]?["code"] == "too_large", "\(name)")
                    #expect(answer.value["error"]?["message"]?.stringValue?.contains(" \(name)") == true, "\(answer)")
                }
            }
            #expect(try stage.ask("POST", "/schema/check", files("type A {\(fields) }")).status == 200)
        }
    }

    @Test("a file that is not UTF-8 is shown, and nothing of it is edited, drafted, planned or deployed")
    func encoding() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let url = URL(filePath: stage.server.configuration.schema.paths[0])
            var bytes = Array(Self.schema.utf8)
            bytes += Array("# Caf".utf8) + [0xE9, 0x0A]
            try Data(bytes).write(to: url)
            let shown = try stage.ask("GET", "/schema", as: .viewer).value
            let text = shown["files"]?.arrayValue?.first?["text"]?.stringValue ?? ""
            #expect(text.hasSuffix("# Caf\u{FFFD}\n") && shown["canDeploy"] == false)
            let message = "Line 18 of schema.graphql is not UTF-8, so the file cannot be changed here."
            #expect(shown["reason"]?.stringValue == message)
            let files: JSONValue = ["schema.graphql": .string(text)]
            let changed: JSONValue = ["schema.graphql": .string(text + "enum More { A }\n")]
            let calls: [(String, String, JSONValue)] = [
                ("POST", "/schema/plan", ["files": changed]),
                (
                    "POST", "/schema/deploy",
                    ["files": changed, "base": "0123456789abcdef", "planHash": "0123456789abcdef", "accept": []]
                ),
                ("POST", "/schema/edit", ["files": files, "edit": ["kind": "removeType", "type": "Kind"]]),
                ("POST", "/schema/merge", ["base": files, "files": changed]),
                (
                    "PUT", "/schema/draft",
                    [
                        "files": changed, "baseFiles": files, "renames": [],
                        "base": .string(try SchemaText(files).hash),
                    ]
                ),
            ]
            for (method, path, body) in calls {
                let answer = try stage.ask(method, path, body)
                let error = answer.value["error"]
                #expect(answer.status == 409 && error?["message"]?.stringValue == message, "\(path): \(answer)")
                #expect(error?["hint"] == "Save the file as UTF-8.")
                #expect(error?["details"]?["place"]?["line"] == 18)
                #expect(error?["details"]?["place"]?["offset"]?.intValue == Int64(Self.schema.utf8.count + 5))
            }
            #expect(try Data(contentsOf: url) == Data(bytes))
            #expect(try stage.ask("GET", "/schema/draft").value["draft"] == .null)
        }
    }

    @Test("the schema is read with its files, what it declares and where, and what the API makes of it")
    func read() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let answer = try stage.ask("GET", "/schema", as: .viewer)
            #expect(answer.status == 200)
            let value = answer.value
            let file = try #require(value["files"]?.arrayValue?.first)
            #expect(file["name"] == "schema.graphql" && file["text"]?.stringValue == Self.schema)
            #expect(file["path"]?.stringValue == stage.server.configuration.schema.paths[0])
            #expect(value["hash"]?.stringValue?.count == 16 && value["served"] == true && value["canDeploy"] == true)
            #expect(value["transformerVersion"] == 2 && value["diagnostics"] == [])
            let model = try #require(value["model"])
            let types = try #require(model["types"])
            let kinds = types.arrayValue?.map { "\($0["name"]?.stringValue ?? "") \($0["kind"]?.stringValue ?? "")" }
            #expect(kinds == ["Room model", "Booking model", "Kind enum"])
            let booking = try #require(types.element("Booking"))
            #expect(booking["description"] == "One stay.")
            #expect(booking["place"]?["line"] == 8 && booking["namePlace"]?["line"] == 9)
            let room = try #require(booking["fields"]?.element("room"))
            #expect(room["kind"] == "model" && room["stored"] == false && room["required"] == false)
            let start = try #require(room["namePlace"]?["start"]?.intValue)
            let bytes = Array(Self.schema.utf8)
            #expect(String(decoding: bytes[Int(start)..<Int(start) + 4], as: UTF8.self) == "room")
            #expect(booking["fields"]?.element("id")?["key"] == true)
            let keys = booking["keys"]?.arrayValue
            #expect(keys?[0]["primary"] == true && keys?[1]["fields"] == ["roomID", "day"])
            #expect(
                booking["rules"]?.arrayValue?.first?["rule"] == ["allow": "public", "operations": ["read", "create"]])
            #expect(booking["api"]?["queries"] == ["getBooking", "listBookings", "bookingsByRoom"])
            #expect(booking["access"]?.arrayValue?.first?["identity"]?.stringValue?.contains("API key") == true)
            #expect(types.element("Kind")?["values"]?.arrayValue?.count == 2)
            let relation = try #require(model["relationships"]?.element("Booking", where: "type"))
            #expect(relation["has"] == "one" && relation["reverse"] == "many")
            #expect(relation["sentence"] == "Each Booking has one Room. Each Room has many Bookings.")
            try Data("# Changed\n".utf8).write(to: URL(filePath: stage.server.configuration.schema.paths[0]))
            let changed = try stage.ask("GET", "/schema", as: .viewer).value
            #expect(changed["served"] == false && changed["hash"] != value["hash"])
        }
    }

    @Test("a check has every error with its place, and the model of a text that has errors but of syntax")
    func check() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let good = try stage.ask("POST", "/schema/check", as: .viewer, files(Self.schema)).value
            let served = try stage.ask("GET", "/schema", as: .viewer).value
            #expect(good["valid"] == true && good["hash"] == served["hash"] && good["model"] == served["model"])
            let text = Self.schema.replacing("kind: Kind", with: "né: Strin")
            let bad = try stage.ask("POST", "/schema/check", as: .viewer, files(text)).value
            #expect(bad["valid"] == false)
            let unknown = try stage.ask(
                "POST", "/schema/check", as: .viewer,
                files(Self.schema.replacing("day: AWSDate!", with: "day: AWSDat!")))
            let error = try #require(unknown.value["diagnostics"]?.arrayValue?.first)
            #expect(error["severity"] == "error" && error["file"] == "schema.graphql" && error["line"] == 12)
            #expect(error["code"] == "SchemaValidationError" && error["suggestion"] == "AWSDate")
            let start = try #require(error["start"]?.intValue)
            let bytes = Array(Self.schema.replacing("day: AWSDate!", with: "day: AWSDat!").utf8)
            #expect(String(decoding: bytes[Int(start)...].prefix(7), as: UTF8.self) == "AWSDat!", "\(error)")
            #expect(unknown.value["model"]?["types"]?.element("Booking")?["api"] == .null)
            let broken = try stage.ask("POST", "/schema/check", as: .viewer, files("type Room @model {"))
            #expect(broken.status == 200 && broken.value["model"] == .null && broken.value["valid"] == false)
            #expect(broken.value["diagnostics"]?.arrayValue?.first?["code"] == "SyntaxError")
            for body in ["{}", #"{"files":[]}"#, #"{"files":{"a":1}}"#, "[]"] {
                #expect(try stage.ask("POST", "/schema/check", body: body).status == 422)
            }
            let empty = try stage.ask("POST", "/schema/check", files(""))
            #expect(empty.status == 200 && empty.value["valid"] == true)
            #expect(empty.value["diagnostics"]?.arrayValue?.first?["severity"] == "warning", "\(empty)")
        }
    }

    @Test("an edit has the text edits, those that undo it, and the model after it; a refused one says why and where")
    func edit() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            var body = try #require(files(Self.schema).objectValue)
            body["edit"] = [
                "kind": "addField", "type": "Booking", "field": ["name": "note", "type": "String"], "after": "day",
            ]
            let answer = try stage.ask("POST", "/schema/edit", as: .viewer, .object(body))
            #expect(answer.status == 200, "\(answer.value)")
            let edit = try #require(answer.value["edits"]?.arrayValue?.first)
            let start = Int(try #require(edit["start"]?.intValue))
            var bytes = Array(Self.schema.utf8)
            bytes.insert(contentsOf: try #require(edit["text"]?.stringValue).utf8, at: start)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("  day: AWSDate!\n  note: String\n"))
            #expect(answer.value["inverse"]?.arrayValue?.first?["text"] == "")
            #expect(answer.value["model"]?["types"]?.element("Booking")?["fields"]?.element("note") != nil)
            #expect(answer.value["hash"] == (try stage.ask("POST", "/schema/check", files(text))).value["hash"])

            body["edit"] = ["kind": "removeType", "type": "Kind"]
            let refused = try stage.ask("POST", "/schema/edit", as: .viewer, .object(body))
            #expect(refused.status == 409)
            let details = try #require(refused.value["error"]?["details"])
            #expect(details["refusal"] == "referenced")
            #expect(details["references"]?.arrayValue?.first?["subject"] == "Booking.kind")
            for (edit, status) in [
                (JSONValue.object(["kind": "nothing"]), 422), (["kind": "removeType", "type": "None"], 404),
                (["kind": "addModel", "name": "Room"], 409), (["kind": "removeType", "type": "a b"], 422),
            ] {
                body["edit"] = edit
                #expect(try stage.ask("POST", "/schema/edit", .object(body)).status == status, "\(edit)")
            }
        }
    }

    @Test("a draft is merged into files that changed elsewhere, and a change of the same lines is a conflict")
    func merge() async throws {
        try await OperatorStage.with(schema: Self.schema) { stage in
            let path = URL(filePath: stage.server.configuration.schema.paths[0])
            let draft = Self.schema.replacing("SINGLE DOUBLE", with: "SINGLE DOUBLE SUITE")
            let theirs = Self.schema.replacing("name: String!", with: "name: String!\n  stars: Int")
            try Data(theirs.utf8).write(to: path)
            let body: JSONValue = [
                "base": ["schema.graphql": .string(Self.schema)], "files": ["schema.graphql": .string(draft)],
            ]
            let merged = try stage.ask("POST", "/schema/merge", as: .viewer, body)
            #expect(merged.status == 200, "\(merged.value)")
            let text = merged.value["files"]?["schema.graphql"]?.stringValue
            #expect(text == theirs.replacing("SINGLE DOUBLE", with: "SINGLE DOUBLE SUITE"))
            try Data(Self.schema.replacing("SINGLE DOUBLE", with: "SINGLE").utf8).write(to: path)
            let conflict = try stage.ask("POST", "/schema/merge", as: .viewer, body)
            #expect(conflict.status == 409 && conflict.value["error"]?["details"]?["refusal"] == "conflict")
        }
    }

    @Test("in serve, schemas are deployed only where the configuration allows it, and the answer says so")
    func deployments() async throws {
        for isAllowed in [false, true] {
            try await OperatorStage.with(schema: Self.schema, mode: .serve) {
                $0.console.isEnabled = true
                $0.console.isDeploymentAllowed = isAllowed
            } _: { stage in
                let value = try stage.ask("GET", "/schema").value
                #expect(value["canDeploy"] == .bool(isAllowed))
                #expect((value["reason"] == .null) == isAllowed)
            }
        }
    }

    @Test("a text of a hundred models is checked, and one that is too large is refused")
    func bounds() async throws {
        let text = (0..<100).map { index in
            "type Model\(index) @model @auth(rules: [{allow: public}]) {\n  id: ID!\n"
                + (0..<10).map { "  field\($0): String\n" }.joined() + "}\n"
        }.joined(separator: "\n")
        try await OperatorStage.with(schema: Self.schema) { stage in
            let answer = try stage.ask("POST", "/schema/check", files(text))
            #expect(answer.value["valid"] == true)
            #expect(answer.value["model"]?["types"]?.arrayValue?.count == 100)
            let large = String(repeating: "# a comment that nobody reads\n", count: 150_000)
            #expect(try stage.ask("POST", "/schema/check", files(large)).status == 413)
        }
    }

    /// A schema of everyday models: each with two relationships, an index, rules for owners and groups, an enum and a nested type.
    static func everyday(_ count: Int) -> String {
        (0..<count).map { index in
            let (next, previous) = ((index + 1) % count, (index + count - 1) % count)
            let types = ["String", "Int", "AWSDate!", "[String!]"]
            let fields = (0..<8).map { "  field\($0): \(types[$0 % 4])\n" }.joined()
            return """
                "Number \(index)."
                type Model\(index) @model
                  @auth(rules: [{allow: owner}, {allow: groups, groups: ["staff"], operations: [read, update]}]) {
                  id: ID!
                  parentID: ID! @index(name: "byParent\(index)", sortKeyFields: ["day"], queryField: "model\(index)ByParent")
                  day: AWSDate! # when
                  parent: Model\(next) @belongsTo(fields: ["parentID"])
                  children: [Model\(previous)] @hasMany(indexName: "byParent\(previous)", fields: ["id"])
                  kind: Kind
                  place: Place
                \(fields)}

                """
        }.joined() + "enum Kind { ONE TWO THREE }\n\ntype Place {\n  street: String\n  city: String\n}\n"
    }

    /// The bound is that of a debug build on a busy machine; a release build takes a small part of it.
    @Test("a hundred everyday models are checked and edited in a moment")
    func time() async throws {
        let text = Self.everyday(100)
        try await OperatorStage.with(schema: Self.schema) { stage in
            let edit: JSONValue = ["kind": "addField", "type": "Model50", "field": ["name": "added", "type": "Int"]]
            for path in ["check", "edit"] {
                var times: [Duration] = []
                for turn in 0..<5 {
                    // Each text is another one, since a text that is checked again is not transformed again.
                    var body = files(text + "# \(path) \(turn)\n").objectValue ?? [:]
                    if path == "edit" { body["edit"] = edit }
                    let start = ContinuousClock.now
                    let answer = try stage.ask("POST", "/schema/\(path)", .object(body))
                    times.append(start.duration(to: .now))
                    #expect(answer.status == 200 && answer.value["diagnostics"] == [], "\(answer.value)")
                    #expect(answer.value["model"]?["relationships"]?.arrayValue?.count == 200)
                }
                let median = times.sorted()[2]
                print("POST /schema/\(path) of 100 models: \(median.milliseconds) ms.")
                #expect(median < .seconds(20))
            }
        }
    }
}
