/// How many calls of each purpose are under way, and those that wait for one of them to end, in their order. Calls to one URL
/// have no more than three quarters of the places, so that a slow function does not keep the others from being called. Calls for
/// one network have half of those, and the next one is of the network with the fewest.
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
        let url: String
        let network: String?
        let byteCount: Int
        let start: @Sendable () -> Void
        let expire: @Sendable (OutgoingError) -> Void
    }

    /// Calls under way, and calls that wait.
    private struct Usage {
        var count = 0
        var waitingCount = 0
        var waitingBytes = 0

        var isEmpty: Bool { count == 0 && waitingCount == 0 }
    }

    private struct Calls {
        var all = Usage()
        var byURL: [String: Usage] = [:]
        var byNetwork: [String: Usage] = [:]
        var waiting: ArraySlice<Waiting> = []
        /// The bound of the last call that was admitted.
        var callsMax = 0

        /// What one URL may have of `places`.
        static func share(of places: Int) -> Int { places - places / 4 }

        /// What one network may have of `places`.
        static func networkShare(of places: Int) -> Int { max(1, share(of: places) / 2) }

        func mayBegin(_ url: String, _ network: String?) -> Bool {
            all.count < callsMax && (byURL[url]?.count ?? 0) < Self.share(of: callsMax)
                && usage(of: network).count < Self.networkShare(of: callsMax)
        }

        /// The calls of a network; none without a network.
        func usage(of network: String?) -> Usage { network.flatMap { byNetwork[$0] } ?? Usage() }

        /// The waiting call that begins next.
        var nextIndex: Int? {
            waiting.nextTurn { mayBegin($0.url, $0.network) ? usage(of: $0.network).count : nil }
        }

        mutating func count(_ url: String, _ network: String?, _ change: (inout Usage) -> Void) {
            change(&all)
            if let network {
                change(&byNetwork[network, default: Usage()])
                if byNetwork[network]?.isEmpty == true { byNetwork[network] = nil }
            }
            change(&byURL[url, default: Usage()])
            if byURL[url]?.isEmpty == true { byURL[url] = nil }
        }

        mutating func removeWaiting(at index: Int) -> Waiting {
            let next = waiting.remove(at: index)
            count(next.url, next.network) {
                $0.waitingCount -= 1
                $0.waitingBytes -= next.byteCount
            }
            return next
        }
    }

    private var calls: [OutgoingCall.Purpose: Calls] = [:]
    private var lastNumber = 0

    /// The calls of a purpose that wait.
    func waitingCount(of purpose: OutgoingCall.Purpose) -> Int { calls[purpose]?.all.waitingCount ?? 0 }

    /// Counts a call that can begin, and keeps one that can wait.
    /// - Parameters:
    ///   - start: Begins the call when its turn has come.
    ///   - expire: Ends it when it can wait no longer.
    mutating func admit(
        _ call: OutgoingCall, start: @escaping @Sendable () -> Void, expire: @escaping @Sendable (OutgoingError) -> Void
    ) -> Admission {
        let (limits, url, byteCount) = (call.limits, call.url, call.body.count)
        // Taken out, so that it is changed in place.
        var calls = calls.removeValue(forKey: call.purpose) ?? Calls()
        defer { self.calls[call.purpose] = calls }
        calls.callsMax = limits.callsMax
        let network = call.network
        if calls.mayBegin(url, network) {
            calls.count(url, network) { $0.count += 1 }
            return .begun
        }
        let own = calls.byURL[url] ?? Usage()
        guard calls.all.waitingCount < limits.queueCountMax,
            own.waitingCount < Calls.share(of: limits.queueCountMax),
            calls.usage(of: network).waitingCount < Calls.networkShare(of: limits.queueCountMax),
            calls.all.waitingBytes + byteCount <= limits.queueBytesMax,
            own.waitingCount == 0 || own.waitingBytes + byteCount <= Calls.share(of: limits.queueBytesMax)
        else { return .refused(.tooManyCalls(limits.callsMax)) }
        lastNumber += 1
        calls.count(url, network) {
            $0.waitingCount += 1
            $0.waitingBytes += byteCount
        }
        calls.waiting.append(
            Waiting(
                number: lastNumber, url: url, network: network, byteCount: byteCount, start: start, expire: expire))
        return .queued(lastNumber)
    }

    /// A call has ended.
    /// - Returns: Begins the call that takes its place; nil if none waits that may begin.
    mutating func end(_ call: OutgoingCall) -> (@Sendable () -> Void)? {
        guard var calls = calls.removeValue(forKey: call.purpose) else { return nil }
        defer { self.calls[call.purpose] = calls }
        calls.count(call.url, call.network) { $0.count -= 1 }
        guard let index = calls.nextIndex else { return nil }
        let next = calls.removeWaiting(at: index)
        calls.count(next.url, next.network) { $0.count += 1 }
        return next.start
    }

    /// Takes a call out if it still waits.
    /// - Returns: Ends it.
    mutating func remove(_ number: Int, of purpose: OutgoingCall.Purpose) -> (@Sendable (OutgoingError) -> Void)? {
        guard let index = calls[purpose]?.waiting.firstIndex(where: { $0.number == number }) else { return nil }
        return calls[purpose]?.removeWaiting(at: index).expire
    }

    /// Takes out all that wait.
    /// - Returns: End them.
    mutating func removeAll() -> [@Sendable (OutgoingError) -> Void] {
        var expire: [@Sendable (OutgoingError) -> Void] = []
        for purpose in calls.keys {
            while let first = calls[purpose]?.waiting.indices.first, let next = calls[purpose]?.removeWaiting(at: first)
            {
                expire.append(next.expire)
            }
        }
        return expire
    }
}
