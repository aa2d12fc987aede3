import SchemaEdit
import Testing

@Suite("Edits of types")
struct TypeEditTests {
    @Test("a new model comes after the last model, and not at the end of the file")
    func model() throws {
        let text = "type A @model {\n  id: ID!\n}\n\n# Kinds.\nenum Kind { X Y }\n"
        #expect(
            try edited(text, .addModel(Edit.Object(name: "B")))
                == "type A @model {\n  id: ID!\n}\n\ntype B @model {\n  id: ID!\n}\n\n# Kinds.\nenum Kind { X Y }\n")
    }

    @Test("a new enum and a new custom type come after the last of their kind, else at the end")
    func kinds() throws {
        let text = "type A @model {\n\tid: ID!\n}\n\nenum K {\n\tX\n}\n\ninput I {\n\ta: Int\n}\n"
        let values = try edited(text, .addEnum(name: "L", values: ["Y", "Z"]))
        #expect(values == text.replacing("\tX\n}\n", with: "\tX\n}\n\nenum L {\n\tY\n\tZ\n}\n"))
        let address = Edit.Object(name: "Address", fields: [Edit.Field(name: "city", type: "String")])
        #expect(
            try edited(text, .addCustomType(address)) == text + "\ntype Address {\n\tcity: String\n}\n")
    }

    @Test("a file without a line end at its end gets none, and CRLF is copied")
    func ends() throws {
        #expect(
            try edited("type A @model { id: ID! }", .addModel(Edit.Object(name: "B")))
                == "type A @model { id: ID! }\n\ntype B @model {\n  id: ID!\n}")
        #expect(
            try edited("type A @model {\r\n  id: ID!\r\n}\r\n", .addModel(Edit.Object(name: "B")))
                == "type A @model {\r\n  id: ID!\r\n}\r\n\r\ntype B @model {\r\n  id: ID!\r\n}\r\n")
    }

    @Test("a comment at the end of the last type's line stays on it")
    func comment() throws {
        #expect(
            try edited("type A @model {\n  id: ID!\n} # A\n\n# Nobody's.\n", .addModel(Edit.Object(name: "B")))
                == "type A @model {\n  id: ID!\n} # A\n\ntype B @model {\n  id: ID!\n}\n\n# Nobody's.\n")
    }

    @Test("types without blank lines between them stay so")
    func dense() throws {
        #expect(
            try edited("enum A { X }\nenum B { Y }\n", .addEnum(name: "C", values: ["Z"]))
                == "enum A { X }\nenum B { Y }\nenum C {\n  Z\n}\n")
    }

    @Test("a type is removed with the comment above it and its extensions; a block apart belongs to nobody")
    func remove() throws {
        let text = """
            # A block.

            # Of A.
            "What A is."
            type A @model { id: ID! } # still A

            type B @model {
              id: ID!
            }

            extend type A { name: String }

            """
        #expect(
            try edited(text, .removeType(name: "A"))
                == "# A block.\n\ntype B @model {\n  id: ID!\n}\n")
        let first = try edited("type A @model { id: ID! }\n\ntype B @model { id: ID! }\n", .removeType(name: "A"))
        #expect(first == "type B @model { id: ID! }\n")
    }

    @Test("a type that is referred to is removed only with what refers to it")
    func references() throws {
        let text = """
            type Booking @model {
              id: ID!
              kind: Kind # the kind
              note: String
            }
            enum Kind { A B }

            """
        let refused = try #require(refusal(of: .removeType(name: "Kind"), in: text))
        #expect(refused.code == .referenced)
        #expect(refused.references.map(\.subject) == ["Booking.kind"])
        #expect(refused.references.first?.place.line == 3)
        #expect(
            try edited(text, .removeType(name: "Kind", removingReferences: true))
                == "type Booking @model {\n  id: ID!\n  note: String\n}\n")
    }

    @Test("members of unions and interfaces are removed with a type; what cannot be removed refuses it")
    func unions() throws {
        let text = "type A { x: Int }\ntype B { x: Int }\nunion U = A | B\ntype Query { a(i: String): Int }\n"
        #expect(
            try edited(text, .removeType(name: "A", removingReferences: true))
                == "type B { x: Int }\nunion U = B\ntype Query { a(i: String): Int }\n")
        let interface = "interface N { x: Int }\ntype A implements N & M { x: Int }\ninterface M { y: Int }\n"
        #expect(
            try edited(interface, .removeType(name: "N", removingReferences: true))
                == "type A implements M { x: Int }\ninterface M { y: Int }\n")
        let last = "type A { x: Int }\nunion U = A\n"
        #expect(refusal(of: .removeType(name: "A", removingReferences: true), in: last)?.code == .notExact)
    }

    @Test("a rename reaches every reference, in version 1 with an entry of renames for table and generated keys")
    func renameOne() throws {
        let text = """
            type Room @model {
              id: ID!
              bookings: [Booking!]! @connection(name: "RoomBookings")
            }
            type Booking @model { id: ID! room: Room! @connection(name: "RoomBookings") next: Booking @connection }
            union Any = Room | Booking

            """
        var schema = Schema(text)
        let result = try schema.apply(.renameType(name: "Booking", to: "Stay"))
        #expect(
            schema.text
                == text.replacing("Booking!]", with: "Stay!]").replacing("type Booking", with: "type Stay")
                .replacing("next: Booking", with: "next: Stay").replacing("| Booking", with: "| Stay"))
        #expect(
            result.renames.map(\.argument)
                == ["Booking=Stay", "Stay.bookingRoomId=stayRoomId", "Stay.bookingNextId=stayNextId"])
        #expect(try schema.apply(.renameType(name: "Stay", to: "Booking", keepingData: false)).renames.isEmpty)
        #expect(schema.text == text)
    }

    @Test("in version 2 a rename writes @mapsTo, keeps the first name, and removes it on the way back")
    func renameTwo() throws {
        let text = "type Post @model @auth(rules: [{allow: public}]) {\n  id: ID! @primaryKey\n}\n"
        var schema = Schema(text)
        #expect(try schema.apply(.renameType(name: "Post", to: "Article")).renames.isEmpty)
        #expect(
            schema.text
                == "type Article @model @auth(rules: [{allow: public}]) @mapsTo(name: \"Post\") {\n  id: ID! @primaryKey\n}\n"
        )
        try schema.apply(.renameType(name: "Article", to: "Story"))
        #expect(schema.text.contains("type Story @model @auth(rules: [{allow: public}]) @mapsTo(name: \"Post\")"))
        try schema.apply(.renameType(name: "Story", to: "Post"))
        #expect(schema.text == text)
        try schema.apply(.renameType(name: "Post", to: "Article", keepingData: false))
        #expect(schema.text == text.replacing("Post", with: "Article"))
    }

    @Test("a model whose generated names the author uses is not renamed")
    func generatedNames() {
        let text = "type Post @model { id: ID! }\ntype Query { top: ModelPostConnection }\n"
        let refused = refusal(of: .renameType(name: "Post", to: "Article"), in: text)
        #expect(refused?.code == .notExact)
        #expect(refused?.place?.line == 2)
        let subscription = """
            type Post @model { id: ID! }
            type Subscription { on: Post @aws_subscribe(mutations: ["createPost"]) }
            """
        #expect(refusal(of: .renameType(name: "Post", to: "Article"), in: subscription)?.code == .notExact)
    }

    @Test("names that are taken, or are the service's, are refused")
    func taken() {
        let text = "type A @model { id: ID! }\nenum B { X }\n"
        #expect(refusal(of: .addModel(Edit.Object(name: "B")), in: text)?.code == .exists)
        #expect(refusal(of: .renameType(name: "A", to: "B"), in: text)?.place?.line == 2)
        #expect(refusal(of: .addModel(Edit.Object(name: "AWSDate")), in: text)?.code == .invalid)
        #expect(refusal(of: .addModel(Edit.Object(name: "Query")), in: text)?.code == .invalid)
        #expect(refusal(of: .removeType(name: "C"), in: text)?.code == .notFound)
    }

    @Test("a schema of several files is edited where its types are")
    func files() throws {
        let files = [
            SchemaFile(name: "a.graphql", text: "type A @model { id: ID! b: B }\n"),
            SchemaFile(name: "b.graphql", text: "type B { x: Int }\n"),
        ]
        let result = try SchemaEditor.apply(.renameType(name: "B", to: "C", keepingData: false), to: files)
        expectIsConsistent(result, of: files)
        #expect(result.files.map(\.text) == ["type A @model { id: ID! b: C }\n", "type C { x: Int }\n"])
        let added = try SchemaEditor.apply(.addModel(Edit.Object(name: "D")), to: files)
        #expect(added.edits.edits.map(\.file) == ["a.graphql"])
    }
}
