import Analytics
import Synchronization
import Tables
import Testing
import UserPools

@testable import Server

@Suite("Operations that take turns by network")
struct NetworkQueueTests {
    @Test("a network has half of the places, and what is next is of the network with the fewest under way")
    func turns() {
        let begun = Mutex<[String]>([])
        var queue = NetworkQueue(countMax: 4)
        func admit(_ name: String) {
            let start: @Sendable () -> Void = { begun.withLock { $0.append(name) } }
            if queue.admit(for: String(name.prefix(1)), start: start) { start() }
        }
        func end(_ network: String) { queue.end(for: network)?() }
        func expectBegun(_ names: String...) { begun.withLock { #expect($0 == names) } }
        for number in 1...20 { admit("a\(number)") }
        expectBegun("a1", "a2")
        admit("b1")
        admit("c1")
        expectBegun("a1", "a2", "b1", "c1")
        admit("b2")
        admit("d1")
        // Both of these have waited for a shorter time than those of a.
        end("a")
        expectBegun("a1", "a2", "b1", "c1", "d1")
        end("d")
        expectBegun("a1", "a2", "b1", "c1", "d1", "a3")
        end("a")
        expectBegun("a1", "a2", "b1", "c1", "d1", "a3", "a4")
        end("a")
        expectBegun("a1", "a2", "b1", "c1", "d1", "a3", "a4", "a5")
        end("b")
        expectBegun("a1", "a2", "b1", "c1", "d1", "a3", "a4", "a5", "b2")
    }

    @Test("a network that sends many events has a few carried out at one time, and all of them in the end")
    func analytics() async throws {
        try await TestServer.with(
            schema: "type Note @model { id: ID! }",
            {
                $0.userPools.accessKeys = [.init(id: "AKIAEXAMPLE", secret: "secret")]
                $0.limits.analytics.operationsAtOnceMax = 4
            }
        ) { server in
            let service = try #require(server.service.state.analytics.withLock { $0 })
            let (gate, opening) = AsyncStream<Void>.makeStream()
            let begun = Atomic(0)
            let ended = Atomic(0)
            for _ in 0..<20 {
                let isAccepted = service.run(for: "192.0.2.1") { _ in
                    begun.add(1, ordering: .relaxed)
                    for await _ in gate { break }
                    ended.add(1, ordering: .relaxed)
                }
                #expect(isAccepted)
            }
            let others = Atomic(0)
            for network in ["192.0.2.2", "192.0.2.3", nil] {
                #expect(service.run(for: network) { _ in others.add(1, ordering: .relaxed) })
            }
            try await eventually { others.load(ordering: .relaxed) == 3 && begun.load(ordering: .relaxed) == 2 }
            #expect(ended.load(ordering: .relaxed) == 0)
            opening.finish()
            try await eventually { ended.load(ordering: .relaxed) == 20 }
        }
    }
}
