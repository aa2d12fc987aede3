import Foundation
import GraphQL
import Testing
import Transformer

@testable import Codegen

@Suite("Statements")
struct StatementTests {
    /// The errors of every file as one document.
    private func violations(_ files: [GeneratedFile], _ schema: Schema) throws -> [String] {
        try files.flatMap { file in
            let document = try Parser.parse(Source(file.text, name: file.name), limits: .schema)
            return Validate.validate(document, schema).map { "\(file.name): \($0.message)" }
        }
    }

    private func file(_ name: String, _ schema: String, depth: Int = 2) throws -> String {
        let files = try statementFiles(try servedSchema(schema), .graphql, StatementOptions(maxDepth: depth))
        return try #require(files[name])
    }

    private func refusal(_ schema: String, depth: Int) throws -> [Diagnostic] {
        switch Codegen.statements(
            of: try servedSchema(schema), target: .graphql, options: StatementOptions(maxDepth: depth))
        {
        case .success: []
        case .failure(let diagnostics): diagnostics
        }
    }

    @Test("the golden schemas are there")
    func fixtures() { #expect(TransformerGolden.all.count >= 40) }

    @Test("every statement of a golden schema is valid in the schema that is served", arguments: TransformerGolden.all)
    func valid(golden: TransformerGolden) throws {
        let schema = try golden.schema
        for depth in 1...4 {
            let files = try statementFiles(schema, .graphql, StatementOptions(maxDepth: depth))
            #expect(!files.isEmpty)
            #expect(try violations(files, schema) == [], "depth \(depth)")
        }
    }

    @Test("a schema gives the same statements each time", arguments: TransformerGolden.all.prefix(5))
    func deterministic(golden: TransformerGolden) throws {
        for target in StatementTarget.allCases {
            #expect(try statementFiles(golden.schema, target) == statementFiles(golden.schema, target))
        }
    }

    private static let blog = """
        type Post @model { id: ID! title: String comments: [Comment] @hasMany }
        type Comment @model { id: ID! text: String post: Post @belongsTo }
        """

    @Test("each level takes one of the depth, and a level without depth is left out")
    func depth() throws {
        func selection(_ depth: Int) throws -> String {
            let text = try file("queries.graphql", Self.blog, depth: depth)
            let start = try #require(text.range(of: "getPost(id: $id) {"))
            let end = try #require(text.range(of: "\n}\n"))
            return text[start.upperBound..<end.lowerBound].split(separator: "\n")
                .map { $0.trimmingPrefix { $0 == " " } }.joined(separator: " ")
        }
        #expect(try selection(1) == "id title createdAt updatedAt __typename }")
        #expect(
            try selection(2) == "id title comments { nextToken __typename } createdAt updatedAt __typename }")
        #expect(
            try selection(3)
                == "id title comments { items { id text createdAt updatedAt postCommentsId __typename } nextToken __typename } "
                + "createdAt updatedAt __typename }")
    }

    @Test("a schema without models has statements, with its interfaces and unions by fragments")
    func plain() throws {
        let schema = """
            interface Node { id: ID! label: String }
            type A implements Node { id: ID! label: String x: Int same: Int both: [Int!] }
            type B implements Node { id: ID! label: String y: Float same: String both: [Int!] }
            union AB = A | B
            type Query { node(id: ID!, n: Int = 5, s: String = "a\\"b"): Node ab: [AB!]! plain: Int }
            """
        let text = try file("queries.graphql", schema)
        #expect(
            text.contains(
                """
                query Node($id: ID!, $n: Int = 5, $s: String = "a\\"b") {
                  node(id: $id, n: $n, s: $s) {
                    id
                    label
                    __typename
                    ... on A {
                      x
                      same
                      both
                    }
                    ... on B {
                      y
                      both
                    }
                  }
                }

                query Ab {
                """))
        #expect(text.hasSuffix("query Plain {\n  plain\n}\n"))
        #expect(try violations([GeneratedFile(name: "queries.graphql", text: text)], servedSchema(schema)) == [])
    }

    @Test("what cannot be selected without an argument is left out, with a warning")
    func arguments() throws {
        let schema = try servedSchema(
            "type T { id: ID page(n: Int): Int at(n: Int!): Int deep(n: Int! = 1): T } type Query { t: T }")
        guard case .success(let files, let warnings) = Codegen.statements(of: schema, target: .graphql) else {
            Issue.record("the statements are refused")
            return
        }
        #expect(try violations(files, schema) == [])
        #expect(files[0].text.contains("    page\n") && !files[0].text.contains("at\n"))
        #expect(warnings.map(\.message) == ["T.at is left out of statements: it requires an argument."])
    }

    @Test("variables that do not fit on a line stand on a line each")
    func lines() throws {
        let text = try file("queries.graphql", Self.blog)
        #expect(text.contains("query GetPost($id: ID!) {\n  getPost(id: $id) {\n"))
        #expect(
            text.contains(
                """
                query ListPosts(
                  $filter: ModelPostFilterInput
                  $limit: Int
                  $nextToken: String
                ) {
                  listPosts(filter: $filter, limit: $limit, nextToken: $nextToken) {
                """))
    }

    @Test("root fields whose operations would share a name have different ones")
    func names() throws {
        let schema = "type Query { get: Int Get: Int delete: Int delete_: Int }"
        let files = try statementFiles(try servedSchema(schema), .javascript)
        #expect(files[0].text.contains("query Get {\n    get\n") && files[0].text.contains("query Get_ {\n    Get\n"))
        #expect(files[0].text.contains("export const delete_ = ") && files[0].text.contains("export const delete__ = "))
        #expect(!files[0].text.contains("export const delete ="))
        #expect(try violations(statementFiles(servedSchema(schema)), servedSchema(schema)) == [])
    }

    @Test("a default cannot leave the template of its constant")
    func templates() throws {
        let schema = #"type Query { f(s: String = "`${process.exit()}\\"): Int }"#
        let files = try statementFiles(try servedSchema(schema), .javascript)
        #expect(files[0].text.contains(#""\`\${process.exit()}\\\\""#), "\(files[0].text)")
    }

    @Test("a statement that no API would accept is refused by its name, with the depth to try")
    func explosion() throws {
        let types = (0..<6).map { index in
            let fields = (0..<6).map { "f\($0): T\(($0 + index) % 6)" }.joined(separator: " ")
            return "type T\(index) { \(fields) x: Int }"
        }
        let schema = types.joined(separator: "\n") + "\ntype Query { root: T0 other: Int }"
        #expect(try refusal(schema, depth: 4) == [])
        let errors = try refusal(schema, depth: 50)
        #expect(
            errors.map(\.message) == ["The statement of root has more than 10000 fields at the depth 50."])
        #expect(errors.first?.hint == "Generate fewer levels: --max-depth 49.")
        #expect(try refusal(schema, depth: 51).map(\.message) == ["The depth 51 is not from 1 to 50."])
        #expect(try refusal(schema, depth: 0).count == 1)
    }

    @Test("a chain as deep as statements go is one that the service's parser accepts")
    func chain() throws {
        let schema = try servedSchema("type T { t: T x: Int } type Query { t: T }")
        let files = try statementFiles(schema, .graphql, StatementOptions(maxDepth: 50))
        let document = try Parser.parse(Source(files[0].text, name: "queries"), limits: .request)
        #expect(Validate.validate(document, schema).isEmpty)
        // Each level of an interface has two selection sets.
        let fragments = "interface I { x: Int } type A implements I { x: Int y: Int i: I } type Query { i: I }"
        #expect(
            try refusal(fragments, depth: 50).map(\.message) == [
                "The statement of i has more than 99 levels at the depth 50."
            ])
        #expect(try refusal(fragments, depth: 49) == [])
    }

    @Test("many statements that are each small enough are refused together")
    func total() throws {
        let fields = (0..<60).map { "f\($0): A" }.joined(separator: " ")
        let leaves = (0..<60).map { "g\($0): Int" }.joined(separator: " ")
        let roots = (0..<300).map { "r\($0): T" }.joined(separator: " ")
        let errors = try refusal("type A { \(leaves) } type T { \(fields) } type Query { \(roots) }", depth: 2)
        #expect(errors.map(\.message) == ["The statements have more than 1000000 fields together at the depth 2."])
    }

    @Test("the aggregates of a search take no depth")
    func aggregates() throws {
        let schema = """
            type SearchableConnection { items: [Int] aggregateItems: [SearchableAggregateResult]! }
            type SearchableAggregateResult { name: String! result: SearchableAggregateGenericResult }
            union SearchableAggregateGenericResult = SearchableAggregateScalarResult | SearchableAggregateBucketResult
            type SearchableAggregateScalarResult { value: Float! }
            type SearchableAggregateBucketResult { buckets: [Bucket] }
            type Bucket { key: String! }
            type Query { search: SearchableConnection }
            """
        let text = try file("queries.graphql", schema)
        #expect(text.contains("buckets {"), "\(text)")
        #expect(try !file("queries.graphql", schema, depth: 1).contains("buckets {"))
    }
}
