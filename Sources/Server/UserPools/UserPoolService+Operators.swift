import JSON
import NIOCore
import NIOPosix
import UserPools

extension UserPoolService {
    /// Carries out an operation for an operator, and waits for it; not to be called on an event loop.
    func perform(
        _ operation: String, _ body: JSONObject, for caller: OperatorCallHandler.Caller
    ) throws(OperatorProblem) -> JSONObject {
        let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(
            of: Result<JSONObject, CognitoError>.self)
        let from = Caller(
            address: caller.address, accessKeyID: caller.name, requestID: caller.requestID, baseURL: "")
        let isAccepted = run { pools in
            promise.succeed(await pools.performForOperator(operation, body, from: from))
        }
        if !isAccepted { promise.succeed(.failure(CognitoError("TooManyRequestsException", "Too many requests"))) }
        guard let result = try? promise.futureResult.wait() else {
            throw OperatorProblem(code: .internal, message: "The operation gave no answer.")
        }
        switch result {
        case .success(let output): return output
        case .failure(let error): throw OperatorProblem(error)
        }
    }
}

extension OperatorProblem {
    /// An exception of Cognito's as a problem of the operators' API.
    fileprivate init(_ error: CognitoError) {
        let code: Code =
            switch error.name {
            case "InternalErrorException": .internal
            case "TooManyRequestsException", "LimitExceededException": .limited
            case "ResourceNotFoundException", "UserNotFoundException": .notFound
            default: .invalid
            }
        self.init(code: code, message: "\(error.message ?? "") (\(error.name))")
    }
}
