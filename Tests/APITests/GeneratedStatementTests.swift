import Codegen
import JSON
import Testing
import Transformer

@testable import API

/// The statements of `syncline codegen statements`, sent as an app sends them.
@Suite("Generated statements are answered", .bothExecutors) struct GeneratedStatementTests {
    private static let schema = """
        type Post @model {
          id: ID! title: String! status: Status place: Place comments: [Comment] @connection(name: "C")
        }
        type Comment @model { id: ID! text: String post: Post @connection(name: "C") }
        type Place { city: String! }
        enum Status { DRAFT DONE }
        """

    /// The variables of every operation, in the order in which they are sent. `_version` counts with DataStore alone.
    private static func steps(isVersioned: Bool) -> [(operation: String, variables: String)] {
        func version(_ number: Int) -> String { isVersioned ? #", "_version": \#(number)"# : "" }
        return [
            (
                "CreatePost",
                #"{"input": {"id": "p", "title": "A", "status": "DRAFT", "place": {"city": "B"}}, "condition": null}"#
            ),
            ("CreateComment", #"{"input": {"id": "c", "text": "T", "commentPostId": "p"}}"#),
            ("GetPost", #"{"id": "p"}"#), ("ListPosts", #"{"filter": {"title": {"eq": "A"}}, "limit": 5}"#),
            ("GetComment", #"{"id": "c"}"#), ("ListComments", "{}"),
            ("UpdatePost", #"{"input": {"id": "p", "title": "C"\#(version(1))}}"#),
            ("UpdateComment", #"{"input": {"id": "c", "text": "U"\#(version(1))}}"#),
        ] + (isVersioned ? [("SyncPosts", "{}"), ("SyncComments", #"{"limit": 5}"#)] : []) + [
            ("DeleteComment", #"{"input": {"id": "c"\#(version(2))}}"#),
            ("DeletePost", #"{"input": {"id": "p"\#(version(2))}}"#),
        ]
    }

    private static func files(_ service: Service, maxDepth: Int) throws -> [String: String] {
        let outcome = Codegen.statements(
            of: service.definition.schema, target: .graphql, options: StatementOptions(maxDepth: maxDepth))
        guard case .success(let files, _) = outcome else { throw TestFailure("the statements are refused") }
        return Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.text) })
    }

    @Test(
        "each query and mutation of a schema is answered without errors, and each subscription is accepted",
        arguments: [1, 2, 4], [false, true])
    func answered(maxDepth: Int, isVersioned: Bool) throws {
        let service = try Service(
            Self.schema, transform: TransformOptions(conflictDetection: isVersioned ? .version : .none))
        let files = try Self.files(service, maxDepth: maxDepth)
        var sent: Set<String> = []
        for (operation, variables) in Self.steps(isVersioned: isVersioned) {
            let isQuery = ["Get", "List", "Sync"].contains { operation.hasPrefix($0) }
            let file = try #require(files[isQuery ? "queries.graphql" : "mutations.graphql"])
            let answer = try service.run(file, variables, operationName: operation)
            #expect(answer["errors"] == nil, "\(operation): \(answer)")
            let field = operation.prefix(1).lowercased() + operation.dropFirst()
            #expect(answer["data"]?[field]?.isNull == false, "\(operation): \(answer)")
            if operation == "GetPost", maxDepth >= 3 {
                let comments = answer["data"]?[field]?["comments"]?["items"]?.arrayValue
                #expect(comments?.first?["text"] == "T", "\(answer)")
            }
            sent.insert(operation)
        }
        var subscriptions = 0
        for statement in try #require(files["subscriptions.graphql"]).split(separator: "\n\n").dropFirst() {
            let subscriber = try service.subscribe(String(statement))
            #expect(subscriber.ended == nil)
            subscriptions += 1
        }
        #expect(subscriptions == 6)
        // None is left out.
        let operations = try ["queries.graphql", "mutations.graphql"].flatMap { name in
            try #require(files[name]).matches(of: /(?m)^(?:query|mutation) (\w+)/).map { String($0.1) }
        }
        #expect(Set(operations) == sent)
    }
}
