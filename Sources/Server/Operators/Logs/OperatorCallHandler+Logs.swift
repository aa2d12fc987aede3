import JSON

extension OperatorCallHandler {
    /// Carries out a call about what is logged beside requests.
    func run(_ call: LogCall) throws(OperatorProblem) -> OperatorAnswer {
        switch call {
        case .calls(let filter, let after, let countMax):
            guard let calls else { throw .noConsole }
            let page = calls.page(filter, after: after, countMax: countMax)
            return Self.answer(page.entries.map(\.json), page.next)
        case .lines(let filter, let after, let countMax):
            guard let logLines else { throw .noConsole }
            let page = logLines.page(filter, after: after, countMax: countMax)
            return Self.answer(page.entries.map(\.json), page.next)
        }
    }

    private static func answer(_ items: [JSONValue], _ next: Int64?) -> OperatorAnswer {
        OperatorAnswer(
            body: ["items": .array(items), "next": next.map { .string(String($0)) } ?? .null])
    }
}
