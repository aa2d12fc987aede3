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
        case .writeDraft(let draft): return try schema.write(draft, of: caller.name)
        case .removeDraft:
            schema.drafts.remove(of: caller.name)
            return try schema.answer(draft: nil)
        case .plan(let text, let renames): return OperatorAnswer(body: .object(try schema.describePlan(text, renames)))
        case .deploy(let deployment):
            guard let jobs else { throw .noConsole }
            var entered: AuditLog.Action?
            do throws(OperatorProblem) {
                let job = try schema.deploy(deployment, by: caller.name, on: jobs) { target throws(OperatorProblem) in
                    let action = AuditLog.Action(name: "schema.deploy", target: target, caller: caller)
                    try enter(action)
                    entered = action
                }
                return OperatorAnswer(status: 202, body: .object(["job": job.json]))
            } catch {
                if let entered { AuditLog(add: addToAudit).enterFailure(of: entered) }
                throw error
            }
        case .deployments(let number, let limit):
            let (items, next) = schema.deployments.list(after: number, limit: limit)
            return OperatorAnswer(
                body: .object([
                    "items": .array(items.map(JSONValue.object)), "next": next.map { .string(String($0)) } ?? .null,
                ]))
        case .deployment(let number):
            return OperatorAnswer(body: .object(try schema.describeDeployment(number)))
        case .readDiagram: return OperatorAnswer(body: .object(["positions": .object(schema.diagram.read())]))
        case .changeDiagram(let change):
            return OperatorAnswer(body: .object(["positions": .object(try schema.diagram.change(change))]))
        case .merge(let base, let files): return OperatorAnswer(body: .object(try schema.merge(files, base)))
        }
    }
}
