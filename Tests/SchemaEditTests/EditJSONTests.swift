import GraphQL
import JSON
import SchemaEdit
import Testing

@Suite("The JSON of edits")
struct EditJSONTests {
    private func edit(_ text: String) throws(EditRefusal) -> Edit {
        guard let json = try? JSONReader.read(text) else { throw EditRefusal(.invalid, "The test is no JSON.") }
        return try Edit(json: json)
    }

    private func refusal(of text: String) -> EditRefusal? {
        do throws(EditRefusal) {
            _ = try edit(text)
            return nil
        } catch {
            return error
        }
    }

    @Test("a request of the operators' API is read, and its answer has the edit and its inverse")
    func request() throws {
        let text = "type Booking @model {\\n  id: ID!\\n  checkOutDate: AWSDate!\\n}\\n"
        let request = try EditRequest(
            bytes: Array(
                """
                {"files": {"schema.graphql": "\(text)"}, "edit": {"kind": "addField", "type": "Booking",
                  "field": {"name": "note", "type": "String", "required": false, "list": false}, "after": "checkOutDate"}}
                """.utf8))
        let result = try request.result()
        #expect(
            result.json
                == [
                    "edits": [["file": "schema.graphql", "start": 57, "end": 57, "text": "  note: String\n"]],
                    "inverse": [["file": "schema.graphql", "start": 57, "end": 72, "text": ""]], "renames": [],
                ])
    }

    /// An edit of each kind, with every member.
    static let edits: [Edit] = [
        .addModel(
            Edit.Object(
                name: "A", fields: [Edit.Field(name: "a", type: "String", isRequired: true)],
                rules: [["allow": .enumValue("owner"), "operations": [.enumValue("read")], "groups": ["x"]]],
                description: "An A.")),
        .addEnum(name: "K", values: ["A", "B"], description: nil),
        .addCustomType(Edit.Object(name: "C", fields: [Edit.Field(name: "a", type: "Int", isList: true)])),
        .removeType(name: "A", removingReferences: true), .renameType(name: "A", to: "B", keepingData: false),
        .setDescription(type: "A", member: "a", description: "Text."), .setDescription(type: "A", description: nil),
        .addField(
            type: "A",
            field: Edit.Field(
                name: "b", type: "Int", isRequired: true, isList: true, isElementRequired: true, defaultValue: "1",
                description: "B."), position: .after("a")),
        .addField(type: "A", field: Edit.Field(name: "b", type: "Int"), position: .first),
        .changeField(
            type: "A", field: "a",
            change: Edit.FieldChange(
                type: "Int", isRequired: false, isList: true, isElementRequired: true, defaultValue: .remove)),
        .changeField(type: "A", field: "a", change: Edit.FieldChange(defaultValue: .set(""))),
        .renameField(type: "A", field: "a", to: "b"), .moveField(type: "A", field: "a", position: .first),
        .removeField(type: "A", field: "a"), .addEnumValue(type: "K", value: "C", position: .after("A")),
        .moveEnumValue(type: "K", value: "C", position: .first),
        .moveEnumValue(type: "K", value: "C", position: .after("A")),
        .renameEnumValue(type: "K", value: "A", to: "B"), .removeEnumValue(type: "K", value: "A"),
        .addRelationship(
            Edit.Relationship(
                type: "A", has: .many, target: "B", field: "bs", reverse: .many, reverseField: "as", isRequired: true,
                keyField: "k", isKeyRequired: false, index: "by-A", name: "AB",
                rules: [["allow": .enumValue("public")]],
                position: .first)),
        .removeRelationship(type: "A", field: "b", removingReverse: true, removingKey: true),
        .addKey(type: "A", key: Edit.Key(name: "k", fields: ["a", "b"], queryField: .named("q"))),
        .changeKey(type: "A", name: nil, key: Edit.Key(name: nil, fields: ["a"])),
        .changeKey(type: "A", name: "k", key: Edit.Key(name: "l", fields: ["a"], queryField: .none)),
        .removeKey(type: "A", name: "k"),
        .setRules(type: "A", field: "a", rules: [["allow": .enumValue("groups"), "groupsField": "g"]]),
        .setModelArguments(
            type: "A",
            arguments: [
                Edit.ModelArgument(name: "queries", value: .null),
                Edit.ModelArgument(name: "subscriptions", value: ["level": .enumValue("off"), "onCreate": ["a"]]),
            ]),
    ]

    @Test("an edit that is printed and read again is equal", arguments: edits)
    func roundTrip(edit: Edit) throws {
        let text = edit.json.description
        #expect(try self.edit(text) == edit, "\(text)")
    }

    @Test("every kind is printed by its name")
    func kinds() {
        #expect(Set(Self.edits.map(\.kind)) == Set(Edit.kinds))
    }

    @Test(
        "unknown kinds and members, values of other types and names that are none are refused by name",
        arguments: [
            (#"{"kind": "dropTable"}"#, "There is no edit 'dropTable'."),
            (#"{"type": "A"}"#, "'edit' lacks the member 'kind'."),
            (#"[]"#, "'edit' is not an object."),
            (#"{"kind": "removeType", "type": "A", "force": true}"#, "'removeType' has no member 'force'."),
            (#"{"kind": "removeType", "type": "A B"}"#, "'type' of 'removeType' is not a name."),
            (#"{"kind": "removeType", "type": "A{}"}"#, "'type' of 'removeType' is not a name."),
            (#"{"kind": "removeType", "type": "__A"}"#, "'type' of 'removeType' is not a name."),
            (#"{"kind": "removeType", "type": 1}"#, "'type' of 'removeType' is not a name."),
            (
                #"{"kind": "renameType", "type": "A", "to": "B", "keepingData": 1}"#,
                "'keepingData' of 'renameType' is not true or false."
            ),
            (
                #"{"kind": "addField", "type": "A", "field": {"name": "a", "type": "[Int]"}}"#,
                "'type' of 'field' is not a name."
            ),
            (
                #"{"kind": "addField", "type": "A", "field": {"name": "a", "type": "Int", "x": 1}}"#,
                "'field' has no member 'x'."
            ),
            (
                #"{"kind": "addField", "type": "A", "field": {"name": "a", "type": "Int", "elementRequired": true}}"#,
                "'elementRequired' of 'field' is for lists."
            ),
            (#"{"kind": "setRules", "type": "A", "rules": [{"allow": "owner", "a": 1}]}"#, "'rule' has no member 'a'."),
            (
                #"{"kind": "setRules", "type": "A", "rules": [{"allow": "owner) @x"}]}"#,
                "'allow' of 'rule' is not a name."
            ),
            (
                #"{"kind": "setRules", "type": "A", "rules": [{"allow": "owner", "operations": ["a b"]}]}"#,
                "'operations' is not a name."
            ),
            (
                #"{"kind": "setModelArguments", "type": "A", "arguments": {"queries": {"x": 1}}}"#,
                "'queries' has no member 'x'."
            ),
            (
                #"{"kind": "setModelArguments", "type": "A", "arguments": {"x": null}}"#,
                "'arguments' has no member 'x'."
            ),
            (
                #"{"kind": "addKey", "type": "A", "key": {"name": "a\"", "fields": []}}"#,
                "'name' of 'key' is not the name of an index."
            ),
            (
                #"{"kind": "addRelationship", "type": "A", "target": "B", "field": "b", "has": "two"}"#,
                #"'has' of 'addRelationship' is not one of "none", "one", "many"."#
            ),
            (#"{"kind": "setDescription", "type": "A"}"#, "'setDescription' lacks the member 'description'."),
        ])
    func refused(text: String, message: String) {
        let refused = refusal(of: text)
        #expect(refused?.code == .invalid)
        #expect(refused?.message == message)
    }

    @Test("texts of directives cannot leave their strings")
    func strings() throws {
        let evil = "\") @deprecated # \\"
        let field = Edit.Field(name: "b", type: "String", defaultValue: evil, description: evil)
        let result = try edited("type A @model { id: ID! @primaryKey }", .addField(type: "A", field: field))
        let parsed = Parser.parseTypeSystem([Source(result)]).document.definitions
        guard case .type(.object(let type)) = parsed.first else { return #expect(Bool(false)) }
        #expect(type.fields[1].directives.map(\.name) == ["default"])
        #expect(type.fields[1].directives[0]["value"] == .string(evil))
        #expect(type.fields[1].description?.text == evil)
    }

    @Test("what exceeds a bound is refused")
    func limits() {
        for (body, expected) in [
            (JSONValue.object(["files": [:], "edits": ["kind": "removeType"]]), EditRefusal.Code.invalid),
            (["files": [:], "edits": .array(Array(repeating: [:], count: 1_001))], .limit),
        ] {
            #expect(throws: EditRefusal.self) { try EditRequest(json: body) }
            do throws(EditRefusal) { _ = try EditRequest(json: body) } catch { #expect(error.code == expected) }
        }
        for name in ["a b", "a\"", "", String(repeating: "a", count: 256)] {
            let edit: JSONValue = [
                "kind": "addRelationship", "type": "A", "has": "many", "target": "B", "field": "bs",
                "index": .string(name),
            ]
            do throws(EditRefusal) {
                _ = try Edit(json: edit)
                Issue.record("The index \(name) is refused.")
            } catch { #expect(error.code == .invalid && error.message.contains("index")) }
        }
        func code(_ limits: SchemaEditLimits, _ text: String = "type A { x: Int }") -> EditRefusal.Code? {
            do throws(EditRefusal) {
                let edit = Edit.addEnum(name: "K", values: ["X"])
                _ = try SchemaEditor.apply(
                    [edit, .addEnumValue(type: "K", value: "Y")], to: [SchemaFile(name: "a", text: text)],
                    limits: limits)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(.standard) == nil)
        var limits = SchemaEditLimits.standard
        limits.editsMax = 1
        #expect(code(limits) == .limit)
        limits = .standard
        limits.textBytesMax = 20
        #expect(code(limits) == .limit)
        limits = .standard
        limits.definitionsMax = 1
        #expect(code(limits) == .limit)
        limits = .standard
        limits.filesMax = 0
        #expect(code(limits) == .limit)
        limits = .standard
        limits.nameBytesMax = 3
        #expect(throws: EditRefusal.self) {
            try Edit(json: ["kind": "removeType", "type": "Four"], limits: limits)
        }
        limits = .standard
        limits.valueBytesMax = 3
        #expect(throws: EditRefusal.self) {
            try Edit(json: ["kind": "setDescription", "type": "A", "description": "Four"], limits: limits)
        }
        limits = .standard
        limits.membersMax = 1
        #expect(throws: EditRefusal.self) {
            try Edit(json: ["kind": "addEnum", "name": "A", "values": ["B", "C"]], limits: limits)
        }
        limits = .standard
        limits.jsonDepthMax = 2
        #expect(throws: EditRefusal.self) {
            try EditRequest(bytes: Array(#"{"files":{},"edit":{"kind":{"a":[]}}}"#.utf8), limits: limits)
        }
    }

    @Test("a text that is no schema is refused at its place")
    func syntax() {
        let refused = Schema("type A {\n  x Int\n}\n").refusal(of: .removeType(name: "A"))
        #expect(refused?.code == .syntax)
        #expect(refused?.place?.line == 2)
        #expect(Schema("query { a }").refusal(of: .removeType(name: "A"))?.code == .syntax)
    }
}
