import HTTP

/// Warnings of one kind, which anonymous requests can cause as often as they are sent. `serve` limits them per second, and the
/// next line reports how many were dropped (`leftOut`). From any thread.
final class SampledLog: Sendable {
    private let log: Log
    private let message: String
    /// Nil where each warning is logged.
    private let sampler: LineSampler?
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - linesPerSecondMax: Lines a second; only for `serve`, and not at `debug`.
    ///   - now: A clock that never goes back, in nanoseconds.
    init(
        _ log: Log, _ message: String, mode: Service.Mode, linesPerSecondMax: Int,
        now: @escaping @Sendable () -> Int64 = { EventLoop.uptimeNanoseconds }
    ) {
        (self.log, self.message, self.now) = (log, message, now)
        let isSampled = mode == .serve && !log.isLogged(.debug)
        sampler = isSampled ? LineSampler(linesPerSecondMax: linesPerSecondMax) : nil
    }

    func callAsFunction(_ fields: [String: String]) {
        guard let sampler else { return log(.warning, message, fields) }
        guard sampler.verdict(atNanoseconds: now()) == .logged else { return }
        let count = sampler.takeLeftOutCount()
        log(.warning, message, fields, numbers: count > 0 ? ["leftOut": count] : [:])
    }
}
