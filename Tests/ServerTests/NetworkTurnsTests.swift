import Dispatch
import Synchronization
import Testing

@testable import Server

@Suite("Turns of networks")
struct NetworkTurnsTests {
    @Test("a network with many tasks delays those of the others by one of its own")
    func turns() async {
        let threads = OperationExecutor(threadCount: 1)
        defer { threads.end() }
        let turns = NetworkTurns(threads)
        let order = Order()
        let gate = DispatchSemaphore(value: 0)
        threads.submit { gate.wait() }
        let tasks = ["a", "a", "a", "a", "b", "c", "b"].map { network in
            Task(executorPreference: turns.executor(for: network)) { order.add(network) }
        }
        gate.signal()
        for task in tasks { await task.value }
        #expect(order.networks == ["a", "b", "c", "a", "b", "a", "a"])
    }

    private final class Order: Sendable {
        private let list = Mutex<[String]>([])

        var networks: [String] { list.withLock { $0 } }

        func add(_ network: String) { list.withLock { $0.append(network) } }
    }

    @Test("a task that waits goes on in a turn of its network, and one without a network has turns, too")
    func waiting() async {
        let threads = OperationExecutor(threadCount: 2)
        defer { threads.end() }
        let turns = NetworkTurns(threads)
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 0..<1_000 {
                let executor = turns.executor(for: number % 7 == 0 ? nil : "\(number % 7)")
                group.addTask(executorPreference: executor) {
                    for _ in 0..<10 { await Task.yield() }
                    return number
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 499_500)
    }
}
