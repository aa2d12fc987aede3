import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Tables

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The built binary, killed in the midst of its work, again and again over the same data.
///
/// `SYNCLINE_CRASH_ROUNDS` says how often, `SYNCLINE_CRASH_SEED` repeats a run's choices; the moment at which the
/// machine's threads meet the kill is not repeated.
@Suite("Killed at any moment", .serialized)
struct CrashTests {
    /// A message as it should be stored. All that is stored follows from its version, so that a half-write would show.
    struct Message: Equatable {
        var version: Int
        /// Absent until the first update that names one: then the message is in no user's list.
        var author: String?

        var room: String { "room\(version % 4)" }
        var time: String { "2026-01-01T00:\(Self.two(version / 60 % 60)):\(Self.two(version % 60)).000Z" }
        var body: String { "version \(version) " + String(repeating: "\(version % 10)", count: version * 37 % 3_000) }

        var fields: String {
            #"room: "\#(room)", createdAt: "\#(time)", body: "\#(body)""#
                + (author.map { #", messageAuthorId: "\#($0)""# } ?? "")
        }

        private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    }

    enum Operation {
        case create(String, Message)
        case update(String, Message)
        case delete(String)

        func apply(to messages: inout [String: Message]) {
            switch self {
            case .create(let id, let message), .update(let id, let message): messages[id] = message
            case .delete(let id): messages[id] = nil
            }
        }

        func field(_ alias: String) -> String {
            switch self {
            case .create(let id, let message):
                #"\#(alias): createMessage(input: {id: "\#(id)", \#(message.fields)}) { id }"#
            case .update(let id, let message):
                #"\#(alias): updateMessage(input: {id: "\#(id)", \#(message.fields)}) { id }"#
            case .delete(let id): #"\#(alias): deleteMessage(input: {id: "\#(id)"}) { id }"#
            }
        }
    }

    /// One connection's writes, on messages of its own, one request after the other until the connection breaks.
    final class Writer: @unchecked Sendable {
        // Unchecked: one thread at a time uses it; a group is waited for in between.
        let name: String
        /// What is acknowledged.
        var messages: [String: Message] = [:]
        /// The request without an answer, whose fields are carried out in order, up to any of them.
        var pending: [Operation] = []
        var acknowledged = 0
        var unexpected: [String] = []
        private var random: SeededGenerator
        private var nextNumber = 0
        private var nextVersion = 0

        init(name: String, seed: UInt64) {
            self.name = name
            random = SeededGenerator(seed: seed)
        }

        func work(port: Int, onAnswer: () -> Void) {
            guard let client = try? Client(port: port) else { return }
            while unexpected.isEmpty {
                var after = messages
                pending = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    let operation = makeOperation(on: after)
                    operation.apply(to: &after)
                    return operation
                }
                let fields = pending.enumerated().map { $1.field("f\($0)") }.joined(separator: " ")
                guard let answer = try? client.ask(body: Client.envelope("mutation { \(fields) }")) else { return }
                onAnswer()
                guard answer.status == 200, !answer.body.contains("\"errors\"") else {
                    unexpected.append("\(answer.status) \(answer.body)")
                    return
                }
                messages = after
                pending = []
                acknowledged += 1
            }
        }

        private func makeOperation(on messages: [String: Message]) -> Operation {
            let known = messages.keys.sorted()
            let choice = Int.random(in: 0..<10, using: &random)
            guard let id = known.randomElement(using: &random), choice >= (known.count < 60 ? 5 : 2) else {
                nextNumber += 1
                return .create("\(name)-\(nextNumber)", makeMessage(author: nil))
            }
            return choice < 8 ? .update(id, makeMessage(author: messages[id]?.author)) : .delete(id)
        }

        private func makeMessage(author: String?) -> Message {
            nextVersion += 1
            let another = Bool.random(using: &random) ? "user\(Int.random(in: 0..<3, using: &random))" : nil
            return Message(version: nextVersion, author: another ?? author)
        }

        /// What the store may hold: each state that a part of the pending request leads to.
        var possibleStates: [[String: Message]] {
            var states = [messages]
            for operation in pending {
                var next = states[states.count - 1]
                operation.apply(to: &next)
                states.append(next)
            }
            return states
        }
    }

    @Test("every acknowledged write is there, every other whole or not at all, and the indexes agree")
    func nothingIsLost() throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["SYNCLINE_CRASH_ROUNDS"].flatMap(Int.init) ?? 10
        let seed = environment["SYNCLINE_CRASH_SEED"].flatMap(UInt64.init) ?? .random(in: 1...1_000_000)
        print("Crash rounds: \(rounds), seed \(seed).")
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(TestServer.chat, to: "schema.graphql")
        // A short log, so that copying it into the database is among what is interrupted.
        try folder.write(#"{"limits": {"checkpointPages": 16, "eventLoopCount": 2}}"#, to: "config/syncline.json")
        let writers = (0..<6).map { Writer(name: "w\($0)", seed: random.next()) }
        var server = try Running(["serve", "--port", "0"], in: folder)
        let users = (0..<3).map { #"u\#($0): createUser(input: {id: "user\#($0)", username: "\#($0)"}) { id }"# }
        _ = try server.connect().graphql("mutation { \(users.joined(separator: " ")) }")

        for round in 1...rounds {
            let group = DispatchGroup()
            let (port, process) = (server.port, server.processIdentifier)
            // Either at a moment by the clock, or in the moment of an answer: what is not on disk by then is gone.
            let answerCount = Bool.random(using: &random) ? Int.random(in: 1...80, using: &random) : .max
            let answers = Atomic<Int>(0)
            for writer in writers {
                DispatchQueue.global().async(group: group) {
                    writer.work(port: port) {
                        if answers.add(1, ordering: .relaxed).newValue == answerCount { kill(process, SIGKILL) }
                    }
                }
            }
            if answerCount == .max {
                usleep(UInt32.random(in: 1_000...250_000, using: &random))
            } else {
                _ = group.wait(timeout: .now() + 5)
            }
            server.crash()
            group.wait()
            for writer in writers { #expect(writer.unexpected.isEmpty, "round \(round)") }
            try checkFiles(of: folder, round)
            server = try Running(["serve", "--port", "0"], in: folder)
            try check(server, writers, "round \(round) of seed \(seed)")
        }
        #expect(server.stop().code == 0)
        let acknowledged = writers.reduce(0) { $0 + $1.acknowledged }
        print("Crash rounds: \(acknowledged) acknowledged requests in all.")
        #expect(acknowledged >= rounds)
    }

    /// SQLite's own check, on a copy: the server is to find the files as the kill left them.
    private func checkFiles(of folder: TemporaryFolder, _ round: Int) throws {
        let copy = try TemporaryFolder()
        defer { copy.remove() }
        for name in ["tables.sqlite", "tables.sqlite-wal"]
        where FileManager.default.fileExists(
            atPath: folder.path(".syncline/\(name)"))
        {
            try FileManager.default.copyItem(atPath: folder.path(".syncline/\(name)"), toPath: copy.path(name))
        }
        let connection = try Connection(path: copy.path("tables.sqlite"), mode: .writing, limits: StoreLimits())
        let findings = try connection.rows("PRAGMA integrity_check", columns: 1).map(\.values)
        #expect(findings == [[.text("ok")]], "round \(round)")
    }

    /// Our own check: what is stored is a state that the writers' requests lead to, and each index holds exactly the
    /// rows that have its key, in its order.
    private func check(_ server: Running, _ writers: [Writer], _ round: String) throws {
        let client = try server.connect()
        let list = try items(
            client, "{ listMessages(limit: 10000) { items { id room createdAt body author { id } } } }", "listMessages")
        var stored: [String: Message] = [:]
        for item in list {
            let id = try #require(item["id"] as? String)
            let body = try #require(item["body"] as? String)
            let version = try #require(body.split(separator: " ").dropFirst().first.flatMap { Int($0) })
            let message = Message(version: version, author: (item["author"] as? [String: Any])?["id"] as? String)
            #expect(item["room"] as? String == message.room, "\(round) \(id)")
            #expect(item["createdAt"] as? String == message.time && body == message.body, "\(round) \(id)")
            #expect(stored.updateValue(message, forKey: id) == nil, "\(round) \(id) is there twice")
        }
        for writer in writers {
            let own = stored.filter { $0.key.hasPrefix("\(writer.name)-") }
            #expect(writer.possibleStates.contains(own), "\(round) \(writer.name) \(writer.pending)")
            (writer.messages, writer.pending) = (own, [])
        }
        for room in 0..<4 {
            let found = try items(
                client, #"{ messagesByRoom(room: "room\#(room)", limit: 10000) { items { id createdAt } } }"#,
                "messagesByRoom")
            let times = found.compactMap { $0["createdAt"] as? String }
            #expect(times == times.sorted(), "\(round) room\(room)")
            #expect(
                found.compactMap { $0["id"] as? String }.sorted()
                    == stored.filter { $0.value.room == "room\(room)" }.keys.sorted(), "\(round) room\(room)")
        }
        for user in 0..<3 {
            let answer = try object(
                client, #"{ getUser(id: "user\#(user)") { messages(limit: 10000) { items { id } } } }"#)
            let connection = (answer["getUser"] as? [String: Any])?["messages"] as? [String: Any]
            let found = (connection?["items"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
            #expect(
                found.sorted() == stored.filter { $0.value.author == "user\(user)" }.keys.sorted(),
                "\(round) user\(user)")
        }
        // The primary key's index, by which a single message is found.
        let ids = stored.keys.sorted()
        for start in stride(from: 0, to: ids.count, by: 100) {
            let part = ids[start..<min(start + 100, ids.count)]
            let fields = part.enumerated().map { #"f\#($0): getMessage(id: "\#($1)") { id }"# }
            let answer = try object(client, "{ \(fields.joined(separator: " ")) }")
            for (index, id) in part.enumerated() {
                #expect((answer["f\(index)"] as? [String: Any])?["id"] as? String == id, "\(round) \(id)")
            }
        }
    }

    private func object(_ client: Client, _ query: String) throws -> [String: Any] {
        let text = try client.graphql(query)
        let answer = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return try #require(answer?["errors"] == nil ? answer?["data"] as? [String: Any] : nil, "\(text.prefix(500))")
    }

    private func items(_ client: Client, _ query: String, _ name: String) throws -> [[String: Any]] {
        let list = try object(client, query)[name] as? [String: Any]
        return try #require(list?["items"] as? [[String: Any]])
    }
}

/// Numbers that come again when a test is run again with the seed it printed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    // SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
