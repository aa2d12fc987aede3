import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import Server

/// The collector of a running server, by clocks that the test sets.
@Suite("Tombstones whose time has come")
struct TombstoneTests {
    private static let schema = "type Room @model { id: ID! }  type Plain @model { id: ID! }"
    private static let count = Backend.tombstonesPerStepMax + 44
    private static let day: Int64 = 86_400_000

    /// One request for all of them, a hundred to a document.
    private func mutate(_ client: Client, _ field: (Int) -> String) throws {
        for start in stride(from: 0, to: Self.count, by: 100) {
            let numbers = start..<min(start + 100, Self.count)
            let answer = try client.graphql(
                "mutation { \(numbers.map { "f\($0): \(field($0))" }.joined(separator: " ")) }")
            #expect(!answer.contains("errors"), "\(answer.prefix(300))")
        }
    }

    private func sync(_ client: Client, since lastSync: Int64? = nil) throws -> (ids: [String], startedAt: Int64) {
        let text = try client.graphql(
            "{ syncRooms(limit: 1000, lastSync: \(lastSync.map(String.init) ?? "null")) { items { id } startedAt } }")
        let page = try JSONReader.read(text)["data"]?["syncRooms"]
        return (
            (page?["items"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue },
            try #require(page?["startedAt"]?.intValue, "\(text)")
        )
    }

    @Test("they are removed once a minute, in steps of so many, and their versions go on; the task ends when cancelled")
    func collection() async throws {
        let milliseconds = Atomic<Int64>(1_714_636_800_000)
        let wall = WallClock { milliseconds.load(ordering: .relaxed) }
        try await TestServer.with(
            schema: Self.schema, clock: wall,
            {
                $0.transform.conflictDetection = .version
                $0.transform.modelConflictDetection = ["Plain": .none]
            }
        ) { server in
            let client = try server.connect()
            _ = try client.graphql(#"mutation { createRoom(input: {id: "live"}) { id } }"#)
            try mutate(client) { #"createRoom(input: {id: "\#($0)"}) { id }"# }
            milliseconds.add(1_000, ordering: .relaxed)
            let device = try sync(client)
            #expect(device.ids.count == Self.count + 1)
            try mutate(client) { #"deleteRoom(input: {id: "\#($0)", _version: 1}) { id }"# }

            let clock = HandSetClock()
            let collector = Task { [service = server.service] in await service.removeExpiredData(clock: clock) }
            try await eventually { clock.sleepCount == 1 }
            milliseconds.add(30 * Self.day - 1_000, ordering: .relaxed)
            clock.advance(by: .seconds(60))
            try await eventually { clock.sleepCount == 2 }
            #expect(try sync(client, since: device.startedAt).ids.count == Self.count, "a second before their time")

            milliseconds.add(2_000, ordering: .relaxed)
            clock.advance(by: .seconds(59))
            #expect(clock.sleepCount == 2, "a second before the minute is over")
            let commits = try client.metric("sqlite_commits_total")
            clock.advance(by: .seconds(1))
            try await eventually { clock.sleepCount == 3 }
            #expect(try client.metric("sqlite_commits_total") == commits + 2, "two steps")
            #expect(try sync(client).ids == ["live"])
            // A device that was away for longer receives all items.
            #expect(try sync(client, since: device.startedAt).ids == ["live"])
            #expect(try client.graphql(#"{ getRoom(id: "7") { id } }"#) == #"{"data":{"getRoom":null}}"#)
            #expect(
                try client.graphql(#"mutation { createRoom(input: {id: "7"}) { _version } }"#)
                    == #"{"data":{"createRoom":{"_version":3}}}"#)

            collector.cancel()
            await collector.value
            #expect(clock.sleepCount == 3)
        }
    }

    @Test("a removal is answered after the server's loops have ended")
    func afterTheEnd() async throws {
        let change = { (configuration: inout Configuration) in configuration.transform.conflictDetection = .version }
        try await TestServer.with(change) { server in
            await server.service.backend.collectTombstones()
            await server.service.stop()
            await server.service.backend.collectTombstones()
        }
    }
}

/// A clock that a test sets. One task sleeps by it.
final class HandSetClock: Clock {
    struct Instant: InstantProtocol {
        var offset = Swift.Duration.zero

        func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var sleepCount = 0
        var sleeper: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)?

        mutating func wake() -> CheckedContinuation<Void, any Error>? {
            defer { sleeper = nil }
            return sleeper?.continuation
        }
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    /// How often somebody went to sleep.
    var sleepCount: Int { state.withLock { $0.sleepCount } }

    func advance(by duration: Duration) {
        let sleeper = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            guard let sleeper = state.sleeper, sleeper.deadline <= state.now else {
                return nil as CheckedContinuation<Void, any Error>?
            }
            return state.wake()
        }
        sleeper?.resume()
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    state.sleepCount += 1
                    guard !Task.isCancelled, deadline > state.now else { return true }
                    state.sleeper = (deadline, continuation)
                    return false
                }
                // The handler runs before or behind this; either finds what the other left.
                if isOver { continuation.resume(with: Result { try Task.checkCancellation() }) }
            }
        } onCancel: {
            state.withLock { $0.wake() }?.resume(throwing: CancellationError())
        }
    }
}
