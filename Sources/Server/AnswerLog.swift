import API
import HTTP

/// The lines about answers: which there are, and what stands in them.
///
/// At `debug` every answer has a line. At `info` every one that refuses the caller something has, with the cause and
/// what to do about it; `serve` bounds these in number, for the server's faults and the callers' apart, and says how many
/// it left out. A request that took long has a line at `warning`. No line holds a value that a caller sent: only names.
struct AnswerLog: Sendable {
    /// From when on a request is slow.
    private let slowNanoseconds: Int64
    private let log: Log
    /// Asked for each answer, so asked of the log once.
    private let logsAll: Bool
    private let logsFailures: Bool
    private let isSampled: Bool
    private let callersFaults: LineSampler
    private let serversFaults: LineSampler

    /// - Parameters:
    ///   - slowRequestSeconds: From when on a request is slow; 0 is never.
    ///   - failureLinesPerSecondMax: Lines a second about failures, of each kind; only for `serve`.
    init(_ log: Log, mode: Service.Mode, slowRequestSeconds: Double, failureLinesPerSecondMax: Int) {
        self.log = log
        slowNanoseconds = slowRequestSeconds > 0 ? Int64(slowRequestSeconds * 1_000_000_000) : .max
        logsAll = log.isLogged(.debug)
        logsFailures = log.isLogged(.info)
        isSampled = mode == .serve
        callersFaults = LineSampler(linesPerSecondMax: failureLinesPerSecondMax)
        serversFaults = LineSampler(linesPerSecondMax: failureLinesPerSecondMax)
    }

    /// Whether an answer is logged; checked before the line is built.
    @inline(__always)
    func isLogged(isFailure: Bool, nanoseconds: Int64) -> Bool {
        logsAll || nanoseconds >= slowNanoseconds || (isFailure && logsFailures)
    }

    /// Logs an answer, if it has a line.
    func note(_ answer: LoggedAnswer, on loop: EventLoop?) {
        if answer.nanoseconds ?? 0 >= slowNanoseconds, !answer.isProbe { logSlow(answer) }
        if !answer.isFailure || answer.isProbe {
            guard logsAll else { return }
            log(.debug, answer.message, answer.fields, numbers: answer.numbers)
        } else if logsFailures {
            guard !isSampled || logsAll || isAdmitted(answer, on: loop) else { return }
            log(.info, answer.message, answer.fields, numbers: answer.numbers)
        }
    }

    private func logSlow(_ answer: LoggedAnswer) {
        var fields = [
            "requestID": answer.requestID, "operation": answer.operation, "type": answer.report?.operation?.type,
        ]
        .compactMapValues(\.self)
        if let roots = answer.report?.operation?.rootFields { fields["rootFields"] = roots.joined(separator: ",") }
        var numbers = ["milliseconds": Int((answer.nanoseconds ?? 0) / 1_000_000), "status": answer.status]
        if let work = answer.report?.work {
            (numbers["rows"], numbers["steps"]) = (work.rowCount, work.stepCount)
            let paths = work.accessPaths.isEmpty ? answer.accessPaths() : work.accessPaths
            if !paths.isEmpty { fields["access"] = paths.prefix(8).joined(separator: ",") }
        }
        log(.warning, "A request was slow: \(answer.message)", fields, numbers: numbers)
    }

    private func isAdmitted(_ answer: LoggedAnswer, on loop: EventLoop?) -> Bool {
        let sampler = answer.status >= 500 ? serversFaults : callersFaults
        switch sampler.verdict(atNanoseconds: EventLoop.uptimeNanoseconds) {
        case .logged: return true
        case .leftOut: return false
        case .firstLeftOut:
            loop?.schedule(afterMilliseconds: 1_000) { [log] in
                let count = sampler.takeLeftOutCount()
                log(.info, "More requests failed than the log shows.", numbers: ["leftOut": count])
            }
            return false
        }
    }
}

/// What is known of an answer when it has left.
struct LoggedAnswer {
    /// What was asked: method and path.
    var message: String
    var status: Int
    var isFailure: Bool
    /// Whether it answers a probe, which may well be refused and may well take long.
    var isProbe = false
    var requestID: String?
    var peer: Peer?
    /// From the whole request to its answer; nil when nobody measured it.
    var nanoseconds: Int64?
    var errorType: String?
    var cause: String?
    var hint: String?
    var report: AnswerReport?
    /// How the loop's last read has found its rows; asked while nothing else was read since.
    var accessPaths: () -> [String] = { [] }

    /// The operation's name.
    var operation: String? { report.flatMap { $0.operation?.name ?? $0.operationName } }

    fileprivate var fields: [String: String] {
        [
            "requestID": requestID, "peer": peer?.description, "errorType": errorType, "cause": cause ?? report?.cause,
            "hint": hint ?? report?.hint?.text, "operation": operation,
        ].compactMapValues(\.self)
    }

    fileprivate var numbers: [String: Int] {
        var numbers = ["status": status]
        numbers["microseconds"] = nanoseconds.map { Int($0 / 1000) }
        return numbers
    }
}

extension AnswerHint {
    /// What the developer may do.
    fileprivate var text: String {
        switch self {
        case .conflictDetection:
            "Conflict detection is off, so there are no sync fields: start with \(Setting.datastore.flag), or set "
                + "ConflictDetection in transformConfig."
        }
    }
}
