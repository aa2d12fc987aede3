import SchemaEdit
import Testing

@Suite("Edits of enums and descriptions")
struct EnumEditTests {
    @Test(
        "a value is added in the layout of the others",
        arguments: [
            ("enum K { A B }", "enum K { A B C }"), ("enum K { A, B }", "enum K { A, B, C }"),
            ("enum K {\n  A # a\n  B\n}\n", "enum K {\n  A # a\n  B\n  C\n}\n"), ("enum K { A }", "enum K { A C }"),
        ])
    func add(text: String, expected: String) throws {
        #expect(try edited(text, .addEnumValue(type: "K", value: "C")) == expected)
    }

    @Test("a value stands first or after another one, with its description")
    func position() throws {
        let text = "enum K {\n  \"a\"\n  A\n  B\n}\n"
        #expect(
            try edited(text, .addEnumValue(type: "K", value: "C", position: .first, description: "c"))
                == "enum K {\n  \"c\"\n  C\n  \"a\"\n  A\n  B\n}\n")
        #expect(
            try edited("enum K { A B }", .addEnumValue(type: "K", value: "C", position: .after("A"), description: "c"))
                == "enum K { A \"\"\"c\"\"\" C B }")
    }

    @Test("a value moves with its comments and its description, and everything else stays")
    func move() throws {
        let text = "enum K {\n  A # a\n\n  # apart\n\n  # of B\n  \"b\"\n  B @d # b\n  C\n}\n"
        #expect(
            try edited(text, .moveEnumValue(type: "K", value: "B", position: .first))
                == "enum K {\n  # of B\n  \"b\"\n  B @d # b\n  A # a\n\n  # apart\n\n  C\n}\n")
        #expect(
            try edited("enum K { A, B, C }", .moveEnumValue(type: "K", value: "A", position: .last))
                == "enum K { B, C, A }")
        #expect(
            try edited("enum K { A B C }", .moveEnumValue(type: "K", value: "C", position: .after("A")))
                == "enum K { A C B }")
        #expect(try edited(text, .moveEnumValue(type: "K", value: "C", position: .after("B"))) == text)
    }

    @Test("a value moves within its own part of an enum alone, and a field is none")
    func refusedMoves() {
        let parts = "enum K { A B }\nextend enum K { C D }\n"
        #expect(refusal(of: .moveEnumValue(type: "K", value: "A", position: .after("C")), in: parts)?.code == .notExact)
        for (value, position) in [("A", Edit.Position.after("A")), ("B", .after("B"))] {
            let edit = Edit.moveEnumValue(type: "K", value: value, position: position)
            #expect(refusal(of: edit, in: parts)?.code == .invalid)
        }
        #expect(refusal(of: .moveEnumValue(type: "K", value: "X", position: .first), in: parts)?.code == .notFound)
        #expect(refusal(of: .moveField(type: "K", field: "B", position: .first), in: parts)?.code == .invalid)
        let object = "type T { x: Int y: Int }"
        #expect(refusal(of: .moveEnumValue(type: "T", value: "y", position: .first), in: object)?.code == .invalid)
    }

    @Test("a rename reaches the defaults of both kinds")
    func rename() throws {
        let text = """
            enum K { A B }
            input I { k: K = A, l: [K] = [A, B] }
            type T @model { id: ID! @primaryKey k: K @default(value: "A") s: String @default(value: "A") }
            type Query { q(k: K = A): K }
            """
        let expected = """
            enum K { Z B }
            input I { k: K = Z, l: [K] = [Z, B] }
            type T @model { id: ID! @primaryKey k: K @default(value: "Z") s: String @default(value: "A") }
            type Query { q(k: K = Z): K }
            """
        #expect(try edited(text, .renameEnumValue(type: "K", value: "A", to: "Z")) == expected)
        let refused = refusal(of: .removeEnumValue(type: "K", value: "A"), in: text)
        #expect(refused?.code == .referenced)
        #expect(refused?.references.map(\.subject) == ["I.k", "I.l", "T.k", "Query.q"])
    }

    @Test("a default within an object cannot be followed, and is refused")
    func nested() {
        let text = "enum K { A B }\ninput I { k: K }\ntype Query { q(i: I = {k: A}): Int }\n"
        let refused = refusal(of: .renameEnumValue(type: "K", value: "A", to: "Z"), in: text)
        #expect(refused?.code == .notExact)
        #expect(refused?.place?.line == 3)
    }

    @Test("a value is removed with its comment, and the last one is not")
    func remove() throws {
        #expect(
            try edited("enum K {\n  A\n  # of B\n  B # b\n}\n", .removeEnumValue(type: "K", value: "B"))
                == "enum K {\n  A\n}\n")
        #expect(
            try edited("enum K { A, B }", .removeEnumValue(type: "K", value: "A"))
                == "enum K { B }")
        #expect(refusal(of: .removeEnumValue(type: "K", value: "A"), in: "enum K { A }")?.code == .notExact)
        #expect(refusal(of: .addEnumValue(type: "K", value: "true"), in: "enum K { A }")?.code == .invalid)
        #expect(refusal(of: .addEnumValue(type: "T", value: "B"), in: "type T { x: Int }")?.code == .invalid)
    }

    @Test("a description is written, changed in its form, and removed")
    func describe() throws {
        let text = "# of T\ntype T {\n  x: Int # x\n}\n"
        var schema = Schema(text)
        try schema.apply(.setDescription(type: "T", description: "What T is."))
        #expect(schema.text == "# of T\n\"\"\"What T is.\"\"\"\n" + text.dropFirst(7))
        try schema.apply(.setDescription(type: "T", member: "x", description: "Two\n\nlines."))
        #expect(schema.text.contains("{\n  \"\"\"\n  Two\n\n  lines.\n  \"\"\"\n  x: Int # x\n}"))
        try schema.apply(.setDescription(type: "T", member: "x", description: "One \"line\""))
        #expect(schema.text.contains("{\n  \"One \\\"line\\\"\"\n  x: Int # x\n}"))
        try schema.apply(.setDescription(type: "T", member: "x", description: nil))
        try schema.apply(.setDescription(type: "T", description: nil))
        #expect(schema.text == text)
    }

    @Test("on one line a description is on that line, and a block string stays one where it can")
    func inline() throws {
        #expect(
            try edited("enum K { A B }", .setDescription(type: "K", member: "B", description: "two\nlines"))
                == "enum K { A \"two\\nlines\" B }")
        #expect(
            try edited(
                "type T {\r\n\t\"\"\" old \"\"\"\r\n\tx: Int\r\n}",
                .setDescription(type: "T", member: "x", description: "a\nb"))
                == "type T {\r\n\t\"\"\"\r\n\ta\r\n\tb\r\n\t\"\"\"\r\n\tx: Int\r\n}")
        #expect(
            try edited("\"old\" type T { x: Int }", .setDescription(type: "T", description: nil)) == "type T { x: Int }"
        )
    }
}
