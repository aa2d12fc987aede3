import Buckets
import HTTP
import JSON

/// Delivers object events to their functions: each at least once, after its change was committed, with increasing delays between
/// retries.
struct ObjectEventSender: Sendable {
    let service: BucketService
    let client: OutgoingClient
    let limits: FunctionLimits
    let rules: OutboundRules
    let log: Log

    /// Maximum number of concurrent deliveries.
    private static let countMax = 16
    /// Maximum number of attempts for an event. They take about six hours, the time that AWS Lambda keeps an event (AWS Lambda
    /// Developer Guide, "Asynchronous invocation").
    private static let attemptsMax = 80
    private static let delayMillisecondsMax: Int64 = 300_000

    /// Attempts to deliver each due event once.
    /// - Returns: Whether there may be more due events.
    func sendDue() async -> Bool {
        let due = await service.perform { buckets in
            do throws(S3Error) { return try await buckets.dueEvents(limit: Self.countMax) } catch { return [] }
        }
        await withTaskGroup { group in
            for event in due { group.addTask { await send(event) } }
        }
        return due.count == Self.countMax
    }

    private func send(_ event: Buckets.QueuedEvent) async {
        guard let cause = await call(event) else {
            return await service.perform { buckets in
                do throws(S3Error) { try await buckets.removeEvent(event.id) } catch {}
            }
        }
        let attemptCount = event.attemptCount + 1
        let isGivenUp = attemptCount >= Self.attemptsMax
        log(
            isGivenUp ? .error : .warning,
            isGivenUp ? "An object event was given up." : "An object event could not be delivered.",
            ["function": event.function, "event": event.id, "cause": cause], numbers: ["attempts": attemptCount])
        let delay = min(1_000 << Int64(min(event.attemptCount, 20)), Self.delayMillisecondsMax)
        let next = service.milliseconds + delay
        await service.perform { buckets in
            do throws(S3Error) {
                if isGivenUp {
                    try await buckets.removeEvent(event.id)
                } else {
                    try await buckets.postponeEvent(event.id, until: next)
                }
            } catch {}
        }
    }

    /// Calls the function of an event.
    /// - Returns: The reason of the failure; nil if the function has acknowledged the event.
    private func call(_ event: Buckets.QueuedEvent) async -> String? {
        guard let function = FunctionList.function(event.function, among: service.functions) else {
            return "The function is not configured."
        }
        var call = OutgoingCall(
            url: function.url, headers: [("Content-Type", "application/json")],
            body: Array(event.payload.description.utf8),
            limits: OutgoingLimits(
                seconds: limits.callSeconds, callsMax: limits.callsMax, answerBytesMax: limits.answerBytesMax),
            rules: rules)
        call.purpose = .objectEvent
        let result: Result<OutgoingCall.Answer, OutgoingError> = await withCheckedContinuation { continuation in
            client.send(call) { continuation.resume(returning: $0) }
        }
        switch result {
        case .failure(let error): return error.reason
        case .success(let answer):
            if answer.isFunctionError { return "The function failed." }
            return (200..<300).contains(answer.status) ? nil : "HTTP status \(answer.status)"
        }
    }
}
