import SchemaEdit
import Testing

@Suite("Edits of fields")
struct FieldEditTests {
    private let note = Edit.Field(name: "note", type: "String")

    @Test(
        "a new field copies indentation, line end and comma of its neighbours",
        arguments: [
            ("type A {\n  id: ID!\n}\n", "type A {\n  id: ID!\n  note: String\n}\n"),
            ("type A {\r\n\tid: ID!\r\n}\r\n", "type A {\r\n\tid: ID!\r\n\tnote: String\r\n}\r\n"),
            ("type A {\n    id: ID!,\n    b: Int\n}", "type A {\n    id: ID!,\n    b: Int,\n    note: String\n}"),
            ("type A {\n  id: ID!,\n  b: Int,\n}", "type A {\n  id: ID!,\n  b: Int,\n  note: String,\n}"),
            ("type A {\n  id: ID! # key\n}", "type A {\n  id: ID! # key\n  note: String\n}"),
            ("type A {\n  id: ID!\n  # about nothing\n}", "type A {\n  id: ID!\n  note: String\n  # about nothing\n}"),
            ("type A {\n  id: ID! }", "type A {\n  id: ID!\n  note: String }"),
            ("type A { id: ID! }", "type A { id: ID!, note: String }"),
            ("type A { id: ID! b: Int }", "type A { id: ID! b: Int note: String }"),
            ("type A { id: ID!, }", "type A { id: ID!, note: String, }"),
            ("type A {id: ID!,b: Int}", "type A {id: ID!,b: Int,note: String}"),
            ("type A @model", "type A @model {\n  note: String\n}"),
            ("type A {\r  id: ID!\r}\r", "type A {\r  id: ID!\r  note: String\r}\r"),
            ("\u{FEFF}type A {\n  id: ID!\n}\n", "\u{FEFF}type A {\n  id: ID!\n  note: String\n}\n"),
        ])
    func add(text: String, expected: String) throws {
        #expect(try edited(text, .addField(type: "A", field: note)) == expected)
    }

    @Test("a new field stands first, after another one with its comment, or last")
    func position() throws {
        let text = "type A {\n  # the id\n  id: ID! # key\n\n  b: Int\n}\n"
        #expect(
            try edited(text, .addField(type: "A", field: note, position: .first))
                == "type A {\n  note: String\n  # the id\n  id: ID! # key\n\n  b: Int\n}\n")
        #expect(
            try edited(text, .addField(type: "A", field: note, position: .after("id")))
                == "type A {\n  # the id\n  id: ID! # key\n  note: String\n\n  b: Int\n}\n")
        #expect(
            try edited("type A { id: ID!, b: Int }", .addField(type: "A", field: note, position: .first))
                == "type A { note: String, id: ID!, b: Int }")
    }

    @Test("lists, required elements, defaults and descriptions are written")
    func parts() throws {
        let tags = Edit.Field(
            name: "tags", type: "String", isRequired: true, isList: true, isElementRequired: true,
            description: "What it is about.")
        #expect(
            try edited("type A {\n  id: ID!\n}\n", .addField(type: "A", field: tags))
                == "type A {\n  id: ID!\n  \"\"\"What it is about.\"\"\"\n  tags: [String!]!\n}\n")
        #expect(
            try edited("type A { \"the id\" id: ID! }", .addField(type: "A", field: tags))
                == "type A { \"the id\" id: ID!, \"What it is about.\" tags: [String!]! }")
        let stars = Edit.Field(name: "stars", type: "Int", defaultValue: "5")
        #expect(
            try edited("type A @model { id: ID! @primaryKey }", .addField(type: "A", field: stars))
                == "type A @model { id: ID! @primaryKey, stars: Int @default(value: \"5\") }")
        #expect(refusal(of: .addField(type: "A", field: stars), in: "type A @model { id: ID! }")?.code == .invalid)
    }

    @Test("a field of a model, of an unknown type and of a name in use are refused")
    func refused() {
        let text = "type A @model { id: ID! }\ntype B @model { id: ID! }\ninput I { a: Int }\n"
        func code(_ name: String, _ type: String) -> EditRefusal.Code? {
            refusal(of: .addField(type: "A", field: Edit.Field(name: name, type: type)), in: text)?.code
        }
        #expect(code("b", "B") == .invalid)
        #expect(code("b", "C") == .notFound)
        #expect(code("b", "I") == .invalid)
        #expect(code("id", "ID") == .exists)
    }

    @Test("a change touches the bytes that differ")
    func change() throws {
        let text = "type A @model {\n  a : [ String ! ] # as\n  b: Int @index(name: \"b\") @custom(x: 1)\n}\n"
        var schema = Schema(text)
        let result = try schema.apply(
            .changeField(type: "A", field: "b", change: Edit.FieldChange(isRequired: true)))
        #expect(result.edits.edits.map(\.text) == ["!"])
        #expect(result.edits.edits.allSatisfy { $0.start == $0.end })
        try schema.apply(.changeField(type: "A", field: "b", change: Edit.FieldChange(type: "AWSDate")))
        #expect(schema.text == text.replacing("Int", with: "AWSDate!"))
        try schema.apply(
            .changeField(type: "A", field: "a", change: Edit.FieldChange(type: "ID", isRequired: true)))
        #expect(schema.text.contains("  a : [ ID ! ]! # as\n"))
        try schema.apply(.changeField(type: "A", field: "a", change: Edit.FieldChange(isElementRequired: false)))
        #expect(schema.text.contains("  a : [ID]! # as\n"))
        try schema.apply(.changeField(type: "A", field: "a", change: Edit.FieldChange(isList: false)))
        #expect(schema.text.contains("  a : ID! # as\n"))
        try schema.apply(
            .changeField(type: "A", field: "b", change: Edit.FieldChange(isList: true, isElementRequired: true)))
        #expect(schema.text.contains("  b: [AWSDate!]! @index(name: \"b\") @custom(x: 1)\n"))
    }

    @Test("a comment within a type refuses what would remove it")
    func commentInType() {
        let text = "type A {\n  a: [ # many\n    String\n  ]\n}\n"
        let refused = refusal(
            of: .changeField(type: "A", field: "a", change: Edit.FieldChange(isList: false)), in: text)
        #expect(refused?.code == .notExact)
        #expect(refused?.place?.line == 2)
    }

    @Test("a default is set, changed and removed in version 2")
    func defaults() throws {
        var schema = Schema("type A @model {\n  id: ID! @primaryKey\n  n: Int! @custom\n}\n")
        let text = schema.text
        try schema.apply(.changeField(type: "A", field: "n", change: Edit.FieldChange(defaultValue: .set("1"))))
        #expect(schema.text == text.replacing("@custom", with: "@custom @default(value: \"1\")"))
        try schema.apply(.changeField(type: "A", field: "n", change: Edit.FieldChange(defaultValue: .set("12"))))
        #expect(schema.text == text.replacing("@custom", with: "@custom @default(value: \"12\")"))
        try schema.apply(.changeField(type: "A", field: "n", change: Edit.FieldChange(defaultValue: .remove)))
        #expect(schema.text == text)
    }

    @Test("a field moves with its comments, its description and its line")
    func move() throws {
        let text = """
            type A {
              a: Int, # one
              # about b
              "b"
              b: Int,

              # a block

              c: Int # last
            }

            """
        #expect(
            try edited(text, .moveField(type: "A", field: "b", position: .last))
                == """
                type A {
                  a: Int, # one

                  # a block

                  c: Int, # last
                  # about b
                  "b"
                  b: Int
                }

                """)
        #expect(
            try edited(text, .moveField(type: "A", field: "c", position: .first)).hasPrefix(
                "type A {\n  c: Int, # last\n  a: Int, # one\n"))
        #expect(
            try edited("type A { a: Int, b: Int, c: Int }", .moveField(type: "A", field: "a", position: .after("b")))
                == "type A { b: Int, a: Int, c: Int }")
        #expect(try edited(text, .moveField(type: "A", field: "b", position: .after("a"))) == text)
    }

    @Test("a comment does not move to where it would hide other fields")
    func moveRefused() {
        let text = "type A { a: Int b: Int # b\n  c: Int }\n"
        #expect(refusal(of: .moveField(type: "A", field: "b", position: .first), in: text)?.code == .notExact)
    }

    @Test(
        "a field is removed with what belongs to it",
        arguments: [
            ("type A {\n  a: Int\n  # b\n  b: Int # b\n}\n", "type A {\n  a: Int\n}\n"),
            ("type A {\n  a: Int\n\n  # not b\n\n  b: Int\n}\n", "type A {\n  a: Int\n\n  # not b\n\n}\n"),
            ("type A {\n  a: Int,\n  b: Int\n}\n", "type A {\n  a: Int\n}\n"),
            ("type A { a: Int, b: Int }", "type A { a: Int }"),
            ("type A { b: Int, a: Int }", "type A { a: Int }"),
            ("type A { a: Int b: Int c: Int }", "type A { a: Int c: Int }"),
            ("type A { a: Int\n  b: Int }", "type A { a: Int\n  }"),
            ("type A { b: Int # b\n  a: Int }", "type A {\n  a: Int }"),
            (
                "type A {\r\n\ta: Int\r\n\t\"\"\"\r\n\tb\r\n\t\"\"\"\r\n\tb(\r\n\t\tx: Int\r\n\t): Int\r\n}",
                "type A {\r\n\ta: Int\r\n}"
            ),
        ])
    func remove(text: String, expected: String) throws {
        #expect(try edited(text, .removeField(type: "A", field: "b")) == expected)
    }

    @Test("a field that keys, relations or rules use is not removed, and neither is the last one")
    func removeRefused() {
        let one = """
            type A @model @key(name: "k", fields: ["b", "c"]) @auth(rules: [{allow: owner, ownerField: "o"}]) {
              id: ID!
              b: ID
              c: ID
              o: String
            }
            """
        #expect(refusal(of: .removeField(type: "A", field: "c"), in: one)?.references.map(\.subject) == ["@key of A"])
        #expect(refusal(of: .removeField(type: "A", field: "o"), in: one)?.code == .referenced)
        #expect(refusal(of: .removeField(type: "B", field: "x"), in: "type B { x: Int }")?.code == .notExact)
        let interface = "interface N { x: Int }\ntype B implements N { x: Int y: Int }"
        #expect(refusal(of: .removeField(type: "B", field: "x"), in: interface)?.code == .referenced)
    }

    @Test("a rename reaches keys, relations, rules and timestamps of version 1")
    func renameOne() throws {
        let text = """
            type Room @model(timestamps: {createdAt: "made"}) @key(name: "byCity", fields: ["city", "price"]) @auth(rules: [{allow: owner, ownerField: "city"}]) {
              id: ID!
              city: String!
              price: Int
              made: AWSDateTime
              near: [Room] @connection(keyName: "byCity", fields: ["city"])
              "of the city"
              other: String @auth(rules: [{allow: groups, groupsField: "city"}])
            }

            """
        var schema = Schema(text)
        let result = try schema.apply(.renameField(type: "Room", field: "city", to: "town"))
        #expect(schema.text == text.replacing("\"city\"", with: "\"town\"").replacing("  city:", with: "  town:"))
        #expect(result.renames == [.field(type: "Room", old: "city", new: "town")])
        try schema.apply(.renameField(type: "Room", field: "made", to: "born", keepingData: false))
        #expect(schema.text.contains("{createdAt: \"born\"}"))
    }

    @Test("a rename in version 2 writes @refersTo, keeps the first name, and removes it on the way back")
    func renameTwo() throws {
        let text = """
            type Room @model {
              id: ID! @primaryKey(sortKeyFields: ["city"])
              city: String! @index(name: "byCity") # where
            }

            """
        var schema = Schema(text)
        #expect(try schema.apply(.renameField(type: "Room", field: "city", to: "town")).renames.isEmpty)
        #expect(
            schema.text == """
                type Room @model {
                  id: ID! @primaryKey(sortKeyFields: ["town"])
                  town: String! @index(name: "byCity") @refersTo(name: "city") # where
                }

                """)
        try schema.apply(.renameField(type: "Room", field: "town", to: "place"))
        #expect(schema.text.contains("  place: String! @index(name: \"byCity\") @refersTo(name: \"city\") # where\n"))
        try schema.apply(.renameField(type: "Room", field: "place", to: "city"))
        #expect(schema.text == text)
    }

    @Test("the generated key of a relation is renamed with its field, in both versions")
    func renameRelation() throws {
        var one = Schema("type A @model { id: ID! b: B @connection }\ntype B @model { id: ID! }\n")
        #expect(
            try one.apply(.renameField(type: "A", field: "b", to: "c")).renames.map(\.argument) == ["A.aBId=aCId"])
        var two = Schema("type A @model { id: ID! b: B @hasOne }\ntype B @model { id: ID! }\n")
        #expect(
            try two.apply(.renameField(type: "A", field: "b", to: "c")).renames.map(\.argument) == ["A.aBId=aCId"])
        #expect(two.text == "type A @model { id: ID! c: B @hasOne }\ntype B @model { id: ID! }\n")
    }

    @Test(
        "fields with a meaning by their names are not renamed",
        arguments: [
            ("type A @model { id: ID! x: Int }", "id"),
            ("type A @model { id: ID! createdAt: AWSDateTime }", "createdAt"),
            ("type A @model @auth(rules: [{allow: owner}]) { id: ID! owner: String }", "owner"),
            ("type A @model @auth(rules: [{allow: groups}]) { id: ID! groups: [String] }", "groups"),
            ("type A @model { id: ID! aBId: ID b: B @connection }\ntype B @model { id: ID! }", "aBId"),
        ])
    func renameRefused(text: String, field: String) {
        let refused = refusal(of: .renameField(type: "A", field: field, to: "other"), in: text)
        #expect(refused?.code == .notExact)
        #expect(refused?.hint != nil)
    }

    @Test("values within items would keep the old name, so that only a rename without them is made")
    func renameNested() throws {
        let text = "type A { x: Int y: Int }\n"
        #expect(refusal(of: .renameField(type: "A", field: "x", to: "z"), in: text)?.code == .notExact)
        #expect(
            try edited(text, .renameField(type: "A", field: "x", to: "z", keepingData: false))
                == "type A { z: Int y: Int }\n")
    }
}
