import GraphQL
import JSON
import Testing

@testable import API

@Suite("The plan cache") struct PlanCacheTests {
    private let service: Service

    init() throws { service = try Service("type Todo @model { id: ID! name: String }") }

    private func plan(_ text: String, _ name: String? = nil) throws -> Plan {
        guard case .plan(let plan) = service.api.schema.plan(Array(text.utf8), operationName: name) else {
            throw TestFailure("no plan for \(text)")
        }
        return plan
    }

    private func text(_ number: Int) -> [UInt8] { Array("query Q\(number) { __typename }".utf8) }

    @Test("a plan is found by its text and operation name together, letter by letter")
    func found() throws {
        let plan = try plan("{ __typename }")
        let cache = PlanCache(countMax: 10, bytesMax: 1_000)
        let key = Array("query A { x } query B { x }".utf8)
        cache.insert(plan, for: key, operationName: "A")
        #expect(cache.plan(for: key, operationName: "A") === plan)
        #expect(cache.plan(for: key, operationName: "B") == nil)
        #expect(cache.plan(for: key, operationName: nil) == nil)
        #expect(cache.plan(for: key + [32], operationName: "A") == nil)
        #expect(cache.plan(for: Array(key.dropLast()), operationName: "A") == nil)
        #expect(cache.plan(for: [], operationName: "A") == nil)
    }

    @Test("the least recently used goes when there are too many")
    func evicts() throws {
        let plan = try plan("{ __typename }")
        let cache = PlanCache(countMax: 3, bytesMax: 10_000)
        for number in 0..<3 { cache.insert(plan, for: text(number), operationName: nil) }
        #expect(cache.plan(for: text(0), operationName: nil) != nil)
        cache.insert(plan, for: text(3), operationName: nil)
        #expect(cache.count == 3)
        #expect(cache.plan(for: text(1), operationName: nil) == nil)
        for number in [0, 2, 3] { #expect(cache.plan(for: text(number), operationName: nil) != nil) }
    }

    @Test("the cache is bounded in bytes of text, and does not keep a text beyond the bound")
    func bytes() throws {
        let plan = try plan("{ __typename }")
        let size = text(0).count
        let cache = PlanCache(countMax: 100, bytesMax: 2 * size)
        for number in 0..<5 { cache.insert(plan, for: text(number), operationName: nil) }
        #expect(cache.count == 2)
        // The same text again replaces its entry and is counted once.
        for _ in 0..<5 { cache.insert(plan, for: text(4), operationName: nil) }
        #expect(cache.count == 2)
        #expect(cache.plan(for: text(3), operationName: nil) != nil)
        cache.insert(plan, for: Array(repeating: 32, count: 2 * size + 1), operationName: nil)
        #expect(cache.count == 2)
        let none = PlanCache(countMax: 0, bytesMax: 1_000)
        none.insert(plan, for: text(0), operationName: nil)
        #expect(none.count == 0)
    }

    @Test("after any sequence of uses, the cache keeps what a list in the order of use would")
    func order() throws {
        let plan = try plan("{ __typename }")
        let seed = UInt64.testSeed(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let cache = PlanCache(countMax: 7, bytesMax: 200)
        var kept: [[UInt8]] = []  // The least recently used first.
        for step in 0..<5_000 {
            let text = Array(
                "{ __typename }\(String(repeating: " ", count: Int.random(in: 0..<40, using: &random)))".utf8)
            let isKept = cache.plan(for: text, operationName: nil) != nil
            try #require(isKept == kept.contains(text), "seed \(seed), step \(step)")
            kept.removeAll { $0 == text }
            if !isKept || Bool.random(using: &random) {
                while kept.count >= 7 || kept.reduce(text.count, { $0 + $1.count }) > 200 { kept.removeFirst() }
                cache.insert(plan, for: text, operationName: nil)
            }
            kept.append(text)
            try #require(cache.count == kept.count, "seed \(seed), step \(step)")
        }
    }

    @Test("a loop plans a document once, whatever its variables, and a broken one each time anew")
    func keptByLoop() throws {
        func plan(_ query: String, _ variables: String?) throws -> Plan? {
            let request = try unsafe Array(Service.body(query, variables).utf8).withUnsafeBytes {
                try unsafe service.context.readRequest($0, for: service.api)
            }
            guard case .plan(let plan) = service.context.plan(request, madeBy: service.api, for: .apiKey) else {
                return nil
            }
            return plan
        }
        let query = "query Q($id: ID!) { getTodo(id: $id) { id } }"
        let first = try plan(query, #"{"id": "a"}"#)
        #expect(first != nil)
        #expect(try plan(query, #"{"id": "b"}"#) === first)
        #expect(try plan(query + " ", nil) !== first)
        #expect(try plan("{ nosuch }", nil) == nil)
        #expect(try plan("{ nosuch }", nil) == nil)
    }

    @Test("another schema over the same loop does not see the plans of the one before")
    func reload() throws {
        let query = "{ listTodos { items { id } } }"
        try service.expect(query, data: #"{"listTodos":{"items":[]}}"#)
        let newer = try service.reloaded("type Todo @model { id: ID! name: String, more: Int }")
        try newer.expect("{ listTodos { items { more } } }", data: #"{"listTodos":{"items":[]}}"#)
        let request = try unsafe Array(Service.body(query, nil).utf8).withUnsafeBytes {
            try unsafe service.context.readRequest($0, for: newer.api)
        }
        let plan = service.context.plan(request, madeBy: newer.api, for: .apiKey)
        guard case .plan(let newPlan) = plan,
            case .plan(let again) = service.context.plan(request, madeBy: newer.api, for: .apiKey)
        else {
            throw TestFailure("no plan")
        }
        #expect(newPlan === again)
        #expect(newPlan.operation.schema.type(named: "Todo") != nil)
    }
}
