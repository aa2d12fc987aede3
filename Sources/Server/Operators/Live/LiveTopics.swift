import API
import HTTP
import JSON
import Synchronization
import Tables

/// The live channel of the console: what any part of the server publishes, to the pages that follow it. May be used from any thread.
final class LiveTopics: Sendable {
    /// One WebSocket of a page.
    private struct Follower {
        var topics: Set<LiveTopic>
        /// Sends a message, later and in the order of the calls.
        let send: @Sendable ([UInt8]) -> Void
    }

    private struct State {
        var log: LiveLog
        var followers: [ObjectIdentifier: Follower] = [:]
        /// The models whose changes can be followed; nil until the API is known, and then of any name.
        var models: Set<String>?
        /// Where timers run; nil until the server starts.
        var loop: EventLoop?
        /// Called when `kinds` may have changed, while a lock is held.
        var kindsChanged: @Sendable (LiveTopics) -> Void = { _ in }
    }

    /// The kinds of topics that somebody follows, or did a minute ago.
    private let kinds = Atomic<UInt8>(0)
    private let state: Mutex<State>
    private let milliseconds: @Sendable () -> Int64

    /// - Parameters:
    ///   - startNumber: The number of the first message, less one. By default microseconds since 1970: greater than the numbers
    ///     of an earlier process, which pages may still know.
    ///   - milliseconds: The time of a clock that never goes back.
    init(
        startNumber: Int64 = WallClock.system.milliseconds() * 1_000,
        milliseconds: @escaping @Sendable () -> Int64 = { EventLoop.uptimeNanoseconds / 1_000_000 }
    ) {
        state = Mutex(State(log: LiveLog(startNumber: startNumber)))
        self.milliseconds = milliseconds
    }

    /// Begins to publish what mutations write, and to record requests while somebody follows them.
    func start(on loop: EventLoop, _ changes: ItemChanges, _ requests: RequestLog) {
        changes.setReceiver { [weak self] change in
            self?.publish(.changes(model: change.model), change.json)
        }
        state.withLock { state in
            state.loop = loop
            state.kindsChanged = { [weak requests] topics in
                changes.setFollowed(topics.isFollowed(.changes))
                requests?.setFollowed(topics.isFollowed(.requests))
            }
        }
    }

    /// Whether somebody follows a topic of the kind.
    func isFollowed(_ kind: LiveTopic.Kind) -> Bool { kinds.load(ordering: .relaxed) & kind.rawValue != 0 }

    /// Publishes a message of a topic. While nobody follows a topic of its kind it costs one relaxed load, and `data` is not made.
    func publish(_ topic: LiveTopic, _ data: @autoclosure () -> JSONValue) {
        guard isFollowed(topic.kind) else { return }
        let now = milliseconds()
        state.withLock { state in
            switch state.log.publish(topic, at: now, data) {
            case .unwanted, .leftOut(nil): break
            case .message(let message): Self.send(message, state)
            case .leftOut(let delay?):
                state.loop?.schedule(afterMilliseconds: delay) { [weak self] in self?.flush(topic) }
            }
        }
    }

    private func flush(_ topic: LiveTopic) {
        let now = milliseconds()
        state.withLock { state in
            if let message = state.log.flush(topic, at: now) { Self.send(message, state) }
        }
    }

    private static func send(_ message: LiveLog.Message, _ state: borrowing State) {
        for follower in state.followers.values where follower.topics.contains(message.topic) {
            follower.send(message.text)
        }
    }

    // MARK: - Followers

    /// Adds a WebSocket, unless there are as many as there may be.
    ///
    /// - Parameter send: Called with each message, while a lock is held: it may only hand the message on.
    func join(_ follower: ObjectIdentifier, send: @escaping @Sendable ([UInt8]) -> Void) -> Bool {
        state.withLock { state in
            guard state.followers.count < ConsoleLimits.liveConnectionCountMax else { return false }
            state.followers[follower] = Follower(topics: [], send: send)
            return true
        }
    }

    /// What a WebSocket follows from now on.
    struct Accepted: Sendable {
        let topics: Set<LiveTopic>
        let following: LiveLog.Following
        /// The topics of models that the API does not have. They are not followed.
        let unknown: Set<LiveTopic>
    }

    /// Replaces the topics that a WebSocket follows. Messages from now on are sent after this call.
    ///
    /// Only topics of the API's models are followed: what others are called would be work for each write.
    func follow(_ topics: Set<LiveTopic>, since: Int64?, _ follower: ObjectIdentifier) -> Accepted? {
        change { state, now in
            guard let old = state.followers[follower]?.topics else { return nil }
            let known = topics.filter { $0.isKnown(state.models) }
            state.followers[follower]?.topics = known
            let following = state.log.follow(known, insteadOf: old, since: since, at: now)
            return Accepted(topics: known, following: following, unknown: topics.subtracting(known))
        }
    }

    /// Sets the models whose changes can be followed. The topics of other models end: their followers are sent a message that says so.
    func setModels(_ models: Set<String>) {
        change { state, now in
            state.models = models
            for (id, follower) in state.followers {
                let gone = follower.topics.filter { !$0.isKnown(models) }
                guard !gone.isEmpty else { continue }
                let kept = follower.topics.subtracting(gone)
                _ = state.log.follow(kept, insteadOf: follower.topics, at: now)
                state.followers[id]?.topics = kept
                for topic in gone { follower.send(topic.refusal) }
            }
            state.log.end { !$0.isKnown(models) }
        }
    }

    /// Removes a WebSocket.
    func leave(_ follower: ObjectIdentifier) {
        change { state, now in
            guard let old = state.followers.removeValue(forKey: follower)?.topics else { return }
            _ = state.log.follow([], insteadOf: old, at: now)
        }
    }

    private func change<Success: Sendable>(_ body: (inout State, Int64) -> Success) -> Success {
        let now = milliseconds()
        return state.withLock { state in
            defer {
                noteKinds(state)
                state.loop?.schedule(afterMilliseconds: ConsoleLimits.liveTopicIdleSeconds * 1_000) { [weak self] in
                    self?.expire()
                }
            }
            return body(&state, now)
        }
    }

    private func expire() {
        let now = milliseconds()
        state.withLock { state in
            state.log.expire(at: now)
            noteKinds(state)
        }
    }

    private func noteKinds(_ state: borrowing State) {
        kinds.store(state.log.kinds, ordering: .relaxed)
        state.kindsChanged(self)
    }
}

extension ItemChanges.Change {
    /// The data of a message.
    fileprivate var json: JSONValue {
        [
            "kind": .string(kind.rawValue), "key": .array(key.map { .string($0.keyPart) }),
            "version": version.map { .number(String($0)) } ?? .null,
        ]
    }
}
