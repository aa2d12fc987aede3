import API
import JSON
import Transformer

extension OperatorCallHandler {
    /// Which rules allow the caller that an operator names to read, update and delete an item.
    func access(
        to key: [String], of model: String, as asked: OperatorGraphQLCall.Caller, _ servedAPI: ServedAPI,
        _ graphQL: OperatorGraphQL, for caller: Caller
    ) throws(OperatorProblem) -> OperatorAnswer {
        let source = try servedAPI.dataSources.source(named: model)
        let item = try item(key, source, graphQL)
        var body: JSONObject = ["as": .string(asked.text)]
        switch try decision(asked, graphQL, for: caller) {
        case .identity(let identity):
            let access = servedAPI.api.access(of: identity, to: item, ofModel: source.place)
            for operation in ItemAccess.operations {
                body[operation == .get ? "read" : operation.rawValue] = access.answers[operation]?.json
            }
        case .refused(let refusal):
            let denied = ItemAccess.Answer.refused(refusal.problem.message)
            for operation in ["read", "update", "delete"] { body[operation] = denied.json }
        }
        return OperatorAnswer(body: .object(body))
    }
}

extension ItemAccess.Answer {
    fileprivate var json: JSONValue {
        [
            "allowed": .bool(isAllowed), "rule": rule.map(JSONValue.string) ?? .null,
            "text": ruleText.map(JSONValue.string) ?? .null, "why": reason.map(JSONValue.string) ?? .null,
            "fields": fields.map { .array($0.map(JSONValue.string)) } ?? .null,
            "unmet": .array(unmet.map { ["rule": .string($0.name), "why": .string($0.reason)] }),
        ]
    }
}
