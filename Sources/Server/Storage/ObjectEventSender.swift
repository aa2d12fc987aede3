import Buckets
import HTTP
import JSON
import Synchronization

/// Delivers object events to their functions: each at least once, after its change was committed, with increasing delays between
/// retries. Each function has its events delivered by a task of its own, so that one that hangs or fails delays no other.
struct ObjectEventSender: Sendable {
    let service: BucketService
    let client: OutgoingClient
    let limits: FunctionLimits
    /// Events that are delivered to one function at one time.
    let perFunctionMax: Int
    let log: Log

    /// Maximum number of attempts for an event. They take about six hours, the time that AWS Lambda keeps an event (AWS Lambda
    /// Developer Guide, "Asynchronous invocation").
    private static let attemptsMax = 80
    private static let delayMillisecondsMax: Int64 = 300_000

    /// Delivers events until the task is cancelled.
    ///
    /// - Parameter pause: Waits until the queues are to be looked at again; false at the end.
    func run(pause: () async -> Bool) async {
        let busy = BusyFunctions()
        await withDiscardingTaskGroup { group in
            repeat {
                let functions = await service.perform { buckets in
                    do throws(S3Error) { return try await buckets.eventFunctions() } catch { return [] }
                }
                for function in functions where busy.begin(function) {
                    group.addTask {
                        while await sendDue(to: function), !Task.isCancelled {}
                        busy.end(function)
                    }
                }
            } while await pause()
        }
    }

    /// The functions whose events are being delivered.
    private final class BusyFunctions: Sendable {
        private let names = Mutex<Set<String>>([])

        /// - Returns: Whether the function was not busy.
        func begin(_ name: String) -> Bool { names.withLock { $0.insert(name).inserted } }

        func end(_ name: String) { names.withLock { _ = $0.remove(name) } }
    }

    /// Attempts to deliver each due event of a function once.
    /// - Returns: Whether there may be more due events.
    private func sendDue(to function: String) async -> Bool {
        let due = await service.perform { buckets in
            do throws(S3Error) { return try await buckets.dueEvents(of: function, limit: perFunctionMax) } catch {
                return []
            }
        }
        await withTaskGroup { group in
            for event in due { group.addTask { await send(event) } }
        }
        return due.count == perFunctionMax
    }

    private func send(_ event: Buckets.QueuedEvent) async {
        guard let cause = await call(event) else {
            return await service.perform { buckets in
                do throws(S3Error) { try await buckets.removeEvent(event) } catch {}
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
                    try await buckets.removeEvent(event)
                } else {
                    try await buckets.postponeEvent(event, until: next)
                }
            } catch {}
        }
    }

    /// Calls the function of an event.
    /// - Returns: The reason of the failure; nil if the function has acknowledged the event.
    private func call(_ event: Buckets.QueuedEvent) async -> String? {
        let functions = service.functions
        guard let function = FunctionList.function(event.function, among: functions) else {
            return "The function is not configured."
        }
        // More than all functions together have, also if they have one URL: no call waits for those of another function.
        var call = OutgoingCall(
            url: function.url, headers: [("Content-Type", "application/json")],
            body: Array(event.payload.description.utf8),
            limits: OutgoingLimits(
                seconds: limits.callSeconds, callsMax: 2 * perFunctionMax * functions.count,
                answerBytesMax: limits.answerBytesMax),
            rules: service.outboundRules.current)
        call.purpose = .objectEvent
        call.function = function.name
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
