import API
import HTTP

/// What a line of the log says about an answer, made only when there is one.
struct LoggedAnswer {
    /// What decides whether the answer has a line, and of which kind.
    struct Outcome {
        var status: Int
        var isFailure: Bool
        /// Whether it answers a probe, which may well be refused and may well take long.
        var isProbe = false
        /// From the whole request to its answer; nil when nobody measured it.
        var nanoseconds: Int64?
    }

    /// What was asked: method and path.
    var message: String
    var requestID: RequestID?
    var peer: Peer?
    var errorType: String?
    var cause: String?
    var hint: String?
    var report: AnswerReport?

    var fields: [String: String] {
        [
            "requestID": requestID?.description, "peer": peer?.description, "errorType": errorType,
            "cause": cause ?? report?.cause, "hint": hint ?? report?.hint?.text,
            "operation": report.flatMap { $0.operation?.name ?? $0.operationName },
        ].compactMapValues(\.self)
    }

    /// What the line of a slow request says besides: where the time may have gone.
    var fieldsOfCost: [String: String] {
        guard let report else { return [:] }
        var fields: [String: String] = [:]
        if let operation = report.operation {
            fields["type"] = operation.type
            fields["rootFields"] = operation.rootFields.joined(separator: ",")
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
