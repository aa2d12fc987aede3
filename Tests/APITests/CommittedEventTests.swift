import JSON
import Testing

@testable import API

@Suite("Events of committed writes whose answers fail", .bothExecutors) struct CommittedEventTests {
    private static let schema = """
        type Node @model {
          id: ID! name: String n: Int flag: Boolean price: Float tags: [String] place: Place
          parent: Node @connection children: [Node] @connection
        }
        type Place { city: String inner: Place }
        """
    private static let subscription =
        "subscription { onCreateNode { id n flag price tags place { city inner { city } } parent { id } } }"

    @Test("an answer that is too large is an error, and the event has what the mutation selects of the item")
    func tooLarge() throws {
        var limits = APILimits()
        limits.responseBytesMax = 200
        let service = try Service(Self.schema, options: APIOptions(limits: limits))
        let subscriber = try service.subscribe(Self.subscription)
        let name = String(repeating: "x", count: 300)
        let answer = try service.text(
            """
            mutation { createNode(input: {id: 1, name: "\(name)", n: 7, flag: true, price: 1.5, tags: ["a", null],
              place: {city: "Rome", inner: {city: "Ostia"}}})
              { id alias: name n flag price tags place { c: city } parent { id } } }
            """)
        #expect(answer.contains("The response is larger than the server allows."))
        try service.deliver()
        #expect(
            subscriber.take() == [
                #"{"data":{"onCreateNode":{"id":"1","n":7,"flag":true,"price":1.5,"tags":["a",null],"#
                    + #""place":{"city":"Rome","inner":null},"parent":null}}}"#
            ])
        #expect(service.home.environment.publisher.eventQueues.pendingCount == 0)
        // The item is stored, as the event says.
        #expect(try service.data("{ getNode(id: 1) { n } }") == #"{"getNode":{"n":7}}"#)
    }

    @Test("an event is published when its selection finds no free worker")
    func busy() throws {
        // Only live reads need a worker.
        guard !BothExecutors.gathers else { return }
        var limits = APILimits()
        (limits.readStepsMax, limits.workerQueueCountMax) = (1, 0)
        let service = try Service(
            Self.schema, options: APIOptions(limits: limits), home: Service.Home(stepsPerLook: 1))
        let subscriber = try service.subscribe("subscription { onCreateNode { id children { items { id } } } }")
        let answer = try service.text(
            "mutation { createNode(input: {id: 1, name: \"a\"}) { id name children { items { id } } } }")
        #expect(answer.contains("InternalFailure"))
        try service.deliver()
        #expect(subscriber.take() == [#"{"data":{"onCreateNode":{"id":"1","children":null}}}"#])
    }

    @Test("an answer that nests deeper than 256 levels is an event as any other")
    func deep() throws {
        let service = try Service(Self.schema)
        let subscriber = try service.subscribe("subscription { onCreateNode { id name } }")
        let selection =
            String(repeating: "children { items { ", count: 48) + "...F" + String(repeating: " } }", count: 48)
        let deeper = String(repeating: "children { items { ", count: 48) + "id" + String(repeating: " } }", count: 48)
        let answer = try service.text(
            "mutation { createNode(input: {id: 1, name: \"a\", nodeChildrenId: 1}) { id name \(selection) } } "
                + "fragment F on Node { id \(deeper) }")
        #expect(answer.split(separator: #""items":["#).count == 97)
        try service.deliver()
        #expect(subscriber.take() == [#"{"data":{"onCreateNode":{"id":"1","name":"a"}}}"#])
    }
}
