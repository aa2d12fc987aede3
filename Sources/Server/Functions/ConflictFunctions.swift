import API

/// Which function decides the conflicts of which model: Amplify's `LambdaConflictHandler`.
struct ConflictFunctions: Sendable, Hashable {
    /// That of the models that have none of their own.
    var project: Function?
    /// By the names of the models.
    var models: [String: Function] = [:]

    /// That of a model.
    func function(of model: String) -> Function? { models[model] ?? project }

    /// Calls the functions. Failures are logged here and reported nowhere else.
    func resolution(by client: FunctionClient, limits: FunctionLimits, log: Log) -> ConflictResolution {
        { call, completion in
            guard let function = function(of: call.model) else { return completion(.failed) }
            client.call(function, call.event, limits: limits) { result in
                switch result {
                case .success(let answer): completion(.answered(answer))
                case .failure(let error):
                    log(
                        .warning, "A function decided no conflict.",
                        ["function": function.name, "model": call.model, "reason": error.reason])
                    completion(error.code == .tooManyCalls ? .busy : .failed)
                }
            }
        }
    }
}
