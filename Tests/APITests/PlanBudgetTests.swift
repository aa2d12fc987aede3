import JSON
import Testing

@testable import API

@Suite("What plans take of memory") struct PlanBudgetTests {
    private static let schema = """
        type Node @model {
          id: ID! name: String n: Int
          parent: Node @connection children: [Node] @connection
        }
        """

    private func service(_ change: (inout APILimits) -> Void = { _ in }) throws -> Service {
        var limits = APILimits()
        limits.planBytesMax = 1 << 20
        change(&limits)
        return try Service(Self.schema, options: APIOptions(limits: limits))
    }

    /// A short text whose fragments double at each level: `2^levels` fields and more.
    private static func doubling(_ levels: Int, _ name: String = "a") -> String {
        let fragments = (0..<levels).map { level in
            let next = level + 1 < levels ? "...F\(level + 1)" : "id name n"
            return "fragment F\(level) on Node { \(name)\(level)l: parent { \(next) } r: parent { \(next) } }"
        }
        return "{ getNode(id: 1) { ...F0 } } " + fragments.joined(separator: " ")
    }

    @Test("an operation of too many fields is refused, and so is one whose plan is too large")
    func operation() throws {
        let few = try service { $0.operationFieldsMax = 100 }
        #expect(try few.errors(Self.doubling(3)) == [])
        #expect(
            try few.errors(Self.doubling(6))
                == ["Query complexity limit exceeded: more than 100 selections once its fragments are spread."])
        let service = try service()
        let budget = service.home.environment.publisher.plans
        #expect(
            try service.errors(Self.doubling(9))
                == ["Query complexity limit exceeded: the operation's plan takes more than 131072 bytes."])
        #expect(budget.bytesNow == 0)
        // The default is far above what people write.
        let standard = try Service(Self.schema)
        #expect(try standard.errors(Self.doubling(10)) == [])
        #expect(
            try standard.errors(Self.doubling(20))
                == ["Query complexity limit exceeded: more than 10000 selections once its fragments are spread."])
    }

    @Test("plans of all loops and generations stay below one limit, and the oldest cached ones go for new ones")
    func evicts() throws {
        let first = try service()
        let second = try first.onAnotherLoop()
        let budget = first.home.environment.publisher.plans
        for number in 0..<60 {
            let service = number % 3 == 0 ? second : first
            #expect(try service.errors(Self.doubling(4, "a\(number)")) == [], "\(number)")
            #expect(budget.bytesNow <= 1 << 20)
        }
        #expect(budget.bytesNow > 1 << 19)
        // Another generation over the same store: the same budget.
        let newer = try Service(Self.schema, options: first.api.options, home: first.home)
        for number in 0..<20 { #expect(try newer.errors(Self.doubling(4, "b\(number)")) == []) }
        #expect(budget.bytesNow <= 1 << 20)
        #expect(first.context.statistics.planCount <= 60)
    }

    @Test("subscriptions keep plans up to three quarters of the limit, then AppSync's LimitExceededError refuses more")
    func subscriptions() throws {
        let service = try service()
        let budget = service.home.environment.publisher.plans
        var open: [TestSubscriber] = []
        var refusals: [String] = []
        func query(_ number: Int) -> String {
            "subscription { onCreateNode" + Self.doubling(4, "a\(number)").dropFirst("{ getNode(id: 1)".count)
        }
        for number in 0..<200 {
            let subscriber = TestSubscriber()
            switch try service.outcome(of: query(number), for: subscriber) {
            case .subscribed(let handle):
                subscriber.handle = handle
                open.append(subscriber)
            case .refused(let errors, _): refusals += errors.map { "\($0.errorType ?? ""): \($0.message)" }
            case .otherOperation(let name): Issue.record("a \(name)")
            }
        }
        #expect(open.count > 5 && refusals.count == 200 - open.count)
        #expect(
            Set(refusals) == [
                "LimitExceededError: The plans of the server's subscriptions reached their limit of 786432 bytes "
                    + "(three quarters of limits.planBytesMax)"
            ])
        #expect(budget.subscriptionBytesNow <= 786_432)
        #expect(budget.bytesNow <= 1 << 20)
        // A plan that is kept already costs nothing more; an operation evicts plans that are only cached.
        let again = try service.subscribe(query(0))
        #expect(try service.errors(Self.doubling(4)) == [])
        // A reload keeps them all.
        let newer = try Service(Self.schema, options: service.api.options, home: service.home)
        service.context.revalidate(for: newer.api)
        #expect(open.allSatisfy { $0.ended == nil })
        #expect(budget.bytesNow <= 1 << 20)
        for subscriber in open + [again] { service.cancel(subscriber) }
        #expect(budget.subscriptionBytesNow == 0)
        #expect(try service.refusal(query(199)) == ["not refused"])
    }

    @Test("an operation is refused clearly when nothing can be evicted for it")
    func refused() throws {
        let service = try service()
        let budget = service.home.environment.publisher.plans
        #expect(budget.reserve(1 << 20, evictingFirst: nil))
        let answer = try service.send(body: Service.body("{ listNodes { items { id } } }", nil))
        #expect(answer.kind.status == 503)
        #expect(answer.text.contains(#""errorType":"LimitExceededError""#))
        #expect(answer.text.contains("planBytesMax"))
        budget.release(1 << 20)
        #expect(try service.errors("{ listNodes { items { id } } }") == [])
    }
}
