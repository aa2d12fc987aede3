import Foundation
import GraphQL
import Testing
import Transformer

@testable import Codegen

@Suite("Types in Swift")
struct SwiftAPITests {
    /// Names that mean something else in Swift, or that two parts of the schema would share.
    static let names = """
        enum Type { class default init self unknown UNKNOWN Self Type rawValue fooBar foo_bar _1 _ }
        enum Status { A B }
        "one\\ntwo */ }"
        type String_ implements Any { id: ID! strings: [Int_] snapshot: Type self: Self status: Status
          statuses: [Holder!] String: Int_ fooBar: Int foo_bar: Int _: Int data: Int_ selections: [Int_!]! type: Int_ }
        type Int_ { x: Int y: [[Float]!] deep: [[Int_!]] init: Int }
        type Holder { holder: Holder holders: [Holder] status: Status! }
        type Self implements Any { id: ID! children: [String_!]! people: [Any!] own: Any }
        interface Any { id: ID! }
        union Protocol = String_ | Self
        input Snapshot { graphQLMap: Snapshot init: Type! = class in: [Snapshot!] self: Int foo_bar: Int fooBar: Int }
        type Query {
          get(self: Int, variables: Snapshot, init: Type!, in: [Int!]! = [1]): String_ Get(_: Int): [Protocol]!
          any: Any class(throws: Boolean!): Int data: Holder
        }
        """

    private func typecheck(_ schemas: [Schema], stub: Bool = false) throws {
        for (index, schema) in schemas.enumerated() {
            try withFolder { folder in
                try write([try typesFile(schema, .swift, maxDepth: 2 + index % 2)], to: folder)
                if stub {
                    let fixture = try #require(Bundle.module.resourceURL)
                        .appending(path: "Fixtures/AWSAppSync/AWSAppSync.swift.txt")
                    try FileManager.default.copyItem(at: fixture, to: folder.appending(path: "Stub.swift"))
                    let made = try runTool(
                        [
                            "swiftc", "-swift-version", "5", "-emit-module", "-parse-as-library", "-module-name",
                            "AWSAppSync", "Stub.swift",
                        ], in: folder)
                    #expect(made.code == 0, "\(made.output)")
                }
                let outcome = try runTool(
                    [
                        "swiftc", "-swift-version", "5", "-typecheck", "-parse-as-library", "-warnings-as-errors",
                        "-module-name", "App", "-I", ".", "API.swift",
                    ], in: folder)
                #expect(outcome.code == 0, "schema \(index): \(outcome.output.prefix(4_000))")
            }
        }
    }

    @Test("API.swift compiles as it is, with its own support")
    func alone() throws {
        let names = ["seed-chat-datastore", "v2-manytomany", "model-all-scalars"]
        let goldens = TransformerGolden.all.filter { names.contains($0.name) }
        #expect(goldens.count == names.count)
        try typecheck(
            [try servedSchema(Self.names), try StatementGolden(name: "blog-v1").schema]
                + goldens.map { try $0.schema })
    }

    @Test("API.swift compiles with the declarations of the AppSync SDK")
    func sdk() throws {
        try typecheck([try servedSchema(Self.names), try StatementGolden(name: "blog-v2").schema], stub: true)
    }

    @Test("an app reads results and writes variables by the generated types")
    func runs() throws {
        let schema = try StatementGolden(name: "blog-v2").schema
        let main = """
            import Foundation

            @main struct App {
              static func main() throws {
                let json = \"\"\"
                  {"search": [
                    {"__typename": "Post", "slug": "a", "year": 2020, "published_at": 5, "createdAt": "t", "updatedAt": "t"},
                    {"__typename": "Page", "name": "b", "hits": [{"__typename": "Page", "name": "c"}]}
                  ]}
                  \"\"\"
                let found = try JSONDecoder().decode(SearchQuery.Data.self, from: Data(json.utf8))
                print(found.search.count, found.search[0].asPost?.year ?? 0, found.search[0].asPage == nil)
                print(found.search[0].asPost?.publishedAt ?? 0, found.search[1].asPage?.hits[0].asPage?.name ?? "")
                var copy = found
                copy.search[1].asPage?.name = "d"
                print(copy.search[1].asPage?.name ?? "")
                let none = try JSONDecoder().decode(ClassQuery.Data.self, from: Data("{\\"class\\": null}".utf8))
                print(none.`class` == nil)
                let wrong = try? JSONDecoder().decode(SearchQuery.Data.self, from: Data("{\\"search\\": 1}".utf8))
                print(wrong == nil)
                let made = SearchQuery.Data(search: [.makePage(name: "e", hits: [])])
                print(made.search[0].__typename, made.search[0].asPage?.hits.count ?? -1)
                let mutation = MarkMutation(marks: [Mark(text: "x", inner: Mark(text: "y", times: [1, 2]))])
                let variables = try JSONSerialization.data(
                  withJSONObject: mutation.variables?.jsonObject ?? [:], options: [.sortedKeys])
                print(String(decoding: variables, as: UTF8.self))
                print(SearchQuery.operationString.hasPrefix("query Search("), SearchQuery().variables?.jsonObject.count ?? -1)
              }
            }
            """
        try withFolder { folder in
            try write([try typesFile(schema, .swift), GeneratedFile(name: "App.swift", text: main)], to: folder)
            let built = try runTool(
                ["swiftc", "-swift-version", "5", "-parse-as-library", "API.swift", "App.swift", "-o", "app"],
                in: folder)
            #expect(built.code == 0, "\(built.output.prefix(4_000))")
            let ran = try runTool(["./app"], in: folder)
            #expect(
                ran.output == """
                    2 2020 true
                    5 c
                    d
                    true
                    true
                    Page 0
                    {"marks":[{"inner":{"text":"y","times":[1,2]},"text":"x"}]}
                    true 0

                    """)
        }
    }

    @Test(
        "a nested type has the singular of its field",
        arguments: [
            ("items", "Item"), ("comments", "Comment"), ("listPosts", "ListPost"), ("children", "Child"),
            ("people", "Person"), ("categories", "Category"), ("statuses", "Status"), ("addresses", "Address"),
            ("data", "Datum"), ("delta", "Delta"), ("series", "Series"), ("bus", "Bus"), ("wolves", "Wolf"),
            ("analyses", "Analysis"), ("news", "News"), ("movies", "Movie"), ("heroes", "Hero"), ("glass", "Glass"),
            ("queries", "Query"), ("matrices", "Matrix"), ("user", "User"), ("s", "Field_s"), ("women", "Woman"),
        ])
    func singular(key: String, name: String) { #expect(SwiftIdentifier.type(key) == name) }
}
