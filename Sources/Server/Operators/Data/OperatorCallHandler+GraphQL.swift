import API
import HTTP
import JSON
import Transformer

extension OperatorCallHandler {
    /// Runs a GraphQL request as the caller that it names. Status, errors and body are what that caller would receive.
    func run(_ call: OperatorGraphQLCall, for caller: Caller) throws(OperatorProblem) -> OperatorAnswer {
        guard let graphQL else { throw .noConsole }
        _ = try graphQL.servedAPI()
        if call.mayChange, caller.role >= .editor {
            try enter(AuditLog.Action(name: "graphql.request", target: call.caller.text, caller: caller))
        }
        let outcome: OperatorGraphQL.Outcome
        let start = EventLoop.uptimeNanoseconds
        var identity: Identity?
        switch try decision(call.caller, graphQL, for: caller) {
        case .refused(let refusal): outcome = OperatorGraphQL.Outcome(refusal.problem)
        case .identity(let decided):
            identity = decided
            outcome = try graphQL.execute(
                call.envelope, as: decided, allowsMutations: caller.role >= .editor, explains: call.explains,
                notesWork: requests?.isOn == true, requestID: caller.requestID)
        }
        // 405 is the answer to a mutation that is not allowed.
        guard outcome.status != 405 else { throw .needsRole(.editor) }
        record(call, outcome, as: identity, nanoseconds: EventLoop.uptimeNanoseconds - start, for: caller)
        var answer = OperatorAnswer(status: outcome.status, body: .null)
        answer.bytes = outcome.body
        if let errorType = outcome.errorType { answer.fields = [("x-amzn-ErrorType", errorType)] }
        return answer
    }

    /// Records a request for operators, while requests are recorded. Pages introspect the schema by themselves, which is left out.
    private func record(
        _ call: OperatorGraphQLCall, _ outcome: OperatorGraphQL.Outcome, as identity: Identity?, nanoseconds: Int64,
        for caller: Caller
    ) {
        guard let requests, requests.isOn, let id = RequestID(caller.requestID) else { return }
        let report = outcome.kind?.report
        if call.caller == .administrator, report?.operation?.name == "IntrospectionQuery" { return }
        let errorTypes = outcome.kind?.errorTypes ?? []
        let recorded = unsafe outcome.body.withUnsafeBytes { body in
            unsafe RecordedRequest(
                // A peer's address is followed by its port.
                id, by: .operators, from: Peer(description: "\(caller.address):"), client: nil, as: identity,
                named: call.caller.recordedName(for: caller), call.envelope, endingAt: Moment.now.milliseconds,
                nanoseconds: nanoseconds, status: outcome.status,
                errorTypes: errorTypes.isEmpty ? [outcome.errorType].compactMap(\.self) : errorTypes, report,
                body, keepsContent: requests.isKeepingContents)
        }
        requests.add(recorded)
    }

    /// How a request of the caller that an operator names is authenticated.
    func decision(
        _ asked: OperatorGraphQLCall.Caller, _ graphQL: OperatorGraphQL, for caller: Caller
    ) throws(OperatorProblem) -> AuthenticationDecision {
        switch try credentials(of: asked, for: caller) {
        case .identity(let identity, _): .identity(identity)
        case .headers(let headers): try graphQL.decision(of: headers)
        }
    }

    /// The credentials of the caller that an operator names.
    func credentials(
        of asked: OperatorGraphQLCall.Caller, for caller: Caller
    ) throws(OperatorProblem) -> OperatorGraphQL.Credentials {
        guard let graphQL else { throw .noConsole }
        let servedAPI = try graphQL.servedAPI()
        switch asked {
        case .administrator: return .identity(.administrator, nil)
        case .nobody: return .headers([])
        case .groups(let groups): return .identity(try servedAPI.identity(inGroups: groups), nil)
        case .claims(let claims):
            guard caller.role >= .owner else { throw .needsRole(.owner) }
            return .identity(try servedAPI.identity(withClaims: claims), nil)
        case .identityPool(let isAuthenticated):
            return .identity(
                try servedAPI.identity(
                    ofPool: served.auth.identityPoolID, isAuthenticated: isAuthenticated), nil)
        case .key(let name):
            guard servedAPI.modes.contains(.apiKey) else { return .headers([("x-api-key", "")]) }
            guard let key = try key(named: name) else { throw .unknownKey(name) }
            return .identity(.apiKey, .apiKey(key))
        case .user(let name):
            let service: UserPoolService?
            do throws(ServerError) { service = try userPools() } catch { throw OperatorProblem(error) }
            guard let service, let pool = service.summary.pools.first else { throw .noUserPools }
            let answer = try service.perform(
                "MintToken", ["UserPoolId": .string(pool.id), "Username": .string(name)], for: caller)
            return .headers([("authorization", answer["AuthenticationResult"]?["AccessToken"]?.stringValue ?? "")])
        }
    }

    /// The accepted key of a name. The default key, and configured keys without a name, are `default`.
    private func key(named name: String) throws(OperatorProblem) -> APIKeyMode.Origin? {
        let keys = served.apiKeys
        if let key = keys.accepted.first(where: { (keys.details[$0]?.name ?? APIKeys.unnamed) == name }) {
            return .configured(Array(key.utf8))
        }
        guard !configuration.data.isEphemeral else { return nil }
        let now = Moment.now.milliseconds
        do throws(ServerError) {
            return try APIKeyFile(configuration).read().first { $0.name == name && $0.expiresMilliseconds > now }
                .map { .created($0.hash) }
        } catch { throw OperatorProblem(error) }
    }
}

extension OperatorGraphQLCall.Caller {
    /// What the log of requests calls the caller: the API key, the operator who is the administrator, or a user without an account as
    /// `x-syncline-as` names it, so that a replay has the same identity.
    func recordedName(for caller: OperatorCallHandler.Caller) -> String? {
        switch self {
        case .administrator: caller.name
        case .key(let name): name
        case .groups: text
        case .claims(let claims): "claims:\(JSONValue.object(claims))"
        default: nil
        }
    }
}
