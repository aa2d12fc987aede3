import API
import Tables
import Transformer

/// Which function decides the conflicts of which model: Amplify's `LambdaConflictHandler`.
struct ConflictFunctions: Sendable, Hashable {
    /// That of the models that have none of their own.
    var project: Function?
    /// By the names of the models.
    var models: [String: Function] = [:]
    /// Why the function of the project cannot be called. It is no error here: `dev` serves all but its conflicts.
    var missingProject: Diagnostic?
    /// The same of models whose function has no URL, by name. The project's function does not decide in its place.
    var missingModels: [String: Diagnostic] = [:]

    /// The names of all of them.
    var names: Set<String> { Set((models.values + [project].compactMap(\.self)).map(\.name)) }

    /// That of a model.
    func function(of model: String) -> Function? { missingModels[model] == nil ? models[model] ?? project : nil }

    /// Why no function can decide about a model; nil if one can.
    func missingFunction(of model: String) -> Diagnostic? {
        function(of: model) == nil ? missingModels[model] ?? missingProject : nil
    }

    /// What is missing for the models whose conflicts functions decide, once for each place that names a function.
    func missingFunctions(of models: [Model]) -> [Diagnostic] {
        models.filter { $0.conflictHandler == .lambda }.compactMap { missingFunction(of: $0.name) }
            .reduce(into: []) { found, missing in
                if !found.contains(missing) { found.append(missing) }
            }
    }

    private static let failureText = "A function decided no conflict."

    /// Calls the functions: the event goes to a function's URL as JSON by POST, and its answer comes back with status
    /// 200, as from AWS Lambda's Invoke. Failures are logged here and reported nowhere else.
    func resolution(
        by client: OutgoingClient, limits: FunctionLimits, rules: OutboundRules, log: Log
    ) -> ConflictResolution {
        let limits = OutgoingLimits(
            seconds: limits.callSeconds, callsMax: limits.callsMax, answerBytesMax: limits.answerBytesMax)
        return { call, completion in
            guard let function = function(of: call.model) else {
                log(.warning, Self.failureText, ["model": call.model, "reason": "its function has no URL"])
                return completion(.failed)
            }
            var outgoing = OutgoingCall(
                url: function.url, headers: [("Content-Type", "application/json")], body: call.event, limits: limits,
                rules: rules)
            outgoing.function = function.name
            client.send(outgoing) { result in
                let reason: String
                switch result {
                case .success(let answer) where answer.status == 200: return completion(.answered(answer.body))
                case .success(let answer): reason = "it answered status \(answer.status)"
                case .failure(let error): reason = error.reason
                }
                log(
                    .warning, Self.failureText,
                    ["function": function.name, "model": call.model, "reason": reason])
                if case .failure(let error) = result, error.code == .tooManyCalls { return completion(.busy) }
                completion(.failed)
            }
        }
    }
}
