import GraphQL
import JSON
import Testing

@Suite("Parser, executable documents")
struct LanguageParserTests {
    static let kitchenSink = #"""
        query everything($id: ID!, $list: [[Int!]!] = [[1, 2], [3]], $in: Input = {a: 1, b: {c: [null]}} @onVariable(x: 1)) @onQuery {
          alias: field(
            int: -1
            float: 1.5e3
            yes: true
            no: false
            none: null
            color: RED
            list: [1, "two", $id]
            object: {key: $list, empty: {}, no: []}
          ) @include(if: $yes) @twice @twice {
            ...spread @onSpread
            ... on Type @onInline {
              query
              on
              fragment: type
            }
            ... @skip(if: true) {
              true
            }
            ... {
              null
            }
          }
          block(text: """
            first
              second
          """)
        }

        mutation change {
          a: b(c: "d")
        }

        subscription {
          listen
        }

        fragment spread on Type @onFragment {
          id
        }
        """#

    @Test("a document with everything in it is read as it is written")
    func kitchenSink() throws {
        let document = try Parser.parse(Source(Self.kitchenSink))
        #expect(document.operations.map(\.type) == [.query, .mutation, .subscription])
        #expect(document.operations.map { $0.name.map(document.name) } == ["everything", "change", nil])
        #expect(
            document.fragments.map { document.name($0.name) + " " + document.name($0.typeCondition) } == ["spread Type"]
        )
        #expect(Printer.print(document) == Self.kitchenSink + "\n")
    }

    @Test("siblings are neighbours, whatever stands between them")
    func siblings() throws {
        let document = try Parser.parse(Source("{ a { b { c } d } e f(x: [[1], [2, 3]], y: {z: {w: 1}, v: 2}) }"))
        func names(_ range: NodeRange<Selection>) -> [String] {
            document[range].map { if case .field(let field) = $0 { document.name(field.name) } else { "" } }
        }
        let root = document.operations[0].selectionSet
        #expect(names(root) == ["a", "e", "f"])
        guard case .field(let a) = document[root].first, let set = a.selectionSet else {
            Issue.record("no field")
            return
        }
        #expect(names(set) == ["b", "d"])
        #expect(document.constValue(of: document.arguments[0].value) == [[1], [2, 3]])
        #expect(document.constValue(of: document.arguments[1].value) == ["z": ["w": 1], "v": 2])
    }

    @Test("nodes know where they begin")
    func offsets() throws {
        let text = "query q($v: [Int!] = 1 @d) { x: a(b: [$v]) @c ...F ... on T { y } }\nfragment F on T { z }"
        let document = try Parser.parse(Source(text))
        func column(_ offset: UInt32) -> Int { document.location(of: offset).column }
        #expect(column(document.operations[0].offset) == 1)
        #expect(column(document.variableDefinitions[0].offset) == 9)
        #expect(document.selections.map { column($0.offset) }.sorted() == [19, 30, 47, 52, 63])
        #expect(column(document.arguments[0].offset) == 35)
        #expect(column(document.arguments[0].value.offset) == 38 && column(document.values[0].offset) == 39)
        #expect(document.directives.map { column($0.offset) } == [24, 44])
        #expect(document.location(of: document.fragments[0].offset) == SourceLocation(line: 2, column: 1))
        #expect(document.typeNode(of: document.variableDefinitions[0].type).description == "[Int!]")
    }

    @Test("names are compared by their bytes")
    func names() throws {
        let document = try Parser.parse(Source("{ name name nama names }"))
        let names = document.selections.compactMap { if case .field(let field) = $0 { field.name } else { nil } }
        #expect(names.map { document.areEqual($0, names[0]) } == [true, true, false, false])
        #expect(document.isName(names[0], "name") && !document.isName(names[0], "names"))
        #expect(document.constValue(of: try Parser.parse(Source("{ a(b: 1) }")).arguments[0].value) != nil)
    }

    @Test("definitions of a schema are parsed by name, for validation to refuse")
    func nonExecutable() throws {
        let text =
            "{ a }\n\"described\" type T { f: Int }\nextend schema @d\ndirective @x on FIELD\nfragment F on T { a }"
        let document = try Parser.parse(Source(text))
        #expect(document.nonExecutableDefinitions.map(\.name) == ["T", "schema", "x"])
        #expect(document.nonExecutableDefinitions.map { document.location(of: $0.offset).line } == [2, 3, 4])
        #expect(document.operations.count == 1 && document.fragments.count == 1)
    }

    @Test(
        "a constant value holds no variable",
        arguments: [
            "query ($a: Int = $b) { x }", "query ($a: [Int] = [1, $b]) { x }", "query ($a: I = {b: $c}) { x }",
            "query ($a: Int @d(x: $b)) { x }",
        ])
    func constants(_ text: String) {
        let error = #expect(throws: SyntaxError.self) { try Parser.parse(Source(text)) }
        #expect(error?.message == "Expected a constant value, found \"$\".")
    }

    @Test("nesting is bounded in selections, values and types")
    func depth() throws {
        let nested = { (open: String, close: String, depth: Int) in
            String(repeating: open, count: depth) + "a" + String(repeating: close, count: depth)
        }
        let texts = { (depth: Int) in
            [
                nested("{a", "}", depth).replacing("{aa}", with: "{a}"),
                "{ a(b: " + nested("[", "]", depth - 1) + ") }",
                "{ a(b: " + nested("{k:", "}", depth - 1) + ") }", "query ($a: " + nested("[", "]", depth) + ") { a }",
            ]
        }
        for text in texts(100) { _ = try Parser.parse(Source(text)) }
        for text in texts(101) + texts(7_000) {
            let error = #expect(throws: SyntaxError.self) { try Parser.parse(Source(text)) }
            #expect(error?.kind == .limit && error?.message == "The text is nested deeper than 100 levels.")
        }
    }
}

@Suite("SyntaxError")
struct LanguageSyntaxErrorTests {
    @Test(
        "every unexpected token is reported as AppSync does: line from 1, column from 0",
        arguments: [
            ("{", 1, 1), ("{ scal", 1, 6), ("{ }", 1, 2), ("{ scal(i: ) }", 1, 10), ("foo", 1, 0), (" ", 1, 1),
            ("\n\n", 3, 0), ("{ a() }", 1, 4), ("{ a(b) }", 1, 5), ("{ a(b 1) }", 1, 6), ("{ a(: 1) }", 1, 4),
            ("{ a: }", 1, 5), ("{ a: b: c }", 1, 6), ("{ a { } }", 1, 6), ("{ a @ }", 1, 6), ("{ a @d( }", 1, 8),
            ("{ ... }", 1, 6), ("{ ... on }", 1, 9), ("{ ... on T }", 1, 11), ("{ ...on T b }", 1, 10),
            ("query { a", 1, 9), ("query q q { a }", 1, 8), ("query q", 1, 7), ("query ($) { a }", 1, 8),
            ("query () { a }", 1, 7), ("query ($a) { a }", 1, 9), ("query ($a:) { a }", 1, 10),
            ("query ($a: [A) { a }", 1, 13),
            ("query ($a: A!!) { a }", 1, 13), ("query ($a: A =) { a }", 1, 14), ("fragment { a }", 1, 9),
            ("fragment on on T { a }", 1, 9), ("fragment F { a }", 1, 11), ("fragment F on { a }", 1, 14),
            ("fragment F on T a", 1, 16), ("{ a(b: [1) }", 1, 9), ("{ a(b: {c}) }", 1, 9), ("{ a(b: {1: 2}) }", 1, 8),
            ("{ a(b: {c: 1]) }", 1, 12), ("{ a(b: $) }", 1, 8), ("{ a(b: @) }", 1, 7), ("{ $a }", 1, 2),
            ("{ 1 }", 1, 2),
            ("{ \"a\" }", 1, 2), ("{ a = b }", 1, 4), ("{ a | b }", 1, 4), ("{ a & b }", 1, 4), ("{ a ! }", 1, 4),
            ("{ [a] }", 1, 2),
            ("{\n  a\n  b(\n}", 4, 0), ("(a: 1)", 1, 0), ("...F", 1, 0), ("@d { a }", 1, 0), ("type {", 1, 5),
            ("{ a(b: \"😀\" é", 1, 13),
        ])
    func invalidSyntax(_ text: String, _ line: Int, _ column: Int) {
        let error = #expect(throws: SyntaxError.self) { try Parser.parse(Source(text)) }
        #expect(error?.graphQLError.message == "Invalid Syntax")
        #expect(
            error?.graphQLError.locations == [SourceLocation(line: line, column: column)], "\(error?.message ?? "")")
    }

    @Test(
        "tokens left over after a definition have a message of their own",
        arguments: ["{ a }}", "{ a } foo", "{ a } )", "fragment F on T { a } 1", "type T { a: Int } foo"])
    func trailing(_ text: String) {
        let error = #expect(throws: SyntaxError.self) { try Parser.parse(Source(text)) }
        #expect(
            error?.graphQLError
                == GraphQLError(
                    "Invalid Syntax : There are more tokens in the query that have not been consumed", locations: []))
    }

    @Test(
        "a malformed string is reported at the end of the text, where AppSync's parser notices",
        arguments: [("{ a(b: \"x) }", 12), ("{ a(b: \"\\q\") }", 14)])
    func strings(_ text: String, _ column: Int) {
        let error = #expect(throws: SyntaxError.self) { try Parser.parse(Source(text)) }
        #expect(
            error?.graphQLError == GraphQLError("Invalid Syntax", locations: [SourceLocation(line: 1, column: column)]))
    }

    @Test(
        "what is not closed is named with the place where it was opened",
        arguments: [
            ("type A {\n  a: Int\n", "The \"{\" opened at 1:8 is not closed."),
            ("type A { a(b: [Int): Int }", "The \"[\" opened at 1:15 is not closed."),
            ("type A { a(b: Int }", "The \"(\" opened at 1:11 is not closed."),
            ("type A {\n  a: Int\ntype B {\n  b: Int\n}\n", "The \"{\" opened at 1:8 is not closed."),
            ("type A { a: Int @x(y: {z: [1 }) }", "The \"[\" opened at 1:27 is not closed."),
            ("# {\ntype A @x(y: \"{\") {\n  a: Int }\nenum E {", "The \"{\" opened at 4:8 is not closed."),
            ("type A { a: }", nil), ("type A { a Int }\ntype B { b: Int }", nil),
        ] as [(String, String?)])
    func unclosed(_ text: String, _ hint: String?) {
        let errors = Parser.parseTypeSystem([Source(text)]).errors
        #expect(errors.first?.hint == hint)
    }

    @Test("a request with an unclosed bracket has AppSync's error, and the location is in the log")
    func unclosedRequest() {
        for (text, column, hint) in [
            ("{ a { b(c: [1 2) } }", 15, "The \"[\" opened at 1:12 is not closed."),
            ("query Q($x: Int { a }", 16, nil), ("{ a { b }", 9, "The \"{\" opened at 1:1 is not closed."),
        ] as [(String, Int, String?)] {
            let error = #expect(throws: SyntaxError.self) { try Parser.parse(Source(text)) }
            #expect(error?.hint == hint)
            #expect(
                error?.graphQLError
                    == GraphQLError("Invalid Syntax", locations: [SourceLocation(line: 1, column: column)]))
        }
    }

    @Test("the words for a terminal show the line and a mark")
    func terminal() {
        let errors = Parser.parseTypeSystem([Source("type A {\n\tname: }\n", name: "schema.graphql")]).errors
        #expect(
            errors.map(\.description) == ["schema.graphql:2:8: Expected a type, found \"}\".\n  \tname: }\n  \t      ^"]
        )
        let hinted = #expect(throws: SyntaxError.self) { try Parser.parse(Source("{ a(b: 'x') }", name: "q")) }
        #expect(
            hinted?.description
                == "q:1:8: A single quote begins nothing.\n  { a(b: 'x') }\n         ^\nHint: Strings stand in double quotes."
        )
    }
}

@Suite("GraphQLError")
struct LanguageErrorTests {
    private func text(_ error: GraphQLError, isThin: Bool = false) -> String {
        var writer = JSONWriter(capacity: 64)
        isThin ? error.writeThin(into: &writer) : error.write(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("an error of the request has no errorType unless it is set")
    func request() {
        let error = GraphQLError("no", locations: [SourceLocation(line: 1, column: 3)])
        #expect(text(error) == #"{"path":null,"locations":[{"line":1,"column":3,"sourceName":null}],"message":"no"}"#)
        #expect(text(GraphQLError("no", locations: [])) == #"{"path":null,"locations":[],"message":"no"}"#)
        #expect(
            text(GraphQLError("no", errorType: "OperationNotSupported"))
                == #"{"path":null,"errorType":"OperationNotSupported","locations":null,"message":"no"}"#)
    }

    @Test("an error of a resolver has all six keys")
    func resolver() {
        var error = GraphQLError(
            "no", locations: [SourceLocation(line: 2, column: 3)], path: ["a", 0], shape: .resolver)
        #expect(
            text(error)
                == #"{"path":["a",0],"data":null,"errorType":null,"errorInfo":null,"locations":[{"line":2,"column":3,"sourceName":null}],"message":"no"}"#
        )
        error.errorType = "ConflictUnhandled"
        error.data = ["id": "1"]
        error.errorInfo = [1]
        #expect(
            text(error)
                == #"{"path":["a",0],"data":{"id":"1"},"errorType":"ConflictUnhandled","errorInfo":[1],"locations":[{"line":2,"column":3,"sourceName":null}],"message":"no"}"#
        )
    }

    @Test("an error of completion has a path and no locations")
    func completion() {
        let error = GraphQLError(
            "no \"x\"", locations: [SourceLocation(line: 1, column: 1)], path: ["a", 32, "b"], shape: .completion)
        #expect(text(error) == #"{"path":["a",32,"b"],"locations":null,"message":"no \"x\""}"#)
    }

    @Test("over the realtime socket an error is thinner")
    func thin() {
        let location = [SourceLocation(line: 1, column: 1)]
        #expect(text(GraphQLError("no", locations: location), isThin: true) == #"{"message":"no"}"#)
        #expect(
            text(GraphQLError("no", locations: location, path: ["a"], errorType: "T", shape: .resolver), isThin: true)
                == #"{"message":"no","errorType":"T","path":["a"]}"#)
    }
}
