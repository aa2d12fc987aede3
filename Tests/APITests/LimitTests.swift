import Testing

@testable import API

@Suite("Bounds of what an operation may ask", .bothExecutors)
struct LimitTests {
    private static let schema = """
        type Node @model { id: ID! parent: Node @connection }
        """

    private func service(_ change: (inout APILimits) -> Void) throws -> Service {
        var limits = APILimits()
        change(&limits)
        return try Service(Self.schema, options: APIOptions(limits: limits))
    }

    private func limited(_ message: String) -> String { "DocumentLimitReached: Document limit exceeded: \(message)." }

    @Test("fields, aliases, directives and fragments are counted over the whole document")
    func counts() throws {
        let query = "{ a: getNode(id: 1) { ...F @skip(if: false) } } fragment F on Node { b: id id @include(if: true) }"
        for (change, most, parts, count) in [
            ({ $0.documentFieldsMax = $1 }, 2, "fields", 3),
            ({ $0.documentAliasesMax = $1 }, 1, "aliases", 2),
            ({ $0.documentDirectivesMax = $1 }, 1, "directives", 2),
            ({ $0.documentFragmentsMax = $1 }, 0, "fragments", 1),
        ] as [((inout APILimits, Int) -> Void, Int, String, Int)] {
            let refusing = try service { change(&$0, most) }
            #expect(
                try refusing.errors(query) == [limited("\(count) \(parts) are more than the limit of \(most)")])
            let serving = try service { change(&$0, most + (count - most)) }
            #expect(try serving.errors(query) == [])
        }
    }

    @Test("queryDepthLimit counts levels of fields, through fragments and introspection; 0 is no bound")
    func depth() throws {
        let service = try service { $0.queryDepthLimit = 3 }
        let error = "QueryDepthLimitReached: Query depth limit exceeded: depth 4 is greater than the limit 3."
        #expect(try service.errors("{ getNode(id: 1) { parent { id } } }") == [])
        #expect(try service.errors("{ getNode(id: 1) { parent { parent { id } } } }") == [error])
        #expect(
            try service.errors(
                "{ getNode(id: 1) { ...P } } fragment P on Node { parent { ... on Node { parent { id } } } }")
                == [error])
        #expect(try service.errors("{ __schema { types { fields { name } } } }") == [error])
        let unbounded = try self.service { $0.queryDepthLimit = 0 }
        #expect(try unbounded.errors("{ getNode(id: 1) { parent { parent { parent { parent { id } } } } } }") == [])
    }

    @Test("resolverCountLimit keeps what ran, nulls the rest and says so")
    func resolverCount() throws {
        let service = try service { $0.resolverCountLimit = 5 }
        for id in 0..<4 {
            let parent = id == 0 ? "" : ", nodeParentId: \(id - 1)"
            _ = try service.data("mutation { createNode(input: {id: \(id)\(parent)}) { id } }")
        }
        let answer = try service.text("{ listNodes { items { id parent { id } } } getNode(id: 0) { id } }")
        #expect(
            answer.hasPrefix(
                #"{"data":{"listNodes":{"items":[{"id":"0","parent":null},{"id":"1","parent":{"id":"0"}},"#
                    + #"{"id":"2","parent":{"id":"1"}},{"id":"3","parent":{"id":"2"}}]},"getNode":null},"errors":["#))
        #expect(
            try service.errors("{ listNodes { items { id parent { id } } } getNode(id: 0) { id } }")
                == ["ResolverExecutionLimitReached: Resolver invocation limit exceeded."])
    }

    @Test("a mutation past the limit writes nothing more")
    func mutations() throws {
        let service = try service { $0.resolverCountLimit = 1 }
        #expect(
            try service.errors(
                "mutation { a: createNode(input: {id: 1}) { id } b: createNode(input: {id: 2}) { id } }")
                == ["ResolverExecutionLimitReached: Resolver invocation limit exceeded."])
        #expect(try service.data("{ listNodes { items { id } } }") == #"{"listNodes":{"items":[{"id":"1"}]}}"#)
    }

    @Test("without introspection __schema and __type are undefined, __typename is not")
    func introspection() throws {
        let service = try Service(Self.schema, options: APIOptions(allowsIntrospection: false))
        #expect(
            try service.errors("{ __schema { queryType { name } } __type(name: \"Node\") { name } }") == [
                "Validation error of type FieldUndefined: Field '__schema' in type 'Query' is undefined @ '__schema'",
                "Validation error of type FieldUndefined: Field '__type' in type 'Query' is undefined @ '__type'",
            ])
        #expect(try service.data("{ __typename }") == #"{"__typename":"Query"}"#)
    }
}
