import Analytics
import Buckets
import Synchronization
import Testing
import UserPools

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

    @Test("a server that stops waits for the operations of its services, however long they take")
    func slowOperation() async throws {
        let probe = Probe()
        try await TestServer.with { server in
            let state = server.service.state
            let buckets = try #require(state.buckets.withLock { $0 })
            let pools = try #require(state.userPools.withLock { $0 })
            let analytics = try #require(state.analytics.withLock { $0 })
            // Longer than the two seconds after which the store was closed under them before; then the store is open still.
            @Sendable func work(_ number: Int, _ use: () async throws -> Void) async {
                try? await Task.sleep(for: .milliseconds(2_500))
                do {
                    try await use()
                    probe.run(number, 1)
                } catch { Issue.record(error) }
            }
            #expect(
                buckets.run(for: CapacityShares.Owner(.operator, network: "network")) { buckets in
                    await work(0) { _ = try await buckets.removeAbandonedUploads() }
                })
            #expect(pools.run { pools in await work(1) { try await pools.removeEnded() } })
            #expect(pools.runVerification(for: "network") { pools in await work(2) { try await pools.removeEnded() } })
            #expect(
                analytics.run(for: "network") { analytics in await work(3) { _ = try await analytics.knownApps() } })
        }
        for number in 0..<4 { #expect(probe.numbers(of: number) == [1], "\(number)") }
    }
}
