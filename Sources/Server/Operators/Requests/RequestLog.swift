import API
import HTTP
import JSON
import Synchronization
import Tables

/// The last requests of the API, for operators. Recorded while a page follows them or an owner has asked for it; otherwise a request
/// costs one relaxed load. May be used from any thread.
final class RequestLog: Sendable {
    /// Who has asked that documents, variables and answers are kept, and until when.
    struct Recording: Sendable, Equatable {
        let operatorName: String
        let endMilliseconds: Int64
    }

    /// Which requests are wanted; nil is any.
    struct Filter: Sendable, Equatable {
        var operation: String?
        var type: String?
        var errorType: String?
        var isFailure = false
        var slowerThanMilliseconds: Double?
        var identity: String?
        /// In lower case.
        var text: String?
        var isScan = false
    }

    /// A part of the list, the newest first.
    struct Page: Sendable {
        var requests: [RecordedRequest]
        /// The number to go on after; nil at the end.
        var next: Int64?
    }

    /// What the log holds.
    struct Size: Sendable, Equatable {
        var count = 0
        var byteCount = 0
        /// When the oldest one came; nil if there is none.
        var sinceMilliseconds: Int64?
    }

    private struct State {
        /// By number, in a circle.
        var slots: [RecordedRequest?] = []
        /// The number of the next one, and of the oldest that is kept.
        var next: Int64 = 0
        var oldest: Int64 = 0
        var byteCount = 0
        var isFollowed = false
        var recording: Recording?
        /// Whether a notice is about to be published.
        var isNoticeDue = false
        var loop: EventLoop?
    }

    /// What is recorded, as bits: 1 if anything is, 2 if contents are.
    private let recorded = Atomic<UInt8>(0)
    private let state = Mutex(State())
    private let live: LiveTopics
    /// Whether contents are kept whenever anything is recorded: in `dev`.
    private let keepsContents: Bool
    private let clock: WallClock

    init(live: LiveTopics, keepsContents: Bool, clock: WallClock = .system) {
        (self.live, self.keepsContents, self.clock) = (live, keepsContents, clock)
    }

    /// - Parameter loop: Where notices are published.
    func start(on loop: EventLoop) { state.withLock { $0.loop = loop } }

    /// Whether requests are recorded now.
    var isOn: Bool { recorded.load(ordering: .relaxed) != 0 }

    /// Whether documents, variables and answers are kept now.
    var isKeepingContents: Bool { recorded.load(ordering: .relaxed) & 2 != 0 }

    /// Begins to record a request by HTTP; nil if it is not to be recorded.
    @inline(__always)
    func begin(_ request: @autoclosure () -> Request) -> RequestRecording? {
        isOn ? beginRecording(request()) : nil
    }

    private func beginRecording(_ request: Request) -> RequestRecording {
        RequestRecording(request, keepsContent: isKeepingContents, at: clock.milliseconds())
    }

    // MARK: - Who wants requests

    /// Begins or ends to record because pages follow requests.
    func setFollowed(_ isFollowed: Bool) {
        state.withLock { state in
            state.isFollowed = isFollowed
            note(state)
        }
    }

    /// Keeps contents for an operator from now on; for 0 seconds no longer.
    ///
    /// - Returns: What is kept now, for whom.
    func record(seconds: Int, for operatorName: String) -> Recording? {
        state.withLock { state in
            state.recording =
                seconds == 0
                ? nil
                : Recording(
                    operatorName: operatorName, endMilliseconds: clock.milliseconds() + Int64(seconds) * 1_000)
            note(state)
            state.loop?.schedule(afterMilliseconds: seconds * 1_000 + 1) { [weak self] in self?.endRecording() }
            return state.recording
        }
    }

    /// For whom contents are kept now.
    var recording: Recording? {
        endRecording()
        return state.withLock { $0.recording }
    }

    private func endRecording() {
        state.withLock { state in
            guard let recording = state.recording, recording.endMilliseconds <= clock.milliseconds() else { return }
            state.recording = nil
            note(state)
        }
    }

    private func note(_ state: borrowing State) {
        let isOn = state.isFollowed || state.recording != nil
        let keepsContents = isOn && (keepsContents || state.recording != nil)
        recorded.store((isOn ? 1 : 0) | (keepsContents ? 2 : 0), ordering: .relaxed)
    }

    // MARK: - Requests

    /// Adds a request that was answered.
    func add(_ request: RecordedRequest) {
        let byteCount = request.byteCount
        let notices = state.withLock { state -> EventLoop? in
            while state.oldest < state.next,
                state.next - state.oldest >= Int64(ConsoleLimits.recordedRequestCountMax)
                    || state.byteCount + byteCount > ConsoleLimits.recordedBytesMax
            {
                Self.removeOldest(&state)
            }
            var request = request
            request.number = state.next
            let place = Self.place(of: state.next)
            if place < state.slots.count { state.slots[place] = request } else { state.slots.append(request) }
            state.next += 1
            state.byteCount += byteCount
            guard !state.isNoticeDue, state.isFollowed, let loop = state.loop else { return nil }
            state.isNoticeDue = true
            return loop
        }
        notices?.schedule(afterMilliseconds: ConsoleLimits.recordedNoticeMilliseconds) { [weak self] in
            self?.publishNotice()
        }
    }

    /// Publishes the newest request's id, for all that came since the last notice.
    private func publishNotice() {
        let newest = state.withLock { state in
            state.isNoticeDue = false
            return state.next > state.oldest ? state.slots[Self.place(of: state.next - 1)]?.id : nil
        }
        if let newest { live.publish(.requests, ["id": .string(newest.description)]) }
    }

    /// The request of an id; nil if it is not kept.
    func find(_ id: RequestID) -> RecordedRequest? {
        var end = Int64.max
        while true {
            let requests = part(before: end)
            if let found = requests.first(where: { $0.id == id }) { return found }
            guard let last = requests.last else { return nil }
            end = last.number
        }
    }

    /// The newest requests before a number, the newest first: not all at once, because requests are added meanwhile.
    private func part(before number: Int64) -> [RecordedRequest] {
        state.withLock { state in
            let end = min(number, state.next)
            let start = max(state.oldest, end - Int64(ConsoleLimits.recordedPartCount))
            return start < end ? (start..<end).reversed().compactMap { state.slots[Self.place(of: $0)] } : []
        }
    }

    /// The newest requests that pass the filter.
    ///
    /// - Parameter after: Only requests that came before the one of this number.
    func page(_ filter: Filter, after: Int64?, countMax: Int) -> Page {
        var page = Page(requests: [])
        var end = after ?? .max
        while true {
            let requests = part(before: end)
            for request in requests where filter.includes(request) {
                page.requests.append(request)
                guard page.requests.count < countMax else {
                    page.next = request.number > state.withLock({ $0.oldest }) ? request.number : nil
                    return page
                }
            }
            guard let last = requests.last else { return page }
            end = last.number
        }
    }

    /// What is kept now.
    var size: Size {
        state.withLock { state in
            Size(
                count: Int(state.next - state.oldest), byteCount: state.byteCount,
                sinceMilliseconds: state.oldest < state.next
                    ? state.slots[Self.place(of: state.oldest)]?.milliseconds : nil)
        }
    }

    private static func removeOldest(_ state: inout State) {
        let place = place(of: state.oldest)
        state.byteCount -= state.slots[place]?.byteCount ?? 0
        state.slots[place] = nil
        state.oldest += 1
    }

    private static func place(of number: Int64) -> Int { Int(number % Int64(ConsoleLimits.recordedRequestCountMax)) }
}
