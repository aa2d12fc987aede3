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
            return OperatorAnswer(body: .object(request.details))
        case .record(let seconds):
            try enter(AuditLog.Action(name: "requests.record", target: "\(seconds) seconds", caller: caller))
            return OperatorAnswer(body: ["recording": Self.json(requests.record(seconds: seconds, for: caller.name))])
        }
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
