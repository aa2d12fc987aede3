import API
import HTTP
import JSON
import NIOPosix

/// Invokes the functions of pipelines: the event goes to a function's URL as JSON by POST. Its answer with status 200 is
/// its result, unless the header `X-Amz-Function-Error` makes it the function's error, as from AWS Lambda's Invoke.
/// Everything else is an error of the field (reference: resolvers, "Errors").
struct PipelineFunctions: Sendable {
    let functions: [String: Function]
    let client: OutgoingClient
    let limits: FunctionLimits
    let rules: OutboundRules
    /// The region of functions that name none.
    let region: String
    /// Calls that gave no answer.
    let failures: SampledLog

    /// The account of functions that name none.
    private static let accountId = "123456789012"

    func invoke(_ call: FunctionCall, _ completion: @escaping @Sendable (FunctionResult) -> Void) {
        guard let function = functions[call.name] else {
            return completion(.failed(errorType: "Lambda:ResourceNotFoundException", message: missing(call)))
        }
        var outgoing = OutgoingCall(
            url: function.url, headers: [("Content-Type", "application/json")], body: call.event,
            limits: OutgoingLimits(
                seconds: limits.callSeconds, callsMax: limits.callsMax, queueCountMax: limits.queueCountMax,
                queueBytesMax: limits.queueBytesMax, answerBytesMax: limits.answerBytesMax), rules: rules)
        outgoing.purpose = .pipeline
        outgoing.function = function.name
        outgoing.deadline = call.deadline
        client.send(outgoing) { result in
            switch result {
            case .success(let answer):
                guard answer.body.count > Self.loopBytesMax else {
                    return completion(self.result(answer, of: function))
                }
                // The completion parses the answer, and this is an event loop.
                NIOThreadPool.singleton.submit { _ in completion(self.result(answer, of: function)) }
            case .failure(let error): completion(self.result(error, of: function, call))
            }
        }
    }

    private func missing(_ call: FunctionCall) -> String {
        "Function not found: arn:aws:lambda:\(call.region ?? region):\(call.accountId ?? Self.accountId):function:\(call.name)"
    }

    private func result(_ answer: OutgoingCall.Answer, of function: Function) -> FunctionResult {
        if answer.isFunctionError {
            let error = unsafe answer.body.withUnsafeBytes {
                try? unsafe JSONReader.read($0, depthMax: Self.errorDepthMax)
            }
            return .failed(errorType: Self.unhandled, message: error?["errorMessage"]?.stringValue ?? "")
        }
        guard answer.status == 200 else { return failure(of: function, "HTTP status \(answer.status)") }
        return .answered(answer.body)
    }

    private func result(_ error: OutgoingError, of function: Function, _ call: FunctionCall) -> FunctionResult {
        if error.code != .tooManyCalls {
            failures(["function": function.name, "reason": error.reason])
        }
        if ContinuousClock.now >= call.deadline, [.timeout, .tooManyCalls].contains(error.code) {
            return .failed(errorType: "Lambda:ExecutionTimeoutException", message: "Execution timed out.")
        }
        // Addresses of the network that the server is in are only for the log.
        switch error.code {
        case .tooManyCalls: return .failed(errorType: "Lambda:TooManyRequestsException", message: "Rate Exceeded.")
        case .timeout:
            var random = SystemRandomNumberGenerator()
            let id = RequestID(randomBits: random.next(), random.next())
            return .failed(
                errorType: Self.unhandled,
                message: "RequestId: \(id) Error: Task timed out after \(limits.callSeconds).00 seconds")
        case .tooLarge:
            return .failed(
                errorType: Self.unhandled,
                message: "Response payload size exceeded maximum allowed payload size (\(limits.answerBytesMax) bytes)."
            )
        case .forbidden: return failure(of: function, "the destination is not allowed")
        case .connection: return failure(of: function, "no connection")
        case .invalid: return failure(of: function, "the URL or a header is not valid")
        case .ended: return failure(of: function, "the server is shutting down")
        }
    }

    private func failure(of function: Function, _ reason: String) -> FunctionResult {
        .failed(errorType: Self.unhandled, message: "The function '\(function.name)' failed: \(reason)")
    }

    /// AWS AppSync's type of every error of a function.
    private static let unhandled = "Lambda:Unhandled"
    private static let errorDepthMax = 64
    /// Bytes of an answer that is parsed on the event loop it arrives at; larger ones are parsed on a thread of NIO's pool.
    private static let loopBytesMax = 64 << 10
}
