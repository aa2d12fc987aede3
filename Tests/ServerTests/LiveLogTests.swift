import JSON
import Testing

@testable import Server

@Suite("The log of the live channel: numbers, limits and what pages have missed")
struct LiveLogTests {
    private func text(_ message: LiveLog.Message?) -> String {
        message.map { String(decoding: $0.text, as: UTF8.self) } ?? ""
    }

    private func text(_ outcome: LiveLog.Outcome) -> String {
        guard case .message(let message) = outcome else { return "\(outcome)" }
        return text(message)
    }

    @Test("what nobody follows is not made; messages of all topics have one rising number")
    func numbers() {
        var log = LiveLog(startNumber: 10)
        #expect(log.publish(.jobs, at: 0) { preconditionFailure("data is made for nobody") } == .unwanted)
        #expect(log.kinds == 0)
        #expect(log.follow([.jobs, .changes(model: "A")], insteadOf: [], at: 0) == .init(number: 10, missed: []))
        #expect(log.kinds == LiveTopic.Kind.jobs.rawValue | LiveTopic.Kind.changes.rawValue)
        #expect(text(log.publish(.jobs, at: 0) { 1 }) == #"{"topic":"jobs","n":11,"data":1}"#)
        #expect(
            text(log.publish(.changes(model: "A"), at: 0) { ["key": ["x"]] })
                == #"{"topic":"changes:A","n":12,"data":{"key":["x"]}}"#)
        #expect(log.publish(.changes(model: "B"), at: 0) { 1 } == .unwanted)
    }

    @Test("of a topic 20 messages a second are sent, and then how many were left out")
    func limit() {
        var log = LiveLog(startNumber: 0)
        _ = log.follow([.requests, .jobs], insteadOf: [], at: 0)
        for number in 1...20 { #expect(text(log.publish(.requests, at: 400) { 0 }).contains(#""n":\#(number),"#)) }
        #expect(log.publish(.requests, at: 500) { 0 } == .leftOut(flushAfter: 900))
        #expect(log.publish(.requests, at: 1_399) { 0 } == .leftOut(flushAfter: nil))
        #expect(text(log.publish(.jobs, at: 1_399) { 0 }).contains(#""n":21"#), "another topic has its own limit")
        #expect(log.publish(.requests, at: 1_500) { 0 } == .leftOut(flushAfter: nil), "none goes before the report")
        #expect(text(log.flush(.requests, at: 1_501)) == #"{"topic":"requests","n":22,"gap":3}"#)
        #expect(log.flush(.requests, at: 1_501) == nil)
        for _ in 1...19 { #expect(text(log.publish(.requests, at: 1_600) { 0 }).contains("data")) }
        #expect(log.publish(.requests, at: 1_601) { 0 } == .leftOut(flushAfter: 900))
        #expect(text(log.flush(.requests, at: 2_501)).contains(#""gap":1"#))
        #expect(text(log.publish(.requests, at: 3_501) { 0 }).contains("data"))
    }

    @Test("a page that connects again is sent what it missed, or that it missed something")
    func resume() {
        var log = LiveLog(startNumber: 100)
        let topics: Set<LiveTopic> = [.jobs, .requests]
        _ = log.follow(topics, insteadOf: [], at: 0)
        _ = log.publish(.jobs, at: 0) { 1 }
        _ = log.follow([], insteadOf: topics, at: 0)
        _ = log.publish(.jobs, at: 5) { 2 }
        _ = log.publish(.requests, at: 5) { 3 }
        let missed = log.follow(topics, insteadOf: [], since: 101, at: 10)
        #expect(missed.number == 103)
        #expect(
            missed.missed.map { text($0) } == [
                #"{"topic":"jobs","n":102,"data":2}"#, #"{"topic":"requests","n":103,"data":3}"#,
            ])
        #expect(log.follow([.jobs], insteadOf: [], since: 103, at: 10).missed.isEmpty)
        #expect(log.follow([.jobs], insteadOf: [], at: 10).missed.isEmpty, "without a number it is sent what comes")
        for since: Int64 in [99, 104, 0, -1, .min, .max] {
            let answer = log.follow([.jobs], insteadOf: [], since: since, at: 10)
            #expect(answer.missed.map { text($0) } == [#"{"topic":"jobs","n":103,"gap":1}"#], "\(since)")
        }
        #expect(log.follow([.schema], insteadOf: [], since: 103, at: 10).missed.count == 1, "it was not followed")
    }

    @Test("the newest 1,000 messages are kept")
    func bound() {
        var log = LiveLog(startNumber: 0)
        _ = log.follow([.jobs], insteadOf: [], at: 0)
        for number in 1...5_000 { _ = log.publish(.jobs, at: Int64(number) * 1_000) { 1 } }
        #expect(log.follow([.jobs], insteadOf: [], since: 4_000, at: 0).missed.count == 1_000)
        #expect(text(log.follow([.jobs], insteadOf: [], since: 3_999, at: 0).missed.first).contains("gap"))
    }

    @Test("messages are made for a minute after the last page left; many topics are dropped at once")
    func expiry() {
        var log = LiveLog(startNumber: 0)
        _ = log.follow([.jobs], insteadOf: [], at: 0)
        _ = log.follow([.jobs], insteadOf: [], at: 0)
        _ = log.follow([], insteadOf: [.jobs], at: 0)
        log.expire(at: 1_000_000)
        #expect(log.kinds != 0, "another page follows it")
        _ = log.follow([], insteadOf: [.jobs], at: 0)
        log.expire(at: 59_999)
        #expect(log.kinds != 0)
        log.expire(at: 60_000)
        #expect(log.kinds == 0)
        let topics = Set((0..<2_000).map { LiveTopic.changes(model: "\($0)") })
        _ = log.follow(topics, insteadOf: [], at: 0)
        _ = log.follow([], insteadOf: topics, at: 0)
        let kept = topics.filter { log.publish($0, at: 0) { 1 } != .unwanted }
        #expect(kept.count == 1_024)
    }

    @Test("a page whose topics ended meanwhile is told so, also if another page follows them by then")
    func ended() {
        var log = LiveLog(startNumber: 100)
        _ = log.follow([.jobs], insteadOf: [], at: 0)
        _ = log.follow([], insteadOf: [.jobs], at: 0)
        log.expire(at: 60_000)
        #expect(log.publish(.jobs, at: 60_001) { 1 } == .unwanted)
        for page in 1...2 {
            let answer = log.follow([.jobs], insteadOf: [], since: 100, at: 60_002)
            #expect(answer.missed.map { text($0) } == [#"{"topic":"jobs","n":101,"gap":1}"#], "page \(page)")
            #expect(answer.number == 101)
        }
        #expect(log.follow([.jobs], insteadOf: [], since: 101, at: 60_002).missed.isEmpty)
    }

    @Test("a page that missed more than may wait for it is told so instead")
    func missedBytes() {
        var log = LiveLog(startNumber: 0)
        _ = log.follow([.jobs, .requests], insteadOf: [], at: 0)
        let data = JSONValue.string(String(repeating: "x", count: 10_000))
        for number in 1...60 { _ = log.publish(.jobs, at: Int64(number) * 1_000) { data } }
        #expect(log.follow([.jobs], insteadOf: [], since: 20, at: 0).missed.count == 40)
        let missed = log.follow([.jobs, .requests], insteadOf: [], since: 0, at: 0).missed.map { text($0) }
        #expect(
            Set(missed) == [#"{"topic":"jobs","n":60,"gap":1}"#, #"{"topic":"requests","n":60,"gap":1}"#])
    }

    @Test("a message that is too large is replaced by one that says so")
    func size() {
        var log = LiveLog(startNumber: 0)
        _ = log.follow([.jobs], insteadOf: [], at: 0)
        let data = JSONValue.string(String(repeating: "x", count: 20_000))
        #expect(text(log.publish(.jobs, at: 0) { data }) == #"{"topic":"jobs","n":1,"gap":1}"#)
    }
}
