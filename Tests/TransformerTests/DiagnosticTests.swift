import Foundation
import GraphQL
import Testing

@testable import Transformer

@Suite("Diagnostics")
struct DiagnosticTests {
    @Test("a diagnostic is rendered with its line, a caret and the hint")
    func rendering() throws {
        let diagnostic = try #require(refusal("type Post @model {\n\tid: ID! tag: Strin\n}").first)
        #expect(
            diagnostic.render() == """
                schema.graphql:2:10: error: Unknown type "Strin".
                  \tid: ID! tag: Strin
                  \t        ^
                  hint: Did you mean "String"?
                """)
        let placeless = Diagnostic(kind: "NotServedError", message: "No.", hint: "Do.")
        #expect(placeless.render() == "error: No.\n  hint: Do.")
        #expect(Diagnostic(kind: "Warning", message: "Hm.").render() == "warning: Hm.")
    }

    @Test("everything that is wrong is said at once, in the order of the text")
    func allAtOnce() {
        let diagnostics = refusal(
            """
            type Post @model @key(fields: ["titel"]) @modl {
              title: String!
              author: Usr @connection
              comments: [Comment] @connection(keyName: "byPosts", fields: ["title"])
              plays: Int @http(url: "https://example.com")
            }
            type Comment @model @key(name: "byPost", fields: ["postID"]) { id: ID! postID: ID! }
            type User { name: String @connection }
            query { a }
            """)
        let lines = diagnostics.compactMap(\.place?.line)
        #expect(lines == lines.sorted())
        #expect(Set(lines) == [1, 3, 5, 8, 9])
        #expect(diagnostics.contains { $0.hint == "Did you mean \"title\"?" })
        #expect(diagnostics.contains { $0.message.contains("@modl") && $0.hint?.contains("@model") == true })
    }

    @Test("a text that cannot be read is refused with every syntax error and nothing else")
    func syntax() {
        let diagnostics = refusal("type Post @model {\n  id ID!\n}\ntype B @model { a: Unknown }\ntype {")
        #expect(diagnostics.map(\.kind) == ["SyntaxError", "SyntaxError"])
        #expect(diagnostics.compactMap(\.place?.line) == [2, 5])
    }

    @Test("places name the source they are in")
    func sources() {
        let sources = [
            Source("type A @model { id: ID! b: B }", name: "a.graphql"),
            Source("type B { c: C }\ntype D @key(fields: [\"a\"]) { a: Int }", name: "b.graphql"),
        ]
        guard case .failure(let diagnostics) = Transform.transform(sources) else {
            Issue.record("The schema is accepted.")
            return
        }
        #expect(diagnostics.compactMap(\.place?.sourceName) == ["b.graphql", "b.graphql"])
        #expect(diagnostics.compactMap(\.place?.line) == [1, 2])
    }

    @Test(
        "what standard validation refuses is refused",
        arguments: [
            "type A @model @model { id: ID! }", "type A @model { id: ID! } type A { b: Int }",
            "type A @model(querys: null) { id: ID! }", "type A @model(queries: \"all\") { id: ID! }",
            "type A @model(queries: null, queries: null) { id: ID! }", "type A { a: Int @model }",
            "interface A @model { id: ID! }", "type A @key(name: \"n\") { id: ID! }", "type A { a: Unknown }",
            "type A { a: Int a: Int }", "type A { a: Int } extend type A { a: Int }", "extend type B { a: Int }",
            "query { a }", "type A @model(timestamps: { made: \"x\" }) { id: ID! }",
        ])
    func standardValidation(schema: String) {
        #expect(refusal(schema).contains { $0.kind == "SchemaValidationError" })
    }

    @Test("what is generated and what the author wrote must fit together")
    func conflicts() {
        let query = refusal("type Post @model { id: ID! }\ntype Query { getPost: Int }")
        #expect(query.map(\.message) == ["The field Query.getPost exists already."])
        #expect(query.first?.place?.line == 1)
        let two = refusal("type post @model { id: ID! }\ntype Post @model { id: ID! }")
        #expect(two.contains { $0.message == "The field Query.getPost exists already." && $0.place?.line == 2 })
        #expect(!refusal("type Post @model { id: ID! } type ModelPostFilterInput { a: Int }").isEmpty)
        let empty = refusal("type A @model { id: ID! n: N }\ntype N { a: A }")
        #expect(empty.compactMap(\.place?.line) == [2])
        #expect(
            !refusal(
                "interface I { a: [B] } type A implements I @model { a: [B] @connection } type B @model { id: ID! }"
            ).isEmpty)
    }

    /// The processor's time of this thread: others add nothing to it.
    private static func threadTime() -> Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    @Test("the places of many errors in one line are found in one pass over it")
    func oneLongLine() {
        let text = String(repeating: "type é { a: 😀 } ", count: 1 << 16)
        let source = Source(text, name: "schema.graphql")
        var diagnostics = DiagnosticList(sources: [source])
        let step = source.bytes.count / 1_000
        let start = Self.threadTime()
        // From the end, so that the order of the text is not the one in which they are found.
        for index in (0..<1_000).reversed() {
            diagnostics.report(.schemaValidation, "\(index)", at: Place(source: 0, offset: index * step))
        }
        let errors = diagnostics.errors
        // One pass takes a fraction of a second, and one for each error most of a minute.
        #expect(Self.threadTime() - start < .seconds(5))
        #expect(errors.map(\.message) == (0..<1_000).map { "\($0)" })
        for index in [0, 1, 500, 999] {
            #expect(errors[index].place?.column == source.location(of: index * step).column)
            #expect(errors[index].place?.line == 1 && errors[index].place?.sourceLine == "", "each would repeat it")
        }
    }

    @Test("names that are written as strings must be names")
    func names() {
        #expect(refusal("type A @model(queries: { get: \"a b\" }) { id: ID! }").count == 1)
        #expect(refusal("type A @model(subscriptions: { onCreate: [\"1a\"] }) { id: ID! }").count == 1)
        #expect(refusal("type A @model(timestamps: { createdAt: \"ä\" }) { id: ID! }").count == 1)
        #expect(refusal("type A @model @key(name: \"a#b\", fields: [\"id\"]) { id: ID! }").count == 1)
        #expect(refusal("type A @model @key(name: \"a\", fields: [\"id\"], queryField: \"q!\") { id: ID! }").count == 1)
        #expect(refusal("type A @model { id: ID! b: A @connection(keyField: \"x.y\") }").count == 1)
    }
}
