import HTTP
import Synchronization

/// The last calls of functions, for operators: recorded while requests are. May be used from any thread.
final class CallLog: Sendable {
    private let requests: RequestLog
    private let entries = Mutex(
        RecentEntries<RecordedCall>(
            countMax: ConsoleLimits.recordedCallCountMax, bytesMax: ConsoleLimits.recordedCallBytesMax))

    /// - Parameter requests: While it records, calls are recorded, too.
    init(recordingWith requests: RequestLog) { self.requests = requests }

    /// A completion that records the call before it calls the given one; nil if the call is not to be recorded.
    func recording(
        _ call: OutgoingCall, _ completion: @escaping OutgoingClient.Completion
    ) -> OutgoingClient.Completion? {
        guard requests.isOn, let function = call.function else { return nil }
        let (milliseconds, start) = (Moment.now.milliseconds, EventLoop.uptimeNanoseconds)
        return { [self] result in
            add(
                RecordedCall(
                    call, of: function, at: milliseconds, nanoseconds: EventLoop.uptimeNanoseconds - start, result,
                    keepsAnswer: requests.isKeepingContents))
            completion(result)
        }
    }

    func add(_ call: RecordedCall) { entries.withLock { $0.add(call, byteCount: call.byteCount) } }

    func page(_ filter: LogCall.CallFilter, after number: Int64?, countMax: Int) -> RecentEntries<RecordedCall>.Page {
        entries.withLock { $0.page(after: number, countMax: countMax, where: filter.includes) }
    }
}
