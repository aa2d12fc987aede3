import JSON

/// The messages of the live channel: numbers them, limits how many of a topic are sent in a second, and keeps the last ones for
/// pages that connect again. A value without clock and sockets; times are milliseconds of a clock that never goes back.
struct LiveLog {
    /// A message as it is sent.
    struct Message: Sendable, Equatable {
        let topic: LiveTopic
        /// Rises with each message, over all topics.
        let number: Int64
        let text: [UInt8]
    }

    /// What becomes of something that is published.
    enum Outcome: Equatable {
        /// Nobody follows the topic.
        case unwanted
        /// The message to send.
        case message(Message)
        /// It is left out. If it is the first one, `flush` is to be called after so many milliseconds.
        case leftOut(flushAfter: Int?)
    }

    /// What a page is sent that follows topics.
    struct Following: Equatable {
        /// The number of the newest message.
        let number: Int64
        /// What it has missed.
        let missed: [Message]
    }

    private struct Course {
        var followerCount = 0
        /// Messages with higher numbers were all made.
        let startNumber: Int64
        /// When the present second began, and how many messages were sent in it.
        var secondStart = Int64.min
        var sentCount = 0
        /// How many were left out since.
        var leftOutCount = 0
        /// When the last follower left; nil while there is one.
        var releaseMilliseconds: Int64?
    }

    /// The number of the newest message.
    private(set) var number: Int64
    private var courses: [LiveTopic: Course] = [:]
    /// The newest messages; more than are kept, so that the array moves seldom.
    private var messages: [Message] = []

    /// - Parameter startNumber: Greater than all numbers of an earlier log, which pages may still know.
    init(startNumber: Int64) { number = startNumber }

    /// The kinds of topics whose messages are made, as bits.
    var kinds: UInt8 { courses.keys.reduce(0) { $0 | $1.kind.rawValue } }

    // MARK: - Messages

    /// Makes a message of a topic.
    mutating func publish(_ topic: LiveTopic, at now: Int64, _ data: () -> JSONValue) -> Outcome {
        guard var course = courses[topic] else { return .unwanted }
        defer { courses[topic] = course }
        if course.leftOutCount == 0, course.secondStart == .min || now - course.secondStart >= 1_000 {
            (course.secondStart, course.sentCount) = (now, 0)
        }
        guard course.leftOutCount == 0, course.sentCount < ConsoleLimits.liveMessagesPerSecondMax else {
            course.leftOutCount += 1
            let isFirst = course.leftOutCount == 1
            return .leftOut(flushAfter: isFirst ? Int(max(0, course.secondStart + 1_000 - now)) : nil)
        }
        course.sentCount += 1
        number += 1
        let text = Self.text(topic, number, "data", data())
        guard text.count <= ConsoleLimits.liveMessageBytesMax else {
            return .message(keep(topic, Self.text(topic, number, "gap", 1)))
        }
        return .message(keep(topic, text))
    }

    /// The message that reports how many were left out, at the end of their second; nil if none were.
    mutating func flush(_ topic: LiveTopic, at now: Int64) -> Message? {
        guard var course = courses[topic], course.leftOutCount > 0 else { return nil }
        defer { courses[topic] = course }
        number += 1
        let message = keep(topic, Self.text(topic, number, "gap", .number(String(course.leftOutCount))))
        (course.secondStart, course.sentCount, course.leftOutCount) = (now, 1, 0)
        return message
    }

    private mutating func keep(_ topic: LiveTopic, _ text: [UInt8]) -> Message {
        let message = Message(topic: topic, number: number, text: text)
        messages.append(message)
        if messages.count >= 2 * ConsoleLimits.liveKeptMessageCount {
            messages.removeFirst(messages.count - ConsoleLimits.liveKeptMessageCount)
        }
        return message
    }

    private static func text(_ topic: LiveTopic, _ number: Int64, _ name: String, _ value: JSONValue) -> [UInt8] {
        let object: JSONObject = ["topic": .string(topic.text), "n": .number(String(number)), name: value]
        return Array(JSONValue.object(object).description.utf8)
    }

    // MARK: - Followers

    /// Replaces the topics that a page follows.
    ///
    /// - Parameter since: The newest number that the page has, if it connects again.
    mutating func follow(
        _ topics: Set<LiveTopic>, insteadOf old: Set<LiveTopic>, since: Int64? = nil, at now: Int64
    ) -> Following {
        var resumed: Set<LiveTopic> = []
        var missed: [Message] = []
        for topic in topics.subtracting(old) {
            if let since {
                if canResume(topic, since: since) {
                    resumed.insert(topic)
                } else {
                    missed.append(gap(topic))
                }
            }
            var course = courses[topic] ?? Course(startNumber: number)
            course.followerCount += 1
            course.releaseMilliseconds = nil
            courses[topic] = course
        }
        if let since { missed += kept(of: resumed, since: since) }
        let courseCount = courses.count
        for topic in old.subtracting(topics) {
            guard var course = courses[topic] else { continue }
            course.followerCount -= 1
            if course.followerCount == 0 { course.releaseMilliseconds = now }
            let isKept = course.followerCount > 0 || courses.count <= ConsoleLimits.liveTopicCountMax
            courses[topic] = isKept ? course : nil
        }
        noteEnds(courseCount)
        return Following(number: number, missed: missed)
    }

    /// The kept messages of topics after a number; if they are more than a page would be sent at once, one of each topic that says
    /// that something was left out.
    private func kept(of topics: Set<LiveTopic>, since: Int64) -> [Message] {
        let messages = messages.filter { $0.number > since && topics.contains($0.topic) }
        let byteCount = messages.reduce(0) { $0 + $1.text.count }
        return byteCount <= ConsoleLimits.liveResumedBytesMax ? messages : topics.map(gap)
    }

    /// Says that a page has missed something of a topic.
    private func gap(_ topic: LiveTopic) -> Message {
        Message(topic: topic, number: number, text: Self.text(topic, number, "gap", 1))
    }

    /// Leaves out a number if topics have ended: a page that has the number before it cannot resume them, although nothing else has
    /// come in between.
    ///
    /// - Parameter courseCount: How many there were before.
    private mutating func noteEnds(_ courseCount: Int) { if courses.count < courseCount { number += 1 } }

    /// Whether every message of a topic after the number is still kept.
    private func canResume(_ topic: LiveTopic, since: Int64) -> Bool {
        guard let course = courses[topic], since >= course.startNumber, since <= number else { return false }
        return since >= number - Int64(ConsoleLimits.liveKeptMessageCount)
    }

    /// Forgets the topics that nobody has followed for a while.
    mutating func expire(at now: Int64) {
        let courseCount = courses.count
        courses = courses.filter { _, course in
            guard let release = course.releaseMilliseconds else { return true }
            return now - release < Int64(ConsoleLimits.liveTopicIdleSeconds) * 1_000
        }
        noteEnds(courseCount)
    }

    /// Forgets topics.
    mutating func end(_ isGone: (LiveTopic) -> Bool) {
        let courseCount = courses.count
        courses = courses.filter { !isGone($0.key) }
        noteEnds(courseCount)
    }
}
