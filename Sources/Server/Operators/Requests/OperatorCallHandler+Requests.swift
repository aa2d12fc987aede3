import API
import HTTP
import JSON

extension OperatorCallHandler {
    /// Carries out a call about the requests of the API.
    func run(_ call: RequestCall, for caller: Caller) throws(OperatorProblem) -> OperatorAnswer {
        guard let requests else { throw .noConsole }
        switch call {
        case .list(let filter, let after, let countMax):
            let page = requests.page(filter, after: after, countMax: countMax)
            let size = requests.size
            return OperatorAnswer(
                body: [
                    "items": .array(page.requests.map { .object($0.summary) }),
                    "next": page.next.map { .string(String($0)) } ?? .null,
                    "recording": Self.json(requests.recording),
                    "kept": [
                        "requests": .number(String(size.count)), "bytes": .number(String(size.byteCount)),
                        "since": size.sinceMilliseconds.map { .string(Moment(milliseconds: $0).text) } ?? .null,
                    ],
                ])
        case .get(let id):
            guard let request = RequestID(id).flatMap(requests.find) else { throw .requestIsGone }
            return OperatorAnswer(body: .object(explained(request)))
        case .record(let seconds):
            try enter(AuditLog.Action(name: "requests.record", target: "\(seconds) seconds", caller: caller))
            return OperatorAnswer(body: ["recording": Self.json(requests.record(seconds: seconds, for: caller.name))])
        }
    }

    /// A request with what rules decide of it. What they refused was explained when it was answered; what they allowed is explained now, by
    /// the schema that is served now, so that it costs the request nothing.
    private func explained(_ request: RecordedRequest) -> JSONObject {
        var details = request.details
        guard let (envelope, identity) = request.unexplained, var explain = details["explain"]?.objectValue,
            let explanation = try? graphQL?.explanation(of: envelope, as: identity)
        else { return details }
        explain["authorization"] = explanation.json
        details["explain"] = .object(explain)
        return details
    }

    private static func json(_ recording: RequestLog.Recording?) -> JSONValue {
        recording.map {
            ["until": .string(Moment(milliseconds: $0.endMilliseconds).text), "by": .string($0.operatorName)]
        } ?? .null
    }
}

extension OperatorProblem {
    fileprivate static let requestIsGone = OperatorProblem(
        code: .notFound, message: "This request is not kept any more.")
}
