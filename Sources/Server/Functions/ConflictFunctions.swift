import API

/// Which function decides the conflicts of which model: Amplify's `LambdaConflictHandler`.
struct ConflictFunctions: Sendable, Hashable {
    /// That of the models that have none of their own.
    var project: Function?
    /// By the names of the models.
    var models: [String: Function] = [:]

    /// The names of all of them.
    var names: Set<String> { Set((models.values + [project].compactMap(\.self)).map(\.name)) }

    /// That of a model.
    func function(of model: String) -> Function? { models[model] ?? project }

    /// Calls the functions: the event goes to a function's URL as JSON by POST, and its answer comes back with status
    /// 200, as from AWS Lambda's Invoke. Failures are logged here and reported nowhere else.
    func resolution(
        by client: OutgoingClient, limits: FunctionLimits, rules: OutboundRules, log: Log
    ) -> ConflictResolution {
        let limits = OutgoingLimits(
            seconds: limits.callSeconds, callsMax: limits.callsMax, answerBytesMax: limits.answerBytesMax)
        return { call, completion in
            guard let function = function(of: call.model) else { return completion(.failed) }
            let outgoing = OutgoingCall(
                url: function.url, headers: [("Content-Type", "application/json")], body: call.event, limits: limits,
                rules: rules)
            client.send(outgoing) { result in
                let reason: String
                switch result {
                case .success(let answer) where answer.status == 200: return completion(.answered(answer.body))
                case .success(let answer): reason = "it answered status \(answer.status)"
                case .failure(let error): reason = error.reason
                }
                log(
                    .warning, "A function decided no conflict.",
                    ["function": function.name, "model": call.model, "reason": reason])
                if case .failure(let error) = result, error.code == .tooManyCalls { return completion(.busy) }
                completion(.failed)
            }
        }
    }
}
