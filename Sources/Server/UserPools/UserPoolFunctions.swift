import HTTP
import JSON
import NIOPosix
import UserPools

/// Calls the functions of triggers: the event goes to a function's URL as JSON by POST. Its answer with status 200 is the
/// event with the response filled in; the header `X-Amz-Function-Error` makes it the function's error, as from AWS Lambda.
struct UserPoolFunctions: Sendable {
    /// The functions that are configured now.
    let functions: @Sendable () -> [String: Function]
    let client: OutgoingClient?
    let limits: FunctionLimits
    let rules: OutboundRules
    /// Receives the function, and why it could not be called. Callers do not receive the cause.
    let noteFailure: @Sendable (_ function: String, _ cause: String) -> Void

    private let calls = TriggerCalls()

    /// The `Peer.network` that the operation of a task is carried out for.
    @TaskLocal static var network: String?

    /// Cognito gives a function five seconds (AWS Cognito Developer Guide, "Things to know about Lambda triggers").
    static let secondsMax = 5

    func invoke(_ name: String, _ event: JSONValue) async -> UserPoolServices.FunctionAnswer {
        let function = FunctionList.function(name, among: functions())
        func unreachable(_ cause: String) -> UserPoolServices.FunctionAnswer {
            noteFailure(name, cause)
            return .unreachable
        }
        guard let client else { return unreachable("Functions are called by a running server only.") }
        guard let function else { return unreachable("The function is not configured.") }
        var call = OutgoingCall(
            url: function.url, headers: [("Content-Type", "application/json")], body: Array(event.description.utf8),
            limits: OutgoingLimits(
                seconds: min(Self.secondsMax, limits.callSeconds), callsMax: limits.callsMax,
                answerBytesMax: limits.answerBytesMax), rules: rules)
        call.purpose = .trigger
        let network = Self.network ?? ""
        guard calls.begin(function.url, network, countMax: limits.callsMax) else {
            return unreachable("One network has too many calls under way.")
        }
        defer { calls.end(function.url, network) }
        let result: Result<OutgoingCall.Answer, OutgoingError> = await withCheckedContinuation { continuation in
            client.send(call) { continuation.resume(returning: $0) }
        }
        switch result {
        case .failure(let error): return unreachable(error.reason)
        case .success(let answer):
            let value = try? JSONReader.read(answer.body)
            if answer.isFunctionError { return .failed(value?["errorMessage"]?.stringValue ?? "Unhandled") }
            guard answer.status == 200 else {
                return .failed(value?["errorMessage"]?.stringValue ?? "HTTP status \(answer.status)")
            }
            return .value(value ?? .null)
        }
    }
}
