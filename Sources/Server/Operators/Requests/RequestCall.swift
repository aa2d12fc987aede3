import Analytics
import HTTP
import JSON

/// A call about the requests of the API: `/requests…`.
enum RequestCall: Sendable, Equatable {
    /// `GET /requests`, with the parameters of a filter, `after` and `limit`
    case list(RequestLog.Filter, after: Int64?, countMax: Int)
    /// `GET /requests/ID`
    case get(id: String)
    /// `POST /requests/record` with `seconds`
    case record(seconds: Int)

    var method: String {
        if case .record = self { return "POST" }
        return "GET"
    }

    /// - Parameters:
    ///   - parts: Those of the path after `requests`.
    ///   - body: The body; nil if the request has none.
    init(
        _ method: Method, _ parts: [Substring], _ parameters: [ReportParameter], _ body: JSONObject?
    ) throws(OperatorProblem) {
        switch (method, parts.first, parts.count) {
        case (.get, nil, _): self = try Self.list(parameters)
        case (.get, let id?, 1): self = .get(id: id.lowercased())
        case (.post, "record", 1):
            guard let seconds = body?["seconds"]?.intValue,
                (0...Int64(ConsoleLimits.recordingSecondsMax)).contains(seconds)
            else {
                throw .invalid(
                    "'seconds' is a number from 0 to \(ConsoleLimits.recordingSecondsMax).", field: "seconds")
            }
            self = .record(seconds: Int(seconds))
        default: throw .unknownPath
        }
    }

    private static func list(_ parameters: [ReportParameter]) throws(OperatorProblem) -> RequestCall {
        var filter = RequestLog.Filter()
        var (after, countMax) = (Int64?.none, 100)
        for parameter in parameters where !parameter.value.isEmpty {
            let value = parameter.value
            switch parameter.name {
            case "operation": filter.operation = value
            case "type":
                guard ["query", "mutation", "subscription", "other"].contains(value) else {
                    throw .invalid("'type' is query, mutation, subscription or other.", field: "type")
                }
                filter.type = value
            case "errorType": filter.errorType = value
            case "errors": filter.isFailure = try OperatorCall.flag("errors", of: parameters)
            case "scans": filter.isScan = try OperatorCall.flag("scans", of: parameters)
            case "slower":
                guard let bound = Double(value), bound.isFinite, bound >= 0 else {
                    throw .invalid("'slower' is a number of milliseconds.", field: "slower")
                }
                filter.slowerThanMilliseconds = bound
            case "identity": filter.identity = value
            case "text": filter.text = value.lowercased()
            case "after":
                guard let number = Int64(value), number >= 0 else {
                    throw .invalid("'after' is the 'next' of another page.", field: "after")
                }
                after = number
            case "limit":
                guard let limit = Int(value), (1...OperatorCall.listCountMax).contains(limit) else {
                    throw .invalid("'limit' is a number from 1 to \(OperatorCall.listCountMax).", field: "limit")
                }
                countMax = limit
            default: break
            }
        }
        return .list(filter, after: after, countMax: countMax)
    }
}
