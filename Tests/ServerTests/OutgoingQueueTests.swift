import Synchronization
import Testing

@testable import Server

@Suite("The queue of outgoing calls")
struct OutgoingQueueTests {
    private func call(_ url: String, for network: String? = nil, bytes: Int = 1) -> OutgoingCall {
        var call = OutgoingCall(
            url: url, headers: [], body: Array(repeating: 0, count: bytes),
            limits: OutgoingLimits(
                seconds: 10, callsMax: 8, queueCountMax: 8, queueBytesMax: 80, answerBytesMax: 100),
            rules: OutboundRules())
        call.purpose = .pipeline
        call.network = network
        return call
    }

    /// `begun`, `queued` or `refused`.
    private func admit(_ call: OutgoingCall, to queue: inout OutgoingQueue) -> String {
        switch queue.admit(call, start: {}, expire: { _ in }) {
        case .begun: "begun"
        case .queued: "queued"
        case .refused: "refused"
        }
    }

    @Test("calls to one URL have three quarters of the places and of the queue, and the others have the rest")
    func share() {
        var queue = OutgoingQueue()
        let slow = (0..<14).map { _ in admit(call("slow"), to: &queue) }
        #expect(slow.filter { $0 == "begun" }.count == 6)
        #expect(slow.filter { $0 == "queued" }.count == 6)
        #expect(slow.suffix(2) == ["refused", "refused"])
        #expect(
            (0..<5).map { _ in admit(call("other"), to: &queue) } == ["begun", "begun", "queued", "queued", "refused"])
    }

    @Test(
        "an authorizer has 48 calls under way and 750 that wait, and one network 24 and 375, as the documentation says")
    func authorizer() {
        var queue = OutgoingQueue()
        func outcomes(_ network: String, _ count: Int) -> [String: Int] {
            var call = OutgoingCall(
                url: "gate", headers: [], body: [0], limits: TokenServices.authorizerLimits, rules: OutboundRules())
            call.purpose = .authorizer
            call.network = network
            return (0..<count).reduce(into: [:]) { counts, _ in counts[admit(call, to: &queue), default: 0] += 1 }
        }
        #expect(outcomes("a", 400) == ["begun": 24, "queued": 375, "refused": 1])
        #expect(outcomes("b", 400) == ["begun": 24, "queued": 375, "refused": 1])
        #expect(outcomes("c", 1) == ["refused": 1])
    }

    @Test("one network has half of the places of a URL, and the next call is of the network with the fewest")
    func networks() {
        var queue = OutgoingQueue()
        let order = Mutex<[String]>([])
        func admit(_ network: String) -> String {
            let start: @Sendable () -> Void = { order.withLock { $0.append(network) } }
            switch queue.admit(call("slow", for: network), start: start, expire: { _ in }) {
            case .begun: return "begun"
            case .queued: return "queued"
            case .refused: return "refused"
            }
        }
        #expect(
            (0..<7).map { _ in admit("flood") } == ["begun", "begun", "begun", "queued", "queued", "queued", "refused"])
        #expect((0..<3).map { _ in admit("second") } == ["begun", "begun", "begun"])
        #expect(admit("third") == "queued")
        // The flood waits for longer, and has more.
        queue.end(call("slow", for: "second"))?()
        queue.end(call("slow", for: "flood"))?()
        #expect(order.withLock { $0 } == ["third", "flood"])
    }

    @Test("the place of a call that ends goes to the first that waits and may begin")
    func next() {
        var queue = OutgoingQueue()
        for _ in 0..<8 { _ = admit(call("slow"), to: &queue) }
        for _ in 0..<3 { _ = admit(call("other"), to: &queue) }
        // Six and two are under way; two to the slow URL wait before one to the other.
        #expect(queue.end(call("other")) != nil, "the other's place")
        #expect(queue.end(call("other")) == nil, "no other waits, and the slow URL has its share")
        #expect(queue.end(call("slow")) != nil)
        #expect(queue.end(call("slow")) != nil)
        #expect(queue.end(call("slow")) == nil)
        #expect(admit(call("slow"), to: &queue) == "begun")
    }

    @Test("bytes that wait are bounded, those of one URL by three quarters, but one call may always wait")
    func bytes() {
        var queue = OutgoingQueue()
        for _ in 0..<6 { _ = admit(call("slow"), to: &queue) }
        #expect(admit(call("slow", bytes: 70), to: &queue) == "queued")
        #expect(admit(call("slow", bytes: 1), to: &queue) == "refused")
        _ = queue.removeAll()
        #expect(admit(call("slow", bytes: 40), to: &queue) == "queued")
        #expect(admit(call("slow", bytes: 21), to: &queue) == "refused")
        #expect(admit(call("slow", bytes: 20), to: &queue) == "queued")
    }
}
