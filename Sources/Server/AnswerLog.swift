import API
import HTTP

/// Decides which answers are logged, and with which fields.
///
/// At `debug` every answer has a line. At `info` every failed one has, with the cause and what to do about it. A slow
/// request has its line at `warning`, failed or not, with what it has cost. `serve` limits the lines per second, separately
/// for slow requests, 5xx answers and other failures, and reports how many were dropped; lines that are warnings for other
/// reasons are not limited. A line has only names and no
/// values that a caller sent, except the `Host` and `Origin` for which a request was refused.
final class AnswerLog: Sendable {
    /// From when on a request is slow.
    private let slowNanoseconds: Int64
    private let log: Log
    /// Asked for each answer, so asked of the log once.
    private let logsAll: Bool
    private let logsFailures: Bool
    private let isSampled: Bool
    private let slowRequests: LineSampler
    private let clientErrors: LineSampler
    private let serverErrors: LineSampler

    /// - Parameters:
    ///   - slowRequestSeconds: From when on a request is slow; 0 is never.
    ///   - failureLinesPerSecondMax: Lines a second about slow requests and about failures, of each kind; only for
    ///     `serve`.
    init(_ log: Log, mode: Service.Mode, slowRequestSeconds: Double, failureLinesPerSecondMax: Int) {
        self.log = log
        let logsSlow = log.isLogged(.warning) && slowRequestSeconds > 0
        slowNanoseconds = logsSlow ? Int64(slowRequestSeconds * 1_000_000_000) : .max
        logsAll = log.isLogged(.debug)
        logsFailures = log.isLogged(.info)
        isSampled = mode == .serve
        slowRequests = LineSampler(linesPerSecondMax: failureLinesPerSecondMax)
        clientErrors = LineSampler(linesPerSecondMax: failureLinesPerSecondMax)
        serverErrors = LineSampler(linesPerSecondMax: failureLinesPerSecondMax)
    }

    /// Whether an answer may have a line. Most have none: `logAnswer` need not be called for them.
    func mayLog(_ outcome: LoggedAnswer.Outcome) -> Bool {
        logsAll || outcome.nanoseconds ?? 0 >= slowNanoseconds
            || (outcome.isFailure && (logsFailures || outcome.isWarning))
    }

    /// Logs an answer, if it has a line; `describe` is called only then.
    func logAnswer(_ outcome: LoggedAnswer.Outcome, on loop: EventLoop?, _ describe: () -> LoggedAnswer) {
        guard mayLog(outcome) else { return }
        let isSlow = outcome.nanoseconds ?? 0 >= slowNanoseconds && !outcome.isProbe
        let isFailure = outcome.isFailure && !outcome.isProbe && (logsFailures || outcome.isWarning)
        guard isSlow || isFailure || logsAll else { return }
        guard logsAll || !isSampled || outcome.isWarning || isAdmitted(outcome, isSlow: isSlow, on: loop) else {
            return
        }
        let answer = describe()
        var numbers = ["status": outcome.status]
        numbers["microseconds"] = outcome.nanoseconds.map { Int($0 / 1_000) }
        if isSlow {
            if let work = answer.report?.work { (numbers["rows"], numbers["steps"]) = (work.rowCount, work.stepCount) }
            let fields = answer.fields.merging(answer.fieldsOfCost) { $1 }
            log(.warning, "A request was slow: \(answer.message)", fields, numbers: numbers)
        } else {
            let level: LogLevel = outcome.isWarning ? .warning : isFailure ? .info : .debug
            log(level, answer.message, answer.fields, numbers: numbers)
        }
    }

    private func isAdmitted(_ outcome: LoggedAnswer.Outcome, isSlow: Bool, on loop: EventLoop?) -> Bool {
        let sampler = isSlow ? slowRequests : outcome.status >= 500 ? serverErrors : clientErrors
        switch sampler.verdict(atNanoseconds: EventLoop.uptimeNanoseconds) {
        case .logged: return true
        case .leftOut: return false
        case .firstLeftOut:
            loop?.schedule(afterMilliseconds: 1_000) { [log] in
                let kind =
                    isSlow ? "slow requests" : outcome.status >= 500 ? "5xx answers" : "4xx and other failed answers"
                let message = "Log lines about \(kind) were dropped (failureLinesPerSecondMax)."
                log(isSlow ? .warning : .info, message, numbers: ["leftOut": sampler.takeLeftOutCount()])
            }
            return false
        }
    }
}
