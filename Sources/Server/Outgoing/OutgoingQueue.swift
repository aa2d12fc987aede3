/// How many calls of each purpose are under way, and those that wait for one of them to end, in their order.
struct OutgoingQueue {
    /// What becomes of a call.
    enum Admission {
        /// It is counted, and can begin.
        case begun
        /// It waits, under this number.
        case queued(Int)
        case refused(OutgoingError)
    }

    private struct Waiting {
        let number: Int
        let byteCount: Int
        let start: @Sendable () -> Void
        let expire: @Sendable (OutgoingError) -> Void
    }

    private struct Calls {
        var count = 0
        var waiting: ArraySlice<Waiting> = []
        var waitingBytes = 0
    }

    private var calls: [OutgoingCall.Purpose: Calls] = [:]
    private var lastNumber = 0

    /// Counts a call that can begin, and keeps one that can wait.
    /// - Parameters:
    ///   - start: Begins the call when its turn has come.
    ///   - expire: Ends it when it can wait no longer.
    mutating func admit(
        _ call: OutgoingCall, start: @escaping @Sendable () -> Void, expire: @escaping @Sendable (OutgoingError) -> Void
    ) -> Admission {
        let limits = call.limits
        var calls = calls[call.purpose] ?? Calls()
        defer { self.calls[call.purpose] = calls }
        if calls.count < limits.callsMax {
            calls.count += 1
            return .begun
        }
        guard calls.waiting.count < limits.queueCountMax, calls.waitingBytes + call.body.count <= limits.queueBytesMax
        else { return .refused(.tooManyCalls(limits.callsMax)) }
        lastNumber += 1
        calls.waitingBytes += call.body.count
        calls.waiting.append(
            Waiting(number: lastNumber, byteCount: call.body.count, start: start, expire: expire))
        return .queued(lastNumber)
    }

    /// A call has ended.
    /// - Returns: Begins the call that takes its place; nil if none waits.
    mutating func end(_ purpose: OutgoingCall.Purpose) -> (@Sendable () -> Void)? {
        guard let next = calls[purpose]?.waiting.popFirst() else {
            calls[purpose]?.count -= 1
            return nil
        }
        calls[purpose]?.waitingBytes -= next.byteCount
        return next.start
    }

    /// Takes a call out if it still waits.
    /// - Returns: Ends it.
    mutating func remove(_ number: Int, of purpose: OutgoingCall.Purpose) -> (@Sendable (OutgoingError) -> Void)? {
        guard let index = calls[purpose]?.waiting.firstIndex(where: { $0.number == number }),
            let waiting = calls[purpose]?.waiting.remove(at: index)
        else { return nil }
        calls[purpose]?.waitingBytes -= waiting.byteCount
        return waiting.expire
    }

    /// Takes out all that wait.
    /// - Returns: End them.
    mutating func removeAll() -> [@Sendable (OutgoingError) -> Void] {
        let waiting = calls.values.flatMap(\.waiting)
        for purpose in calls.keys {
            calls[purpose]?.waiting = []
            calls[purpose]?.waitingBytes = 0
        }
        return waiting.map(\.expire)
    }
}
