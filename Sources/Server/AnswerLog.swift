import API
import HTTP

/// The lines about answers: which there are, and what stands in them.
///
/// At `debug` every answer has a line. At `info` every one that refuses the caller something has, with the cause and
/// what to do about it. A request that took long has its line at `warning`, failed or not, with what it has cost. `serve`
/// bounds the latter two in number, for slow requests, the server's faults and the callers' apart, and says how many it
/// left out. No line holds a value that a caller sent: only names.
struct AnswerLog: Sendable {
    /// From when on a request is slow.
    private let slowNanoseconds: Int64
    private let log: Log
    /// Asked for each answer, so asked of the log once.
    private let logsAll: Bool
    private let logsFailures: Bool
    private let isSampled: Bool
    private let slowRequests: LineSampler
    private let callersFaults: LineSampler
    private let serversFaults: LineSampler

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
        callersFaults = LineSampler(linesPerSecondMax: failureLinesPerSecondMax)
        serversFaults = LineSampler(linesPerSecondMax: failureLinesPerSecondMax)
    }

    /// Logs an answer, if it has a line; `describe` is called only then.
    @inline(__always)
    func note(_ outcome: LoggedAnswer.Outcome, on loop: EventLoop?, _ describe: () -> LoggedAnswer) {
        guard logsAll || outcome.nanoseconds ?? 0 >= slowNanoseconds || (outcome.isFailure && logsFailures) else {
            return
        }
        noteUnusual(outcome, on: loop, describe)
    }

    private func noteUnusual(_ outcome: LoggedAnswer.Outcome, on loop: EventLoop?, _ describe: () -> LoggedAnswer) {
        let isSlow = outcome.nanoseconds ?? 0 >= slowNanoseconds && !outcome.isProbe
        let isFailure = outcome.isFailure && !outcome.isProbe && logsFailures
        guard isSlow || isFailure || logsAll else { return }
        guard logsAll || !isSampled || isAdmitted(outcome, isSlow: isSlow, on: loop) else { return }
        let answer = describe()
        var numbers = ["status": outcome.status]
        if isSlow {
            numbers["milliseconds"] = Int((outcome.nanoseconds ?? 0) / 1_000_000)
            if let work = answer.report?.work { (numbers["rows"], numbers["steps"]) = (work.rowCount, work.stepCount) }
            let fields = answer.fields.merging(answer.fieldsOfCost) { $1 }
            log(.warning, "A request was slow: \(answer.message)", fields, numbers: numbers)
        } else {
            numbers["microseconds"] = outcome.nanoseconds.map { Int($0 / 1000) }
            log(isFailure ? .info : .debug, answer.message, answer.fields, numbers: numbers)
        }
    }

    private func isAdmitted(_ outcome: LoggedAnswer.Outcome, isSlow: Bool, on loop: EventLoop?) -> Bool {
        let sampler = isSlow ? slowRequests : outcome.status >= 500 ? serversFaults : callersFaults
        switch sampler.verdict(atNanoseconds: EventLoop.uptimeNanoseconds) {
        case .logged: return true
        case .leftOut: return false
        case .firstLeftOut:
            loop?.schedule(afterMilliseconds: 1_000) { [log] in
                let message = "More requests \(isSlow ? "were slow" : "failed") than the log shows."
                log(isSlow ? .warning : .info, message, numbers: ["leftOut": sampler.takeLeftOutCount()])
            }
            return false
        }
    }
}
