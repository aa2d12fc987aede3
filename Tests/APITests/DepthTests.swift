import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("How deep an operation may nest", .bothExecutors) struct DepthTests {
    static let schema = """
        type Node @model {
          id: ID! name: String tags: [[[String]]] place: Place
          parent: Node @connection children: [Node] @connection
        }
        type Place { city: String inner: Place places: [Place] }
        """

    /// So many levels of `open`, one in the other, around `leaf`.
    private static func nest(_ count: Int, _ open: String, _ leaf: String) -> String {
        String(repeating: open + " { ", count: count) + leaf + String(repeating: " }", count: count)
    }

    /// Fragments that spread one another, each nested in itself: `fragments` times `levels` levels and a leaf.
    private static func chain(
        _ fragments: Int, _ levels: Int, _ open: String, on type: String, _ leaf: String, repeated: Int = 1
    ) -> String {
        (0..<fragments).map { number in
            let spread = number + 1 < fragments ? "...F\(number + 1)" : leaf
            let body = Array(repeating: nest(levels, open, spread), count: repeated).joined(separator: " ")
            return "fragment F\(number) on \(type) { \(body) }"
        }.joined(separator: " ")
    }

    private static let tooDeep: @Sendable ([String]) -> Bool = { errors in
        errors.count == 1 && errors[0].hasPrefix("QueryDepthLimitReached: Query depth limit exceeded: depth ")
            && errors[0].hasSuffix(" is greater than the limit 200.")
    }

    /// Each a few kilobytes that nest thousands of levels deep.
    static let attackingDocuments: [String] = [
        "{ getNode(id: 1) { ...F0 } } " + chain(50, 90, "parent", on: "Node", "id"),
        // The same in pairs, which validation compares.
        "{ getNode(id: 1) { ...F0 } } " + chain(40, 50, "parent", on: "Node", "id", repeated: 2),
        "{ getNode(id: 1) { ...F0 } } "
            + (0..<30).map { number in
                "fragment F\(number) on Node { \(pages(40, number < 29 ? "...F\(number + 1)" : "id")) }"
            }.joined(separator: " "),
        "{ getNode(id: 1) { ...F0 } } " + chain(30, 90, "... on Node", on: "Node", "id"),
        "{ getNode(id: 1) { place { ...F0 } } } " + chain(50, 90, "inner", on: "Place", "city"),
        "{ __type(name: \"Node\") { ...F0 } } " + chain(50, 90, "ofType", on: "__Type", "name"),
        "mutation { createNode(input: {id: 1}) { ...F0 } } " + chain(50, 90, "parent", on: "Node", "id"),
        "{ getNode(id: 1) { ...F0 } } " + chain(1_100, 1, "parent", on: "Node", "id"),
        // A cycle, which is refused as one where it is short.
        "{ getNode(id: 1) { ...F0 } } " + chain(1_100, 1, "parent", on: "Node", "...F0"),
    ]

    @Test(
        "fragments that multiply their nesting are refused before anything walks them",
        arguments: TestStack.byteCounts, attackingDocuments)
    func attacks(stack: Int, query: String) throws {
        let errors = try TestStack.run(byteCount: stack) { try Service(Self.schema).errors(query) }
        #expect(errors.count == 1)
        #expect(Self.tooDeep(errors), "\(errors)")
    }

    @Test("the limit counts fields, inline fragments and spreads, and the error is that of AppSync's depth limit")
    func counts() throws {
        var limits = APILimits()
        limits.operationDepthMax = 6
        limits.documentDepthMax = 30
        let service = try Service(Self.schema, options: APIOptions(limits: limits))
        func error(_ depth: Int) -> [String] {
            ["QueryDepthLimitReached: Query depth limit exceeded: depth \(depth) is greater than the limit 6."]
        }
        // Six and seven levels.
        #expect(
            try service.errors(
                "{ getNode(id: 1) { parent { ... on Node { ...F } } } } fragment F on Node { parent { id } }") == [])
        #expect(
            try service.errors(
                "{ getNode(id: 1) { parent { ... on Node { ...F } } } } fragment F on Node { parent { parent { id } } }"
            )
                == error(7))
        #expect(try service.errors("{ getNode(id: 1) { \(Self.nest(4, "parent", "id")) } }") == [])
        #expect(try service.errors("{ getNode(id: 1) { \(Self.nest(5, "parent", "id")) } }") == error(7))
        #expect(try service.refusal("subscription { onCreateNode { \(Self.nest(5, "parent", "id")) } }") == error(7))
        // Also where no operation spreads it, and where literals nest deeper than fields.
        #expect(
            try service.errors("{ getNode(id: 1) { id } } fragment F on Node { \(Self.nest(6, "parent", "id")) }")
                == error(7))
        let filter = String(repeating: "{not: ", count: 8) + "{id: {eq: 1}}" + String(repeating: "}", count: 8)
        #expect(try service.errors("{ listNodes(filter: \(filter)) { items { id } } }") == [])
    }

    /// What nests exactly as deep as the limit allows, each kind in its way.
    static let deepestDocuments: [String] = [
        "{ getNode(id: 1) { ...F0 } } " + chain(2, 97, "parent", on: "Node", "id"),
        "{ getNode(id: 1) { ...F0 } } " + chain(2, 97, "... on Node", on: "Node", "id"),
        "{ getNode(id: 1) { ...F0 } } "
            + "fragment F0 on Node { \(pages(45, "...F1")) } fragment F1 on Node { \(pages(45, "id")) }",
        "{ getNode(id: 1) { place { ...F0 } } } " + chain(2, 96, "inner", on: "Place", "city"),
        "{ __type(name: \"Node\") { ...F0 } } " + chain(2, 97, "ofType", on: "__Type", "name"),
        "{ getNode(id: 1) { ...F0 } } " + chain(2, 48, "parent", on: "Node", "id", repeated: 2),
        "{ listNodes(filter: \(String(repeating: "{and: [", count: 48))\(String(repeating: "]}", count: 48))) "
            + "{ items { id } } }",
    ]

    private static func pages(_ count: Int, _ leaf: String) -> String {
        String(repeating: "children { items { ", count: count) + leaf + String(repeating: " } }", count: count)
    }

    @Test(
        "what nests as deep as the limit is planned, run and freed on the stack of any thread",
        arguments: TestStack.byteCounts, deepestDocuments)
    func deepest(stack: Int, query: String) throws {
        let answer = try TestStack.run(byteCount: stack) {
            let service = try Service(Self.schema)
            _ = try service.data(
                "mutation { createNode(input: {id: 1, nodeChildrenId: 1, nodeParentId: 1, place: {city: \"c\"}}) { id } }"
            )
            return try service.text(query)
        }
        #expect(answer.hasPrefix(#"{"data":{"#) && !answer.contains(#""errors":["#), "\(answer.suffix(300))")
    }

    @Test("a mutation and its subscription at the limit are answered on any stack", arguments: TestStack.byteCounts)
    func events(stack: Int) throws {
        // Each node is its own parent, so that the selection finds something at each level.
        let selection = "{ id ...F0 } } " + Self.chain(2, 97, "id parent", on: "Node", "id")
        let received = try TestStack.run(byteCount: stack) {
            let service = try Service(Self.schema)
            let subscriber = try service.subscribe("subscription { onCreateNode " + selection)
            _ = try service.text("mutation { createNode(input: {id: 1, nodeParentId: 1}) " + selection)
            try service.deliver()
            return subscriber.take()
        }
        #expect(received.count == 1, "\(received)")
        #expect(received.first?.split(separator: #""parent":{"#).count == 195)
    }

    @Test("a conflict shows the stored item though its selection nests deeper than 256 levels of JSON")
    func conflict() throws {
        let service = try Service(
            Self.schema,
            transform: TransformOptions(conflictDetection: .version, conflictHandler: .optimisticConcurrency))
        try service.seed("mutation { createNode(input: {id: 1, nodeChildrenId: 1}) { id } }")
        // An object, a list and an object for each.
        let answer = try service.text(
            "mutation { updateNode(input: {id: 1, name: \"a\", _version: 9}) { \(Self.pages(48, "...F")) } } "
                + "fragment F on Node { \(Self.pages(48, "id")) }")
        #expect(answer.hasPrefix(#"{"data":{"updateNode":null},"errors":[{"path":["updateNode"],"data":{"children":"#))
        #expect(answer.split(separator: #""items":["#).count == 97)
    }

    @Test("values nest as deep as their limits on any stack", arguments: TestStack.byteCounts)
    func values(stack: Int) throws {
        func place(_ count: Int, _ key: String, _ quote: String) -> String {
            String(repeating: "{\(quote)\(key)\(quote): ", count: count) + "{}" + String(repeating: "}", count: count)
        }
        let literal = place(95, "inner", "")
        let variable = place(60, "inner", "\"")
        let tooDeep = place(70, "inner", "\"")
        let answers = try TestStack.run(byteCount: stack) {
            let service = try Service(Self.schema)
            let query = "mutation M($place: PlaceInput) { createNode(input: {id: 1, place: $place}) { id } }"
            return [
                try service.text("mutation { createNode(input: {id: 2, place: \(literal)}) { id place { city } } }"),
                try service.text(query, #"{"place": \#(variable)}"#),
                try service.text(query, #"{"place": \#(tooDeep)}"#),
            ]
        }
        #expect(answers[0] == #"{"data":{"createNode":{"id":"2","place":{"city":null}}}}"#)

        #expect(answers[1] == #"{"data":{"createNode":{"id":"1"}}}"#)
        #expect(answers[2] == "Unable to parse GraphQL query.")
    }
}
