import NIOCore
import Synchronization

/// Schedules the jobs of tasks round-robin by network on the threads of an executor: each network that has jobs runs one of them, and
/// then it is the turn of the next network. So a network with many tasks delays its own tasks, and those of others by at most one job
/// each time.
///
/// The code that starts tasks bounds their number.
final class NetworkTurns: Sendable {
    struct Job: Sendable {
        let job: UnownedJob
        let executor: NetworkExecutor
    }

    private struct Waiting {
        /// The jobs of each network, in their order.
        private var jobs: [String?: CircularBuffer<Job>] = [:]
        /// The networks that have jobs, the next one first.
        private var networks = CircularBuffer<String?>()

        mutating func append(_ job: Job, of network: String?) {
            if jobs[network] == nil { networks.append(network) }
            jobs[network, default: CircularBuffer()].append(job)
        }

        mutating func next() -> Job? {
            guard let network = networks.popFirst(), let job = jobs[network]?.popFirst() else { return nil }
            if jobs[network]?.isEmpty == true { jobs[network] = nil } else { networks.append(network) }
            return job
        }
    }

    private let threads: OperationExecutor
    private let waiting = Mutex(Waiting())

    init(_ threads: OperationExecutor) { self.threads = threads }

    /// The executor of one task.
    ///
    /// - Parameter network: The `Peer.network` of the caller; nil for what no request waits for, which has turns like a network.
    func executor(for network: String?) -> NetworkExecutor { NetworkExecutor(self, network) }

    func enqueue(_ job: Job, of network: String?) {
        waiting.withLock { $0.append(job, of: network) }
        // As often as there are jobs, so that each is run.
        threads.submit { [self] in
            guard let next = waiting.withLock({ $0.next() }) else { return }
            // Memory safety: the executor lives for the call, and a job is run once.
            unsafe next.job.runSynchronously(on: next.executor.asUnownedTaskExecutor())
        }
    }
}
