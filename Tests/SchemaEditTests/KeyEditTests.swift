import GraphQL
import SchemaEdit
import Testing

@Suite("Edits of keys, rules and the arguments of @model")
struct KeyEditTests {
    private let one = "type B @model @auth(rules: [{allow: public}]) {\n  id: ID!\n  roomID: ID!\n  date: AWSDate\n}\n"
    private let two = "type B @model {\n  id: ID! @primaryKey\n  roomID: ID!\n  date: AWSDate!\n}\n"
    private let byRoom = Edit.Key(name: "byRoom", fields: ["roomID", "date"], queryField: .named("bookings"))

    @Test("version 1 writes @key on the type, version 2 @index and @primaryKey on the partition key")
    func add() throws {
        #expect(
            try edited(one, .addKey(type: "B", key: byRoom)).hasPrefix(
                "type B @model @auth(rules: [{allow: public}]) "
                    + "@key(name: \"byRoom\", fields: [\"roomID\", \"date\"], queryField: \"bookings\") {\n"))
        #expect(
            try edited(two, .addKey(type: "B", key: byRoom)).contains(
                "  roomID: ID! @index(name: \"byRoom\", sortKeyFields: [\"date\"], queryField: \"bookings\")\n"))
        #expect(
            try edited(one, .addKey(type: "B", key: Edit.Key(name: nil, fields: ["id"]))).contains(
                "@key(fields: [\"id\"]) {"))
        let plain = "type B @model {\n  id: ID!\n  roomID: ID!\n}\n"
        #expect(
            try edited(plain, .addKey(type: "B", key: Edit.Key(name: nil, fields: ["roomID", "id"])), version: .two)
                .contains("  roomID: ID! @primaryKey(sortKeyFields: [\"id\"])\n"))
        #expect(
            try edited(two, .addKey(type: "B", key: Edit.Key(name: "k", fields: ["date"], queryField: .none)))
                .contains("  date: AWSDate! @index(name: \"k\", queryField: null)\n"))
    }

    @Test("a new key copies the layout of the ones that are there: lines, indentation, spaces")
    func style() throws {
        let text = """
            type B
              @model
              @key(
                name: "byDate"
                fields: [ "date" ]
              ) # by date
              @custom
            {
              id: ID!
              roomID: ID!
              date: AWSDate
            }

            """
        #expect(
            try edited(text, .addKey(type: "B", key: byRoom)) == """
                type B
                  @model
                  @key(
                    name: "byDate"
                    fields: [ "date" ]
                  ) # by date
                  @key(
                    name: "byRoom"
                    fields: [ "roomID", "date" ]
                    queryField: "bookings"
                  )
                  @custom
                {
                  id: ID!
                  roomID: ID!
                  date: AWSDate
                }

                """)
    }

    @Test("a key changes in place, keeps what it does not know, and relations follow its name")
    func change() throws {
        let text = """
            type Room @model { id: ID! all: [B] @connection(keyName: "byRoom", fields: ["id"]) }
            type B @model @key(name: "byRoom", unknown: 1, fields: ["roomID"], queryField: "q") { id: ID! roomID: ID! date: AWSDate }

            """
        var schema = Schema(text)
        try schema.apply(
            .changeKey(type: "B", name: "byRoom", key: Edit.Key(name: "byRoom", fields: ["roomID", "date"])))
        #expect(schema.text.contains("@key(name: \"byRoom\", unknown: 1, fields: [\"roomID\", \"date\"])"))
        try schema.apply(.changeKey(type: "B", name: "byRoom", key: Edit.Key(name: "ofRoom", fields: ["roomID"])))
        #expect(
            schema.text
                == text.replacing("byRoom", with: "ofRoom").replacing(", queryField: \"q\"", with: ""))
        let refused = refusal(of: .removeKey(type: "B", name: "byRoom"), in: text)
        #expect(refused?.references.map(\.subject) == ["Room.all"])
    }

    @Test("in version 2 a key moves to its new partition key as it is written")
    func moves() throws {
        let text =
            "type B @model {\n  id: ID! @primaryKey\n  a: ID! @index(name: \"k\" , x: 1) # a\n  b: ID! @custom\n}\n"
        var schema = Schema(text)
        try schema.apply(.changeKey(type: "B", name: "k", key: Edit.Key(name: "k", fields: ["b", "a"])))
        #expect(
            schema.text
                == "type B @model {\n  id: ID! @primaryKey\n  a: ID! # a\n"
                + "  b: ID! @custom @index(name: \"k\" , sortKeyFields: [\"a\"] , x: 1)\n}\n")
        try schema.apply(.removeKey(type: "B", name: "k"))
        #expect(schema.text.contains("  b: ID! @custom\n"))
    }

    @Test("keys of lists, of optional fields, of unknown fields and of names in use are refused")
    func refused() {
        func code(_ key: Edit.Key, _ text: String) -> EditRefusal.Code? {
            refusal(of: .addKey(type: "B", key: key), in: text)?.code
        }
        let text = "type B @model @key(name: \"k\", fields: [\"a\"]) { id: ID! a: ID l: [ID] b: Boolean }"
        #expect(code(Edit.Key(name: "x", fields: ["l"]), text) == .invalid)
        #expect(code(Edit.Key(name: "x", fields: ["b"]), text) == .invalid)
        #expect(code(Edit.Key(name: nil, fields: ["a"]), text) == .invalid)
        #expect(code(Edit.Key(name: "x", fields: ["z"]), text) == .notFound)
        #expect(code(Edit.Key(name: "k", fields: ["id"]), text) == .exists)
        #expect(refusal(of: .removeKey(type: "B", name: nil), in: text)?.code == .notFound)
        #expect(
            refusal(of: .changeKey(type: "B", name: "k", key: Edit.Key(name: nil, fields: ["id"])), in: text)?.code
                == .invalid)
    }

    // MARK: - Rules

    private let owner: ConstValue = ["allow": .enumValue("owner")]
    private let `public`: ConstValue = ["allow": .enumValue("public")]

    @Test("rules are written on a type and on a field, and removed")
    func rules() throws {
        let text = "type A @model {\n  id: ID!\n  x: Int # x\n}\n"
        var schema = Schema(text)
        try schema.apply(.setRules(type: "A", rules: [owner]))
        #expect(schema.text == text.replacing("@model", with: "@model @auth(rules: [{allow: owner}])"))
        try schema.apply(.setRules(type: "A", field: "x", rules: [`public`]))
        #expect(schema.text.contains("  x: Int @auth(rules: [{allow: public}]) # x\n"))
        try schema.apply(.setRules(type: "A", rules: []))
        try schema.apply(.setRules(type: "A", field: "x", rules: []))
        #expect(schema.text == text)
    }

    @Test("a rule that stays is not touched, and a changed one keeps what it does not know")
    func changedRules() throws {
        let text = """
            type A
              @model
              @auth(
                rules: [
                  # everyone
                  { allow: public, operations: [read] }
                  { allow: owner, custom: 1, ownerField: "me" } # mine
                ]
              ) {
              id: ID!
            }

            """
        var schema = Schema(text)
        let read: ConstValue = ["allow": .enumValue("public"), "operations": [.enumValue("read")]]
        let mine: ConstValue = ["allow": .enumValue("owner"), "ownerField": "mine"]
        try schema.apply(.setRules(type: "A", rules: [read, mine]))
        #expect(schema.text == text.replacing("\"me\"", with: "\"mine\""))
        let groups: ConstValue = ["allow": .enumValue("groups"), "groups": ["Admins"]]
        try schema.apply(.setRules(type: "A", rules: [read, mine, groups]))
        #expect(
            schema.text.contains(
                "ownerField: \"mine\" } # mine\n      { allow: groups, groups: [\"Admins\"] }\n    ]\n"))
        try schema.apply(.setRules(type: "A", rules: [mine, groups]))
        #expect(schema.text.contains("rules: [\n      { allow: owner, custom: 1, ownerField: \"mine\" } # mine\n"))
    }

    @Test("operations are added to and removed from a list in place")
    func operations() throws {
        let text = "type A @model @auth(rules: [{allow: owner, operations: [create,read , update]}]) { id: ID! }"
        let rule: ConstValue = [
            "allow": .enumValue("owner"),
            "operations": [.enumValue("create"), .enumValue("update"), .enumValue("delete")],
        ]
        #expect(
            try edited(text, .setRules(type: "A", rules: [rule]))
                == text.replacing("create,read , update", with: "create,update,delete"))
    }

    // MARK: - @model

    @Test("arguments of @model are written, changed and removed, and unknown ones kept")
    func modelArguments() throws {
        let text = "type A @model @auth(rules: [{allow: public}]) { id: ID! }"
        var schema = Schema(text)
        let off = Edit.ModelArgument(name: "subscriptions", value: ["level": .enumValue("off")])
        try schema.apply(.setModelArguments(type: "A", arguments: [off]))
        #expect(schema.text == text.replacing("@model", with: "@model(subscriptions: {level: off})"))
        let none = Edit.ModelArgument(name: "queries", value: .null)
        try schema.apply(.setModelArguments(type: "A", arguments: [none, off]))
        #expect(
            schema.text.contains("@model(queries: null, subscriptions: {level: off})")
                || schema.text.contains("@model(subscriptions: {level: off}, queries: null)"))
        try schema.apply(.setModelArguments(type: "A", arguments: []))
        #expect(schema.text == text)
        let unknown = text.replacing("@model", with: "@model(x: 1, queries: {get: \"a\", y: 2})")
        let get = Edit.ModelArgument(name: "queries", value: ["get": "b", "list": .null])
        #expect(
            try edited(unknown, .setModelArguments(type: "A", arguments: [get]))
                == text.replacing("@model", with: "@model(x: 1, queries: {get: \"b\", list: null, y: 2})"))
        #expect(
            try edited(unknown, .setModelArguments(type: "A", arguments: []))
                == text.replacing("@model", with: "@model(x: 1)"))
    }
}
