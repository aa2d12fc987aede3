import Analytics
import HTTP
import JSON

/// A call about what is logged beside requests: `/function-calls` and `/log`.
enum LogCall: Sendable, Equatable {
    /// Which calls of functions are wanted; nil is any.
    struct CallFilter: Sendable, Equatable {
        var function: String?
        var kind: String?
        var isFailure = false
        var slowerThanMilliseconds: Double?

        func includes(_ call: RecordedCall) -> Bool {
            if let function, call.function != function { return false }
            if let kind, call.purpose.name != kind { return false }
            if let bound = slowerThanMilliseconds, Double(call.nanoseconds) <= bound * 1_000_000 { return false }
            return !isFailure || call.isFailure
        }
    }

    /// Which lines are wanted.
    struct LineFilter: Sendable, Equatable {
        /// The least level.
        var level = LogLevel.trace
        /// A part of the message or of a field, in lower case; nil for any.
        var text: String?

        func includes(_ line: LogLines.Line) -> Bool {
            guard line.level >= level else { return false }
            guard let text else { return true }
            return line.message.lowercased().contains(text)
                || line.fields.contains { $0.value.stringValue?.lowercased().contains(text) == true }
        }
    }

    /// `GET /function-calls`
    case calls(CallFilter, after: Int64?, countMax: Int)
    /// `GET /log`
    case lines(LineFilter, after: Int64?, countMax: Int)

    /// Its path below the base.
    var path: String {
        switch self {
        case .calls: "function-calls"
        case .lines: "log"
        }
    }

    static func calls(_ parameters: [ReportParameter]) throws(OperatorProblem) -> LogCall {
        var filter = CallFilter()
        for parameter in parameters where !parameter.value.isEmpty {
            switch parameter.name {
            case "function": filter.function = parameter.value
            case "kind": filter.kind = parameter.value
            case "errors": filter.isFailure = try OperatorCall.flag("errors", of: parameters)
            case "slower":
                guard let bound = Double(parameter.value), bound.isFinite, bound >= 0 else {
                    throw .invalid("'slower' is a number of milliseconds.", field: "slower")
                }
                filter.slowerThanMilliseconds = bound
            default: break
            }
        }
        let (after, countMax) = try window(parameters)
        return .calls(filter, after: after, countMax: countMax)
    }

    static func lines(_ parameters: [ReportParameter]) throws(OperatorProblem) -> LogCall {
        var filter = LineFilter()
        for parameter in parameters where !parameter.value.isEmpty {
            switch parameter.name {
            case "level":
                guard let level = LogLevel(rawValue: parameter.value) else {
                    let names = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
                    throw .invalid("'level' is one of \(names).", field: "level")
                }
                filter.level = level
            case "text": filter.text = parameter.value.lowercased()
            default: break
            }
        }
        let (after, countMax) = try window(parameters)
        return .lines(filter, after: after, countMax: countMax)
    }

    private static func window(
        _ parameters: [ReportParameter]
    ) throws(OperatorProblem) -> (after: Int64?, countMax: Int) {
        var (after, countMax) = (Int64?.none, 100)
        for parameter in parameters where !parameter.value.isEmpty {
            switch parameter.name {
            case "after":
                guard let number = Int64(parameter.value), number >= 0 else {
                    throw .invalid("'after' is the 'next' of another page.", field: "after")
                }
                after = number
            case "limit":
                guard let limit = Int(parameter.value), (1...OperatorCall.listCountMax).contains(limit) else {
                    throw .invalid("'limit' is a number from 1 to \(OperatorCall.listCountMax).", field: "limit")
                }
                countMax = limit
            default: break
            }
        }
        return (after, countMax)
    }
}
