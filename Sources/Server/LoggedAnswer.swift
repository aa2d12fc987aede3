import API
import HTTP

/// What a line of the log says about an answer, made only when there is one.
struct LoggedAnswer {
    /// What decides whether the answer has a line, and of which kind.
    struct Outcome {
        var status: Int
        var isFailure: Bool
        /// Whether the line of a failure is a warning, and is not left out.
        var isWarning = false
        /// Whether it answers a probe, which may well be refused and may well take long.
        var isProbe = false
        /// From the whole request to its answer; nil if it was not measured.
        var nanoseconds: Int64?
    }

    /// What was asked: method and path.
    var message: String
    var requestID: RequestID?
    var peer: Peer?
    var errorType: String?
    var cause: String?
    var hint: String?
    /// The `Host` and `Origin` for which a request was refused.
    var host: String?
    var origin: String?
    var report: AnswerReport?
    /// Whether the line says which rules have refused something: in `dev`.
    var explainsRules = false

    var fields: [String: String] {
        [
            "requestID": requestID?.description, "peer": peer?.description, "errorType": errorType,
            "cause": cause ?? report?.cause, "hint": hint ?? report?.hint?.text, "host": host, "origin": origin,
            "rules": explainsRules ? report?.refusal : nil,
            "operation": report.flatMap { $0.operation?.name ?? $0.operationName },
        ].compactMapValues(\.self)
    }

    /// Adds why a request was refused.
    /// - Parameter cause: What the log has instead of the message.
    mutating func add(_ problem: Problem, cause: String?) {
        errorType = problem.errorType
        self.cause = cause ?? problem.cause ?? problem.message
        hint = problem.hint
    }

    /// What the line of a slow request says besides: where the time was spent.
    var fieldsOfCost: [String: String] {
        guard let report else { return [:] }
        var fields: [String: String] = [:]
        if let operation = report.operation {
            fields["type"] = operation.type
            var names: [String] = []
            for field in operation.rootFields where !names.contains(field) { names.append(field) }
            fields["rootFields"] = names.joined(separator: ",")
        }
        let paths = Set(report.work.accessPaths).sorted().prefix(8)
        if !paths.isEmpty { fields["access"] = paths.joined(separator: ",") }
        return fields
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
