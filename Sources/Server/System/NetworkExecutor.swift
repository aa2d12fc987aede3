/// Runs the jobs of a task in the turns of its network.
final class NetworkExecutor: TaskExecutor {
    private let turns: NetworkTurns
    private let network: String?

    init(_ turns: NetworkTurns, _ network: String?) { (self.turns, self.network) = (turns, network) }

    func enqueue(_ job: consuming ExecutorJob) {
        turns.enqueue(NetworkTurns.Job(job: UnownedJob(job), executor: self), of: network)
    }
}
