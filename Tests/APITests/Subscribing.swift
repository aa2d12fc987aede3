import JSON
import Testing

@testable import API

/// Subscribers without sockets: what they were sent, in order.
final class TestSubscriber: Subscriber {
    private(set) var payloads: [String] = []
    private(set) var messages: [EventMessage] = []
    var numbers: [UInt64] { messages.map(\.number) }
    private(set) var ended: [RealtimeError]?
    var handle: SubscriptionHandle?
    /// Run at each event.
    var react: () -> Void = {}

    /// How many messages came together each time.
    private(set) var batches: [Int] = []

    func receive(_ messages: ArraySlice<EventMessage>) {
        batches.append(messages.count)
        for message in messages { receive(message) }
    }

    private func receive(_ message: EventMessage) {
        precondition(ended == nil, "nothing is received behind the end")
        payloads.append(String(decoding: message.payload, as: UTF8.self))
        messages.append(message)
        react()
    }

    func end(_ errors: [RealtimeError]) {
        precondition(ended == nil, "a subscription ends once")
        ended = errors
    }

    /// What was sent since the last call.
    func take() -> [String] {
        defer { payloads = [] }
        return payloads
    }
}

extension Service {
    func outcome(
        of query: String, _ variables: String? = nil, as identity: Identity? = nil,
        for subscriber: TestSubscriber = TestSubscriber()
    ) throws -> SubscribeOutcome {
        let request = try unsafe Array(Self.body(query, variables).utf8).withUnsafeBytes {
            try unsafe context.readRequest($0, for: api)
        }
        return api.subscribe(to: request, as: identity ?? caller, on: context, for: subscriber)
    }

    /// A subscription that must be accepted.
    func subscribe(
        _ query: String, _ variables: String? = nil, as identity: Identity? = nil,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws -> TestSubscriber {
        let subscriber = TestSubscriber()
        switch try outcome(of: query, variables, as: identity, for: subscriber) {
        case .subscribed(let handle): subscriber.handle = handle
        case .refused(let errors, _): Issue.record("refused: \(errors)", sourceLocation: sourceLocation)
        case .otherOperation(let name): Issue.record("a \(name)", sourceLocation: sourceLocation)
        }
        return subscriber
    }

    func cancel(_ subscriber: TestSubscriber) { subscriber.handle.map(context.cancel) }

    /// Why a subscription is refused: `errorType: message` of each error.
    func refusal(_ query: String, _ variables: String? = nil) throws -> [String] {
        guard case .refused(let errors, _) = try outcome(of: query, variables) else { return ["not refused"] }
        return errors.map { error in error.errorType.map { "\($0): " } ?? "" }.enumerated().map { index, type in
            type + errors[index].message
        }
    }

    /// What subscribers were sent by the time that nothing is on its way any more.
    func deliver() throws {
        for _ in 0..<3 { loop.drain() }
    }
}
