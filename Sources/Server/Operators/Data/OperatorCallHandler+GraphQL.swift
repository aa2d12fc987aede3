import API
import JSON
import Transformer

extension OperatorCallHandler {
    /// Runs a GraphQL request as the caller that it names. Status, errors and body are what that caller would receive.
    func run(_ call: OperatorGraphQLCall, for caller: Caller) throws(OperatorProblem) -> OperatorAnswer {
        guard let graphQL else { throw .noConsole }
        let servedAPI = try graphQL.servedAPI()
        if call.mayChange, caller.role >= .editor {
            try enter(AuditLog.Action(name: "graphql.request", target: call.caller.text, caller: caller))
        }
        let outcome: OperatorGraphQL.Outcome
        switch try decision(call.caller, servedAPI, graphQL, for: caller) {
        case .refused(let refusal): outcome = OperatorGraphQL.Outcome(refusal.problem)
        case .identity(let identity):
            outcome = try graphQL.execute(
                call.envelope, as: identity, allowsMutations: caller.role >= .editor, explains: call.explains)
        }
        // 405 is the answer to a mutation that is not allowed.
        guard outcome.status != 405 else { throw .needsRole(.editor) }
        var answer = OperatorAnswer(status: outcome.status, body: .null)
        answer.bytes = outcome.body
        if let errorType = outcome.errorType { answer.fields = [("x-amzn-ErrorType", errorType)] }
        return answer
    }

    private func decision(
        _ asked: OperatorGraphQLCall.Caller, _ servedAPI: ServedAPI, _ graphQL: OperatorGraphQL, for caller: Caller
    ) throws(OperatorProblem) -> AuthenticationDecision {
        switch asked {
        case .administrator: return .identity(.administrator)
        case .nobody: return try graphQL.decision(of: [])
        case .key(let name):
            guard servedAPI.modes.contains(.apiKey) else { return try graphQL.decision(of: [("x-api-key", "")]) }
            guard try keyNames().contains(name) else { throw .unknownKey(name) }
            return .identity(.apiKey)
        case .user(let name):
            let service: UserPoolService?
            do throws(ServerError) { service = try userPools() } catch { throw OperatorProblem(error) }
            guard let service, let pool = service.summary.pools.first else { throw .noUserPools }
            let answer = try service.perform(
                "MintToken", ["UserPoolId": .string(pool.id), "Username": .string(name)], for: caller)
            let token = answer["AuthenticationResult"]?["AccessToken"]?.stringValue ?? ""
            return try graphQL.decision(of: [("authorization", token)])
        }
    }

    /// The names of the accepted keys. The default key, and configured keys without a name, are `default`.
    private func keyNames() throws(OperatorProblem) -> Set<String> {
        let now = Moment.now.milliseconds
        let keys = configuration.apiKeys
        var names = Set(keys.configured.compactMap { keys.details[$0]?.name })
        if keys.accepted.contains(where: { keys.details[$0]?.name == nil }) { names.insert("default") }
        guard !configuration.data.isEphemeral else { return names }
        do throws(ServerError) {
            for key in try APIKeyFile(configuration).read() where key.expiresMilliseconds > now {
                names.insert(key.name)
            }
        } catch { throw OperatorProblem(error) }
        return names
    }
}
