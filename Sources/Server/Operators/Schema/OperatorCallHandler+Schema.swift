import JSON
import SchemaEdit

extension OperatorCallHandler {
    /// Carries out a call about the schema.
    func run(_ call: SchemaCall, for caller: Caller) throws(OperatorProblem) -> OperatorAnswer {
        guard let schema else { throw .noConsole }
        switch call {
        case .read: return OperatorAnswer(body: .object(try schema.describe()))
        case .check(let text):
            let report = try schema.report(text)
            var body = report.members
            body["valid"] = .bool(report.isValid)
            return OperatorAnswer(body: .object(body))
        case .edit(let request): return OperatorAnswer(body: .object(try schema.edit(request)))
        case .readDraft: return try schema.answer(draft: try schema.drafts.read(of: caller.name))
        case .writeDraft(let draft):
            guard !draft.changesNothing else {
                schema.drafts.remove(of: caller.name)
                return try schema.answer(draft: nil)
            }
            return try schema.answer(draft: try schema.drafts.write(draft, of: caller.name))
        case .removeDraft:
            schema.drafts.remove(of: caller.name)
            return try schema.answer(draft: nil)
        case .merge(let base, let files): return OperatorAnswer(body: .object(try schema.merge(files, base)))
        }
    }
}
