import Dispatch
import Foundation
import JSON
import Synchronization
import Tables
import Testing
import Transformer

@testable import API

/// Random schedules over several loops, each a thread of its own, held against what must, may and must not be received.
///
/// Every moment gets a number from one clock. A change whose mutation was sent after a subscription was acknowledged
/// must be received by it, if it is still there at the end; one that was answered before it began must not; in between it
/// may. A change of an item is an update from version n to n + 1 under that condition, so the versions of an item are
/// the order of its commits. Where the model has versions, a subscription also comes back, on any loop, while its old
/// socket is gone or seems to be alive; then it must receive what its first one had to.
///
/// SYNCLINE_SCHEDULE_ROUNDS is how many schedules are played in each mode.
@Suite("Events under random schedules", .bothExecutors) struct EventScheduleTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["SYNCLINE_SCHEDULE_ROUNDS"].flatMap { Int($0) } ?? 100

    @Test("nothing is lost, doubled or out of order per item", arguments: ScheduleMode.allCases)
    func schedules(mode: ScheduleMode) throws {
        let seed = UInt64.testSeed(in: .min ... .max)
        var random = ScheduleGenerator(state: seed)
        let stage = try Stage(mode)
        for round in 0..<Self.rounds {
            try stage.play(stepCount: Int.random(in: 10...70, using: &random), &random)
            let complaints = stage.complaints()
            guard complaints.isEmpty else {
                Issue.record("seed \(seed), round \(round): \(complaints.prefix(5).joined(separator: "; "))")
                return
            }
        }
        // The schedules did meet what they are about.
        let counts = stage.counts.withLock { $0 }
        #expect(
            counts.received > 15 * Self.rounds && counts.ended > 5 && counts.failed > 30 && counts.reloads > 30,
            "\(counts)")
        #expect(stage.handedToWorkerCount > 5)
        if mode == .versioned { #expect(counts.comebacks > Self.rounds, "\(counts)") }
        #expect(stage.homeService.home.environment.publisher.eventQueues.pendingCount == 0)
        #expect(stage.homeService.home.environment.publisher.openSubscriptionCount == 0)
    }
}

/// How events are made.
enum ScheduleMode: CaseIterable {
    case mutationSelection, filled, versioned

    var options: APIOptions {
        var options = APIOptions(subscriptions: self == .filled ? .fill : .mutationSelection)
        options.limits.readStepsMax = 1
        // A step ends after each group that is looked at or completed.
        options.limits.eventStepBytesMax = 1
        return options
    }

    var transform: TransformOptions {
        self == .versioned
            ? TransformOptions(conflictDetection: .version, conflictHandler: .optimisticConcurrency)
            : TransformOptions()
    }
}

private struct ScheduleGenerator: RandomNumberGenerator {
    var state: UInt64
    // SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators").
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

/// A loop that is a serial queue.
private final class QueueLoop: Executor {
    let queue = DispatchQueue(label: "loop")
    func execute(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
}

/// A change as the model knows it.
private struct Change: Hashable {
    var item: Int
    var version: Int64
}

/// What a client subscribes to, over all the sockets on which it does.
private final class Wish: Sendable {
    /// Nil receives all items.
    let owner: String?
    let selection: String
    let id = UUID().uuidString
    private let times = Mutex((began: Int.max, acknowledged: Int.max))

    init(owner: String?, selection: String) { (self.owner, self.selection) = (owner, selection) }

    var body: String {
        Service.body(
            "subscription S($o: String) { e: onDoc(owner: $o) { \(selection) } }",
            owner.map { #"{"o": "\#($0)"}"# } ?? "{}")
    }

    /// It begins, not for the first time perhaps; when it first began, and was first acknowledged.
    func begin(at now: Int) -> (began: Int, acknowledged: Int) {
        times.withLock { times in
            times.began = min(times.began, now)
            return times
        }
    }

    func acknowledge(at now: Int) { times.withLock { $0.acknowledged = min($0.acknowledged, now) } }
}

/// One subscription: when it was there, and what it received. Written on its loop, read when all is quiet.
private final class Listener: Subscriber, @unchecked Sendable {
    let stage: Stage
    let wish: Wish
    var handle: SubscriptionHandle?
    /// When it began and was acknowledged; where subscriptions come back, the first of its wish.
    var began = 0
    var acknowledged = Int.max
    var isOver = false
    var received: [Change] = []
    var numbers: [UInt64] = []
    var faults: [String] = []

    init(_ stage: Stage, _ wish: Wish) { (self.stage, self.wish) = (stage, wish) }

    func receive(_ messages: ArraySlice<EventMessage>) { for message in messages { receive(message) } }

    private func receive(_ message: EventMessage) {
        if isOver { faults.append("received after its end") }
        guard let event = try? JSONReader.read(message.payload)["data"]?["e"], let item = event["id"]?.stringValue,
            let item = Int(item), let version = event["n"]?.intValue
        else { return faults.append("an unreadable message") }
        received.append(Change(item: item, version: version))
        numbers.append(message.number)
    }

    func end(_ errors: [RealtimeError]) {
        if isOver { faults.append("ended twice") }
        isOver = true
        stage.counts.withLock { $0.ended += 1 }
    }

    func wants(_ record: Stage.Record) -> Bool {
        guard let owner = wish.owner else { return true }
        return record.selectsOwner && owner == Stage.owner(of: record.change.item)
    }
}

/// The loops, the API that serves, and the records of a round.
private final class Stage: Sendable {
    struct Record {
        var change: Change
        var sent: Int
        var answered: Int
        /// Whether an event holds the owner, so that a filter can see it.
        var selectsOwner: Bool
    }

    struct Round {
        var records: [Record] = []
        var listeners: [(loop: Int, listener: Listener)] = []
        var running = 0
    }

    struct Counts {
        var received = 0, ended = 0, failed = 0, reloads = 0, comebacks = 0
    }

    static let itemCount = 5
    /// Of the first item it takes more steps than a loop may.
    private static let longSelection = " parts(limit: 200) { items { id } }"
    static func owner(of item: Int) -> String { "o\(item % 2)" }

    private static func schema(_ isSecond: Bool) -> String {
        let field = isSecond ? "other: Int" : "first: Int"
        return """
            type Doc @model { id: ID! n: Int owner: String \(field) parts: [Part] @connection(name: "P") }
            type Part @model { id: ID! doc: Doc @connection(name: "P") }
            type Subscription { onDoc(owner: String): Doc @aws_subscribe(mutations: ["updateDoc"]) }
            """
    }

    let mode: ScheduleMode
    private let loops: [QueueLoop]
    private let contexts: [Unchecked<LoopContext>]
    /// Used by the thread of the test only, to make APIs.
    private let home: Unchecked<Service>
    private let api: Mutex<GraphQLAPI>
    private let clock = Atomic(0)
    private let current = Mutex<[Int64]>(Array(repeating: 0, count: Stage.itemCount))
    private let round = Mutex(Round())
    private let finished = DispatchSemaphore(value: 0)
    private let isSecond = Atomic(false)
    let counts = Mutex(Counts())

    var homeService: Service { home.value }
    /// Selections that were too long for a loop.
    var handedToWorkerCount: Int { contexts.reduce(0) { $0 + $1.value.statistics.readHandedToWorkerCount } }

    init(_ mode: ScheduleMode) throws {
        self.mode = mode
        let service = try Service(Self.schema(false), options: mode.options, transform: mode.transform)
        home = Unchecked(service)
        api = Mutex(service.api)
        for item in 0..<Self.itemCount {
            let owner = Self.owner(of: item)
            try service.seed(
                #"mutation { createDoc(input: {id: "\#(item)", n: 0, owner: "\#(owner)"}) { id } }"#)
        }
        let parts = (0..<200).map { #"p\#($0): createPart(input: {id: "\#($0)", partDocId: "0"}) { id }"# }
        try service.seed("mutation { \(parts.joined(separator: " ")) }")
        let loops = (0..<3).map { _ in QueueLoop() }
        self.loops = loops
        contexts = try loops.map { Unchecked(try LoopContext(store: service.store, executor: $0)) }
    }

    private func now() -> Int { clock.add(1, ordering: .sequentiallyConsistent).newValue }

    // MARK: - A round

    func play(stepCount: Int, _ random: inout ScheduleGenerator) throws {
        round.withLock { $0 = Round() }
        for _ in 0..<stepCount {
            let loop = Int.random(in: loops.indices, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<65: mutate(on: loop, &random)
            case 65..<82: subscribe(on: loop, &random)
            case 82..<87: unsubscribe(&random)
            case 87..<92: if mode == .versioned { comeBack(on: loop, &random) } else { unsubscribe(&random) }
            case 92..<96: try reload()
            default: loops[loop].queue.sync {}
            }
        }
        try settle()
    }

    private func mutate(on loop: Int, _ random: inout ScheduleGenerator) {
        let item = Int.random(in: 0..<Self.itemCount, using: &random)
        let count = Int.random(in: 0..<10, using: &random) == 0 ? 2 : 1
        let selectsOwner = Int.random(in: 0..<4, using: &random) > 0
        let isLong = Int.random(in: 0..<12, using: &random) == 0
        let selection = "i: id n" + (selectsOwner ? " owner" : "") + (isLong ? Self.longSelection : "")
        round.withLock { $0.running += 1 }
        loops[loop].execute { [self] in
            // Others may be about to do the same: then all but one of them fail.
            let version = current.withLock { $0[item] }
            let fields = (1...count).map { step in
                let target = version + Int64(step)
                // The first version has the number 0.
                let known = mode == .versioned ? ", _version: \(target)" : ""
                return #"m\#(step): updateDoc(input: {id: "\#(item)", n: \#(target)\#(known)}, "#
                    + "condition: {n: {eq: \(target - 1)}}) { \(selection) }"
            }
            let (context, sent) = (contexts[loop].value, now())
            let api = api.withLock { $0 }
            let body = Service.body("mutation { \(fields.joined(separator: " ")) }", nil)
            guard
                let request = try? unsafe Array(body.utf8).withUnsafeBytes({
                    try unsafe context.readRequest($0, for: api)
                })
            else {
                preconditionFailure("the body is an envelope")
            }
            unsafe api.respond(to: request, as: .apiKey, on: context) { [self] _, bytes in
                let answered = now()
                let data = unsafe (try? JSONReader.read(bytes))?["data"]
                for step in 1...count {
                    guard data?["m\(step)"]?["n"] != nil else {
                        counts.withLock { $0.failed += 1 }
                        continue
                    }
                    let change = Change(item: item, version: version + Int64(step))
                    current.withLock { $0[item] = max($0[item], change.version) }
                    let record = Record(
                        change: change, sent: sent, answered: answered,
                        selectsOwner: selectsOwner || mode != .mutationSelection)
                    round.withLock { $0.records.append(record) }
                }
                round.withLock { $0.running -= 1 }
                finished.signal()
            }
        }
    }

    private func subscribe(on loop: Int, _ random: inout ScheduleGenerator) {
        let owner = Bool.random(using: &random) ? "o\(Int.random(in: 0...1, using: &random))" : nil
        let isOfFirst = Int.random(in: 0..<4, using: &random) == 0
        let isLong = Int.random(in: 0..<4, using: &random) == 0
        let selection = "id n" + (isOfFirst ? " first" : "") + (isLong ? Self.longSelection : "")
        begin(Wish(owner: owner, selection: selection), on: loop)
    }

    /// Under its old identifier, whether its old socket is gone or not.
    private func comeBack(on loop: Int, _ random: inout ScheduleGenerator) {
        guard let (_, listener) = round.withLock({ $0.listeners.randomElement(using: &random) }) else { return }
        counts.withLock { $0.comebacks += 1 }
        begin(listener.wish, on: loop)
    }

    private func begin(_ wish: Wish, on loop: Int) {
        let listener = Listener(self, wish)
        round.withLock { $0.listeners.append((loop, listener)) }
        loops[loop].execute { [self] in
            let (context, api) = (contexts[loop].value, api.withLock { $0 })
            let read = try? unsafe Array(wish.body.utf8).withUnsafeBytes {
                try unsafe context.readRequest($0, for: api)
            }
            guard let request = read else { preconditionFailure("the body is an envelope") }
            let first = wish.begin(at: now())
            listener.began = first.began
            switch api.subscribe(to: request, as: .apiKey, id: wish.id, on: context, for: listener) {
            case .subscribed(let handle):
                listener.handle = handle
                listener.acknowledged = min(now(), first.acknowledged)
                wish.acknowledge(at: listener.acknowledged)
                context.replay(to: handle)
            default: listener.isOver = true
            }
        }
    }

    private func unsubscribe(_ random: inout ScheduleGenerator) {
        guard let (loop, listener) = round.withLock({ $0.listeners.randomElement(using: &random) }) else { return }
        loops[loop].execute { [self] in
            guard let handle = listener.handle, !listener.isOver else { return }
            contexts[loop].value.cancel(handle)
            listener.isOver = true
        }
    }

    /// Another API over the same tables: the one has a field that the other has not.
    private func reload() throws {
        let isSecond = !isSecond.load(ordering: .relaxed)
        self.isSecond.store(isSecond, ordering: .relaxed)
        let service = home.value
        let next = try service.reloaded(
            Self.schema(isSecond), options: mode.options, transform: mode.transform
        ).api
        api.withLock { $0 = next }
        counts.withLock { $0.reloads += 1 }
        for (loop, context) in zip(loops, contexts) { loop.execute { context.value.revalidate(for: next) } }
    }

    // MARK: - The model

    /// Waits until all is answered and what must be received is received; then ends all subscriptions.
    private func settle() throws {
        let deadline = DispatchTime.now() + 60
        barrier()
        while round.withLock({ $0.running > 0 }) {
            guard finished.wait(timeout: deadline) == .success else { throw TestFailure("mutations hang") }
        }
        while DispatchTime.now() < deadline {
            barrier()
            if missing().isEmpty { break }
        }
        // Whatever else is on its way is received now, or never.
        barrier()
        let listeners = round.withLock { $0.listeners }
        for (loop, listener) in listeners {
            loops[loop].queue.sync { listener.handle.map(contexts[loop].value.cancel) }
        }
        barrier()
    }

    /// Lets every loop run what it has; what that brings to other loops runs in the second walk.
    private func barrier() {
        for _ in 0..<2 { for loop in loops { loop.queue.sync {} } }
    }

    private func missing() -> [String] {
        let (records, listeners) = round.withLock { ($0.records, $0.listeners) }
        var missing: [String] = []
        for (loop, listener) in listeners {
            loops[loop].queue.sync {
                guard !listener.isOver, listener.handle != nil else { return }
                for record in records where record.sent > listener.acknowledged && listener.wants(record) {
                    if !listener.received.contains(record.change) { missing.append("lost \(record.change)") }
                }
            }
        }
        return missing
    }

    func complaints() -> [String] {
        let (records, listeners) = round.withLock { ($0.records, $0.listeners) }
        var complaints: [String] = []
        for (_, listener) in listeners {
            complaints += listener.faults
            counts.withLock { $0.received += listener.received.count }
            if !listener.isOver, listener.handle != nil {
                for record in records where record.sent > listener.acknowledged && listener.wants(record) {
                    if !listener.received.contains(record.change) { complaints.append("lost \(record)") }
                }
            }
            if Set(listener.received).count != listener.received.count {
                complaints.append("doubled in \(listener.received)")
            }
            if listener.numbers != listener.numbers.sorted() { complaints.append("numbers \(listener.numbers)") }
            for item in 0..<Self.itemCount {
                let versions = listener.received.filter { $0.item == item }.map(\.version)
                if versions != versions.sorted() { complaints.append("out of order: \(versions)") }
            }
            for change in listener.received {
                guard let record = records.first(where: { $0.change == change }) else {
                    complaints.append("never answered: \(change)")
                    continue
                }
                if !listener.wants(record) { complaints.append("not wanted: \(record)") }
                if record.answered < listener.began { complaints.append("from before: \(record)") }
            }
        }
        return complaints
    }
}
