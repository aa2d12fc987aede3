import Foundation
import JSON
import Testing

@testable import API

@Suite("Realtime: the session")
struct RealtimeSessionTests {
    private static let opening = RealtimeOpening(
        subprotocols: ["graphql-ws"], headers: [("x-api-key", RealtimeTestServer.key)])

    private static func start(_ id: String, _ query: String = "subscription { onCreateTodo { id } }") -> String {
        let envelope = JSONValue.string(JSONValue.object(["query": .string(query)]).description)
        let name = JSONValue.string(id)
        return #"{"id":\#(name),"type":"start","payload":{"data":\#(envelope),"extensions":"#
            + #"{"authorization":{"x-api-key":"\#(RealtimeTestServer.key)"}}}}"#
    }

    @Test("case 141: the 101st subscription is refused, and a place that became free is taken")
    func countMax() {
        var server = RealtimeTestServer(Self.opening)
        server.open()
        for number in 1...100 { server.receive(Self.start("\(number)")) }
        #expect(server.takeSent().count == 100)
        server.receive(Self.start("101"))
        let refusal =
            #"{"id":"101","type":"error","payload":{"errors":[{"errorType":"MaxSubscriptionsReachedError","#
            + #""message":"Max number of 100 subscriptions reached"}]}}"#
        #expect(server.takeSent() == [refusal])
        server.receive(Self.start("7"))
        #expect(server.takeSent() == [#"{"id":"7","type":"start_ack"}"#], "a replaced one makes room for itself")
        server.receive(#"{"type":"stop","id":"1"}"#)
        server.receive(Self.start("101"))
        #expect(server.takeSent() == [#"{"id":"1","type":"complete"}"#, #"{"id":"101","type":"start_ack"}"#])
        #expect(server.subscriptions.count == 100)
        server.lose()
        #expect(server.subscriptions.isEmpty && server.offences == [])
    }

    @Test("bounds: the size of a start, the length of an identifier, what waits")
    func bounds() {
        var limits = RealtimeLimits()
        (limits.startBytesMax, limits.operationIDBytesMax, limits.waitingMessagesMax) = (400, 8, 3)
        var server = RealtimeTestServer(Self.opening, limits: limits)
        server.open()
        server.receive(Self.start("1", "subscription { \(String(repeating: "a ", count: 200)) }"))
        server.receive(Self.start("123456789"))
        let refusals = [
            #"{"id":"1","type":"error","payload":{"errors":[{"errorType":"BadRequestException","#
                + #""message":"The message is larger than 400 bytes."}]}}"#,
            #"{"type":"error","payload":{"errors":[{"errorType":"BadRequestException","#
                + #""message":"The id is longer than 8 bytes."}]}}"#,
        ]
        #expect(server.takeSent() == refusals)

        var slow = RealtimeTestServer(Self.opening, limits: limits)
        slow.isSlow = true
        slow.open()
        for number in 1...3 { slow.receive(Self.start("\(number)")) }
        #expect(slow.closing == nil)
        slow.receive(Self.start("4"))
        #expect(slow.closing?.code == 1008)
        slow.answerNext()
        #expect(slow.takeSent() == [] && slow.offences == [])
    }

    @Test("a registration whose client has disconnected meanwhile is cancelled")
    func lateRegistration() throws {
        var session = RealtimeSession(Self.opening)
        let first = session.opened(at: 0)
        guard case .authenticate(_, .connection)? = first.first else {
            Issue.record("\(first)")
            return
        }
        _ = session.authenticated(.connection, .identity(.apiKey), at: 0)
        _ = unsafe Array(Self.start("1").utf8).withUnsafeBytes { unsafe session.receive($0, at: 0) }
        let subscribe = session.authenticated(.operation(1), .identity(.apiKey), at: 0)
        let envelope = Array(#"{"query":"subscription { onCreateTodo { id } }"}"#.utf8)
        #expect(subscribe == [.subscribe(1, envelope: envelope, as: .apiKey)])
        #expect(session.closed() == [.unsubscribe(1)])
        #expect(session.subscribed(1, .subscribed) == [.unsubscribe(1)])
        #expect(session.subscribed(1, .unreadable) == [] && session.frame(of: 1) == nil)
        #expect(session.dueMilliseconds == .max)
    }

    /// What a client may send: every message of every dialect, well and badly made.
    private static func message(_ random: inout some RandomNumberGenerator) -> String {
        let id = ["1", "2", "3", "ä\\n\\\"", "", "4"].randomElement(using: &random) ?? ""
        let query =
            [
                "subscription { a }", "subscription { nope }", "subscription { onSecret }", "mutation { a }", "{ a }",
                "{ broken }", "",
            ].randomElement(using: &random) ?? ""
        let key = Int.random(in: 0..<8, using: &random) == 0 ? "da2-wrong" : RealtimeTestServer.key
        let types = [
            "connection_init", "start", "start", "start", "subscribe", "subscribe", "subscribe", "stop", "stop",
            "complete", "ping", "pong", "connection_terminate", "data", "ka",
        ]
        let type = types.randomElement(using: &random) ?? ""
        let payload: String
        switch (type, Int.random(in: 0..<12, using: &random)) {
        case (_, 0): payload = "null"
        case (_, 1): payload = #"{"data":7,"query":[],"headers":[1]}"#
        case ("connection_init", _): payload = #"{"x-api-key":"\#(key)"}"#
        case ("start", 2..<10):
            payload =
                #"{"data":"{\"query\":\"\#(query)\"}","query":"\#(query)","extensions":{"authorization":{"#
                + #""x-api-key":"\#(key)"}}}"#
        default: payload = #"{"query":"\#(query)"}"#
        }
        let whole = #"{"id":"\#(id)","type":"\#(type)","payload":\#(payload)}"#
        return Int.random(in: 0..<60, using: &random) == 0 ? String(whole.dropLast()) : whole
    }

    @Test(
        "random conversations keep the invariants: subscriptions within the limit, one end each, no message after it",
        arguments: 0..<8)
    func random(part: UInt64) throws {
        let seed = UInt64.testSeed(in: .min ... .max) &+ part
        var random = SeededGenerator(seed: seed)
        let openings = [
            Self.opening, RealtimeOpening(subprotocols: ["graphql-ws"]),
            RealtimeOpening(subprotocols: ["graphql-transport-ws", "graphql-ws"]), RealtimeOpening(),
        ]
        var limits = RealtimeLimits()
        limits.subscriptionsPerConnectionMax = 4
        for round in 0..<400 {
            var server = RealtimeTestServer(try #require(openings.randomElement(using: &random)), limits: limits)
            server.isSlow = Bool.random(using: &random)
            server.open()
            for _ in 0..<60 where server.closing == nil {
                switch Int.random(in: 0..<20, using: &random) {
                case 0..<12: server.receive(Self.message(&random))
                case 12..<15: server.answerNext()
                case 15, 16:
                    if let number = server.subscriptions.keys.sorted().randomElement(using: &random) {
                        server.publish("{}", to: number)
                    }
                case 17:
                    if let number = server.subscriptions.keys.sorted().randomElement(using: &random) {
                        server.end(number, Bool.random(using: &random) ? [] : [RealtimeError(message: "over")])
                    }
                case 18: server.pass(milliseconds: .random(in: 0..<70_000, using: &random))
                default: if Int.random(in: 0..<10, using: &random) == 0 { server.lose() }
                }
                #expect(server.subscriptions.count <= 4, "seed \(seed), round \(round)")
            }
            while !server.pending.isEmpty { server.answerNext() }
            server.lose()
            #expect(server.subscriptions.isEmpty, "seed \(seed), round \(round)")
            #expect(server.offences == [], "seed \(seed), round \(round)")
        }
    }
}
