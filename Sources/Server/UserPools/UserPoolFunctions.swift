import HTTP
import JSON
import NIOPosix
import UserPools

/// Calls the functions of triggers: the event goes to a function's URL as JSON by POST. Its answer with status 200 is the
/// event with the response filled in; the header `X-Amz-Function-Error` makes it the function's error, as from AWS Lambda.
///
/// Networks share the calls at one time: one that has many waits for its own, and the next call is of the network with the fewest.
struct UserPoolFunctions: Sendable {
    /// The functions that are configured now.
    let functions: @Sendable () -> [String: Function]
    let client: OutgoingClient?
    let limits: FunctionLimits
    /// The operations under way at one time, each with one call at most.
    let operationsMax: Int
    let rules: ServedOutboundRules
    /// Receives the function, and why it could not be called. Callers do not receive the cause.
    let noteFailure: @Sendable (_ function: String, _ cause: String) -> Void

    /// The `Peer.network` that the operation of a task is carried out for; nil of one that no request waits for.
    @TaskLocal static var network: String?

    /// Cognito gives a function five seconds (AWS Cognito Developer Guide, "Things to know about Lambda triggers").
    var secondsMax = 5

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
            limits: outgoingLimits, rules: rules.current)
        (call.purpose, call.network, call.function) = (.trigger, Self.network, function.name)
        let outgoing = call
        let result: Result<OutgoingCall.Answer, OutgoingError> = await withCheckedContinuation { continuation in
            client.send(outgoing) { continuation.resume(returning: $0) }
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

    /// Every operation under way can wait for a call: `OutgoingQueue` gives one URL three quarters of the places to wait, and one
    /// network half of these. Operations are shared among networks already, and each holds its event while it waits, so the bytes
    /// need no bound of their own.
    private var outgoingLimits: OutgoingLimits {
        OutgoingLimits(
            seconds: min(secondsMax, limits.callSeconds), callsMax: limits.callsMax,
            queueCountMax: 3 * operationsMax, queueBytesMax: .max, answerBytesMax: limits.answerBytesMax)
    }
}
