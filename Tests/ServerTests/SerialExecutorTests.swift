import Buckets
import Synchronization
import Testing

@testable import Server

@Suite("The ends of services")
struct SerialExecutorTests {
    /// What the work of an executor observes.
    private final class Probe: Sendable {
        private let runningCount = Atomic(0)
        private let overlapCount = Atomic(0)
        private let numbers = Mutex<[Int: [Int]]>([:])

        func run(_ giver: Int, _ number: Int) {
            if runningCount.add(1, ordering: .relaxed).newValue != 1 { overlapCount.add(1, ordering: .relaxed) }
            numbers.withLock { $0[giver, default: []].append(number) }
            runningCount.subtract(1, ordering: .relaxed)
        }

        var overlaps: Int { overlapCount.load(ordering: .relaxed) }
        func numbers(of giver: Int) -> [Int] { numbers.withLock { $0[giver] ?? [] } }
        var count: Int { numbers.withLock { $0.values.reduce(0) { $0 + $1.count } } }
    }

    @Test("work of an executor runs one piece at a time, in order and once, also while it ends and afterwards")
    func serial() async throws {
        for _ in 0..<20 {
            let (executor, probe) = (SerialExecutor(), Probe())
            await withTaskGroup { group in
                for giver in 0..<4 {
                    group.addTask {
                        for number in 0..<200 {
                            executor.execute {
                                probe.run(giver, number)
                                // Work that is given by running work waits until that has returned.
                                if number == 100 { executor.execute { probe.run(giver + 10, 0) } }
                            }
                            if giver == 0, number == 50 { executor.end() }
                        }
                    }
                }
            }
            // What was given before the end may still be running on the thread.
            let end = ContinuousClock.now + .seconds(20)
            while probe.count < 804, ContinuousClock.now < end { await Task.yield() }
            #expect(probe.count == 804 && probe.overlaps == 0)
            for giver in 0..<4 { #expect(probe.numbers(of: giver) == Array(0..<200)) }
        }
    }

    @Test("a server that stops waits for the operations of buckets, however long they take")
    func slowOperation() async throws {
        let probe = Probe()
        try await TestServer.with { server in
            let service = try #require(server.service.state.buckets.withLock { $0 })
            // Longer than the two seconds after which the store was closed under them before.
            let isAccepted = service.run(for: .operator, from: "network") { buckets in
                try? await Task.sleep(for: .milliseconds(2_500))
                probe.run(0, buckets.hasBucket("syncline") ? 1 : 0)
            }
            #expect(isAccepted)
        }
        #expect(probe.numbers(of: 0) == [1])
    }
}
