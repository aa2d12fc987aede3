import GraphQL
import Testing

@Suite("Parser, type system documents")
struct LanguageTypeSystemTests {
    static let kitchenSink = #"""
        """The schema."""
        schema @onSchema {
          query: Root
          mutation: Change
          subscription: Listen
        }

        extend schema @more {
          subscription: Other
        }

        extend schema @alone

        """
        Two lines
          of description
        """
        type Root implements Node & Entity @model(queries: {get: "getRoot"}, list: [A, B]) @key(fields: ["a", "b"]) {
          """A field."""
          one(
            """An argument."""
            a: Int = 5 @onArgument
            b: [String!]! = ["x", "y"]
          ): Type
          two(a: Input = {k: 1, l: [2.5, null, true]}, b: Color = RED): [Type!]! @deprecated(reason: "\"no\"")
          type: Int
        }

        extend type Root @added

        extend type Root {
          three: Int
        }

        extend type Root implements Third

        type Empty

        interface Node implements Entity {
          id: ID!
        }

        extend interface Node {
          more: Int
        }

        union Either @onUnion = One | Two

        union Nothing

        extend union Either = Three

        enum Color @onEnum {
          """Red."""
          RED
          GREEN @deprecated
          type
        }

        extend enum Color {
          BLUE
        }

        input Input @onInput {
          """A field."""
          k: Int = 1 @onField
          l: [Float]
        }

        extend input Input {
          m: Int
        }

        scalar Time @specifiedBy(url: "https://example.com")

        extend scalar Time @added

        """A directive."""
        directive @model(queries: Queries, list: [Letter!] = [A]) repeatable on OBJECT | FIELD_DEFINITION

        directive @alone on QUERY

        """#

    @Test("a schema with everything in it prints as it is written")
    func kitchenSink() {
        let (document, errors) = Parser.parseTypeSystem([Source(Self.kitchenSink)])
        #expect(errors.map(\.description) == [])
        #expect(Printer.print(document) == Self.kitchenSink)
    }

    @Test("parts are read into trees")
    func trees() throws {
        let (document, _) = Parser.parseTypeSystem([Source(Self.kitchenSink)], keepingPlaces: false)
        guard case .schema(let schema) = document.definitions[0],
            case .type(.object(let root)) = document.definitions[3]
        else {
            Issue.record("other definitions")
            return
        }
        #expect(schema.description?.text == "The schema." && schema.query == "Root" && schema.subscription == "Listen")
        #expect(root.description?.text == "Two lines\n  of description" && root.interfaces == ["Node", "Entity"])
        #expect(root.directives.map(\.name) == ["model", "key"])
        #expect(root.directives[0]["queries"]?["get"]?.stringValue == "getRoot" && root.directives[0]["none"] == nil)
        #expect(root.directives[0]["list"]?.listValue?.compactMap(\.nameValue) == ["A", "B"])
        #expect(root.fields.map(\.name) == ["one", "two", "type"])
        #expect(
            root.fields[0].arguments[0].defaultValue == 5
                && root.fields[0].arguments[0].description?.text == "An argument.")
        #expect(root.fields[1].type == .nonNull(.list(.nonNull(.named("Type")))))
        #expect(
            root.fields[1].type.namedType == "Type" && root.fields[1].type.isList
                && root.fields[1].type.element?.isNonNull == true)
        #expect(
            root.fields[1].type.renamed("Other").description == "[Other!]!"
                && root.fields[1].type.nullable.nonNullable.isNonNull)
        #expect(TypeDefinition.object(root).directive("key")?.arguments.map(\.name) == ["fields"])
        var renamed = TypeDefinition.object(root)
        renamed.name = "Other"
        renamed.directives = []
        #expect(Printer.print(renamed).contains("type Other implements Node & Entity {"))
    }

    @Test("several sources make one document, and every part knows its place")
    func places() {
        let sources = [
            Source("type A {\n  f: Int\n}", name: "a.graphql"), Source("", name: "b"),
            Source("\n type B @d(x: 1) { f(a: Int): Int }\nenum E { X }", name: "c.graphql"),
        ]
        let (document, errors) = Parser.parseTypeSystem(sources)
        #expect(errors.isEmpty)
        #expect(
            document.definitions.map { document.description(of: $0.place) } == [
                "a.graphql:1:1", "c.graphql:2:2", "c.graphql:3:1",
            ])
        guard case .type(.object(let a)) = document.definitions[0], case .type(.object(let b)) = document.definitions[1]
        else { return }
        #expect(document.location(of: a.fields[0].place) == SourceLocation(line: 2, column: 3))
        #expect(document.description(of: b.directives[0].arguments[0].place) == "c.graphql:2:12")
        #expect(document.description(of: b.fields[0].arguments[0].place) == "c.graphql:2:22")
        #expect(document.location(of: nil) == nil && document.location(of: Place(source: 9, offset: 0)) == nil)
    }

    @Test(
        "what the older grammar allows in place of ampersands and bars is understood",
        arguments: [
            ("type A implements & B & C { f: Int }", "type A implements B & C {\n  f: Int\n}\n"),
            ("type A implements B, C { f: Int }", "type A implements B & C {\n  f: Int\n}\n"),
            ("union U = | A | B", "union U = A | B\n"),
            ("directive @d on | ENUM | FIELD", "directive @d on ENUM | FIELD\n"),
            ("\"one line\" scalar S # comment", "\"one line\"\nscalar S\n"), ("type A", "type A\n"),
            ("# a comment is no description\nscalar S", "scalar S\n"), ("", ""),
        ])
    func lenient(_ text: String, _ expected: String) {
        let (document, errors) = Parser.parseTypeSystem([Source(text)])
        #expect(errors.map(\.message) == [] && Printer.print(document) == expected)
    }

    @Test(
        "what is no schema is refused at its token",
        arguments: [
            ("type", "Expected a type's name, found the end of the text."),
            ("type A {}", "Expected a field, found \"}\"."),
            ("type A { f }", "Expected \":\" and the field's type, found \"}\"."),
            ("type A { f: }", "Expected a type, found \"}\"."),
            ("type A { f(): Int }", "Expected an argument, found \")\"."),
            ("type A { f: [Int }", "Expected \"]\", found \"}\"."),
            ("type A implements { f: Int }", "Expected an interface's name, found \"{\"."),
            ("enum E {}", "Expected an enum value, found \"}\"."),
            ("enum E { true }", "Expected an enum value other than true, false and null, found the name \"true\"."),
            ("input I { f: Int = $v }", "Expected a constant value, found \"$\"."),
            ("union U = ", "Expected a member type, found the end of the text."),
            ("schema { q: Q }", "Expected \"query\", \"mutation\" or \"subscription\", found the name \"q\"."),
            ("schema", "Expected \"{\" and the root types, found the end of the text."),
            ("extend schema", "Expected \"{\" and the root types, found the end of the text."),
            ("extend type A", "Expected what the extension adds, found the end of the text."),
            ("extend scalar S", "Expected what the extension adds, found the end of the text."),
            ("\"d\" extend type A @x", "Expected a definition, found the name \"extend\"."),
            ("extend directive @d on A", "Expected a type to extend, found the name \"directive\"."),
            ("directive d on A", "Expected \"@\" and the directive's name, found the name \"d\"."),
            ("directive @d", "Expected \"on\" and the directive's locations, found the end of the text."),
            (
                "directive @d on Enum",
                "Expected a directive location such as FIELD_DEFINITION, found the name \"Enum\"."
            ),
            ("\"only a description\"", "Expected a definition, found the end of the text."),
            ("foo", "Expected a definition, found the name \"foo\"."),
            ("type A { f: Int @d() }", "Expected an argument, found \")\"."),
            ("type A @d(x: {y: [1}) { f: Int }", "Expected a constant value, found \"}\"."),
        ])
    func refuses(_ text: String, _ message: String) {
        #expect(Parser.parseTypeSystem([Source(text)]).errors.map(\.message) == [message])
    }

    @Test("after an error parsing continues at the next definition, and operations are reported")
    func recovers() {
        let text = """
            type A {
              f: Int
            type B { g: Int }
            type C { h: }
            query { x }
            type D { i: Int }
            }
            enum E { X }
            """
        let (document, errors) = Parser.parseTypeSystem([Source(text)])
        #expect(
            errors.map { "\($0.location.line): \($0.message)" } == [
                "3: Expected \":\" and the field's type, found the name \"B\".", "4: Expected a type, found \"}\".",
                "7: Expected a definition, found \"}\".",
            ])
        #expect(document.definitions.map { document.location(of: $0.place)?.line } == [5, 6, 8])
        #expect(document.definitions.first == .executable(Place(source: 0, offset: 50)))
    }

    @Test("faults are bounded in number, and nesting in depth")
    func bounds() {
        let faulty = String(repeating: "type A {\n", count: 1_000)
        #expect(Parser.parseTypeSystem([Source(faulty)]).errors.count == 20)
        let deep = { (depth: Int) in
            "type A { f: " + String(repeating: "[", count: depth) + "A" + String(repeating: "]", count: depth) + " }"
        }
        #expect(Parser.parseTypeSystem([Source(deep(100))]).errors.isEmpty)
        #expect(Parser.parseTypeSystem([Source(deep(101))]).errors.map(\.kind) == [.limit])
        let value = "type A @d(x: " + String(repeating: "{a: [", count: 10_000)
        #expect(Parser.parseTypeSystem([Source(value)]).errors.map(\.kind) == [.limit])
    }

    @Test(
        "a description reads back the same, whatever its characters",
        arguments: [
            "", " ", "\n", "a", " a", "a ", "a\nb", "a\n  b", "  a\nb", "  a\n  b", "a\n\nb", "a\n \nb", "\na", "a\n",
            "a\"", "a\\",
            "\"\"\"", "a\"\"\"b", "\"a", "\\\"\"\"", "\"\"\"\"\"\"\"", " a\"", "tab\there", "\ttab", "a\r\nb", "\u{1}",
            "é😀", "a\n\tb\\",
        ])
    func descriptions(_ characters: String) {
        for isBlock in [true, false] { expectReadsBack(Description(characters, isBlock: isBlock)) }
    }

    private func expectReadsBack(_ text: Description) {
        let field = FieldDefinition(
            description: text, name: "f",
            arguments: [InputValueDefinition(description: text, name: "a", type: .named("Int"))],
            type: .named("Int"))
        let type = TypeDefinition.object(ObjectTypeDefinition(description: text, name: "T", fields: [field, field]))
        let printed = Printer.print(TypeSystemDocument([.type(type)]))
        let (document, errors) = Parser.parseTypeSystem([Source(printed)], keepingPlaces: false)
        #expect(errors.isEmpty && document.definitions == [.type(type)], "\(printed)")
    }

    @Test(
        "a description is printed in the form it is written in, wherever it stands",
        arguments: [
            ("\"plain\"", "\"plain\""), ("\"\"\"plain\"\"\"", "\"\"\"plain\"\"\""),
            ("\"\"", "\"\""), ("\"\"\"\"\"\"", "\"\"\"\"\"\""),
            ("\"two\\nlines, \\\"quoted\\\", \\u00e9 \\/ \\t\"", "\"two\\nlines, \\\"quoted\\\", é / \\t\""),
            ("\"\"\"\n  two\n  lines\n\"\"\"", "\"\"\"\ntwo\nlines\n\"\"\""),
            ("\"\"\" led by a space\"\"\"", "\"\"\" led by a space\"\"\""),
            ("\"\"\"a \\\"\"\" inside\"\"\"", "\"\"\"a \\\"\"\" inside\"\"\""),
        ])
    func descriptionForms(_ written: String, _ printed: String) {
        func indented(_ depth: Int) -> String {
            let margin = String(repeating: "  ", count: depth)
            return margin
                + printed.split(separator: "\n", omittingEmptySubsequences: false).joined(
                    separator: "\n" + margin)
        }
        let text = """
            \(written) type T { \(written) f(\(written) a: Int): Int } \(written) enum E { \(written) A }
            \(written) input I { \(written) f: Int } \(written) scalar S \(written) directive @d on ENUM
            \(written) interface N { f: Int } \(written) union U = T \(written) schema { query: T }
            """
        let expected = """
            \(printed)
            type T {
            \(indented(1))
              f(
            \(indented(2))
                a: Int
              ): Int
            }

            \(printed)
            enum E {
            \(indented(1))
              A
            }

            \(printed)
            input I {
            \(indented(1))
              f: Int
            }

            \(printed)
            scalar S

            \(printed)
            directive @d on ENUM

            \(printed)
            interface N {
              f: Int
            }

            \(printed)
            union U = T

            \(printed)
            schema {
              query: T
            }

            """
        let (document, errors) = Parser.parseTypeSystem([Source(text)])
        #expect(errors.map(\.message) == [] && Printer.print(document) == expected)
    }
}
