import Foundation
import JSON
import Testing

@testable import Server

/// Random schedules over real sockets, held against what must, may and must not be received.
///
/// The test's thread does one step after the other and often does not wait for the answer, so that steps meet in the
/// server. Every moment gets a number. A change whose mutation was sent after `start_ack` was read must reach the
/// subscription, if it is there at the end or has received a later one of the item; one whose answer was read before
/// `start` was sent must not; in between it may. A change of an item is an update from version n to n + 1 under that
/// condition, so an item's versions are the order of its commits and no subscription may receive one without the one before it.
@Suite("The realtime channel under random schedules", .serialized)
struct RealtimeScheduleTests {
    @Test(
        "events are neither lost, repeated nor reordered, and queries see every acknowledged write",
        arguments: 0..<4)
    func schedules(run: Int) async throws {
        try await Self.run(seed: UInt64.testSeed(in: 1...1_000_000), stepCount: 400, loopCount: 2)
    }

    /// `make stress` runs it for `SYNCLINE_STRESS_SECONDS`, from the seed `SYNCLINE_STRESS_SEED` on if it is given. A server
    /// that does not answer within the clients' 30 seconds fails it.
    @Test(
        "four event loops serve random queries, writes, reloads and subscriptions for as long as the stress run is set to"
    )
    func stress() async throws {
        let environment = ProcessInfo.processInfo.environment
        let given = environment["SYNCLINE_STRESS_SECONDS"].flatMap { Int($0) }
        var seed = environment["SYNCLINE_STRESS_SEED"].flatMap { UInt64($0) } ?? UInt64.testSeed(in: 1...1_000_000)
        let end = ContinuousClock.now + .seconds(given ?? 0)
        repeat {
            try await Self.run(seed: seed, stepCount: given == nil ? 600 : 2_000, loopCount: 4)
            seed += 1
        } while ContinuousClock.now < end
    }

    /// One schedule on a server of its own.
    private static func run(seed: UInt64, stepCount: Int, loopCount: Int) async throws {
        print("Realtime schedule: seed \(seed).")
        try await TestServer.with(schema: RealtimeSchedule.schema(hasExtra: true)) {
            $0.limits.eventLoopCount = loopCount
        } _: { server in
            let schedule = try RealtimeSchedule(server, seed: seed)
            for _ in 0..<stepCount { try schedule.step() }
            try schedule.settle()
            let complaints = schedule.complaints()
            #expect(complaints.isEmpty, "seed \(seed): \(complaints.prefix(5).joined(separator: "; "))")
            // The schedule did meet what it is about.
            let counts = schedule.counts
            #expect(
                counts.received > 300 && counts.failed > 0 && counts.reloads > 3 && counts.ended > 0
                    && counts.disconnects > 5 && counts.queries > 10, "seed \(seed): \(counts)")
            print("Realtime schedule: \(counts)")
            let client = try server.connect()
            #expect(try client.metric("subscriptions_open") == 0)
            try await eventually { try client.metric("websockets_open") == RealtimeSchedule.socketCount }
        }
    }
}

/// The model, and the clients that are driven beside it.
private final class RealtimeSchedule {
    /// A change that was committed.
    struct Record {
        var item: Int
        var version: Int
        var sent: Int
        var answered: Int
    }

    /// A subscription as its client knows it.
    final class Subscription {
        enum Stage {
            case starting, live, stopping, over
        }

        let id: String
        /// Whether only one of the two schemas has its field.
        let isExtra: Bool
        /// Nil receives all items.
        let owner: String?
        let began: Int
        var acknowledged: Int?
        var stage = Stage.starting
        /// The number of the API that all loops served when it was started; nil when some may have served another.
        let api: Int?
        /// Whether an error has to come.
        var mustEnd = false
        /// Whether it was there to the end, and so must have received all.
        var wasThere = false
        var received: [Int: [Int]] = [:]

        init(id: String, isExtra: Bool, owner: String?, began: Int, api: Int?) {
            self.id = id
            self.isExtra = isExtra
            self.owner = owner
            self.began = began
            self.api = api
        }

        func wants(_ item: Int) -> Bool { owner == nil || owner == RealtimeSchedule.owner(of: item) }
    }

    final class Socket {
        let client: WebSocketClient
        var subscriptions: [String: Subscription] = [:]
        /// Answers to questions that ask for nothing but an answer.
        var echoCount = 0

        init(port: Int) throws { client = try WebSocketClient(port: port).acknowledged() }
    }

    /// A client that changes items, one request at a time.
    final class Writer {
        let client: Client
        var pending: (item: Int, versions: [Int], sent: Int)?

        init(_ client: Client) { self.client = client }
    }

    /// A client that queries, one request at a time. It waits for its answer later, so that queries run beside writes.
    final class QueryClient {
        let client: Client
        /// The field that was asked for; the items that must be in its answer, with the version they have at least.
        var pending: (field: String, versionsMin: [Int: Int])?

        init(_ client: Client) { self.client = client }
    }

    struct Counts {
        var received = 0, failed = 0, reloads = 0, ended = 0, disconnects = 0, queries = 0
    }

    static let socketCount = 6
    private static let itemCount = 4
    static func owner(of item: Int) -> String { "o\(item % 2)" }

    static func schema(hasExtra: Bool) -> String {
        let extra = #"onExtra(owner: String): Doc @aws_subscribe(mutations: ["updateDoc"])"#
        return """
            type Doc @model { id: ID! n: Int owner: String }
            type Subscription {
              onDoc(owner: String): Doc @aws_subscribe(mutations: ["updateDoc"])
              \(hasExtra ? extra : "")
            }
            """
    }

    private let server: TestServer
    private var random: SeededGenerator
    private var clock = 0
    private var lastID = 0
    private var hasExtra = true
    /// Whether all loops are known to serve the newest API.
    private var isSettled = true
    private var writers: [Writer]
    private var readers: [QueryClient]
    private var sockets: [Socket]
    private var subscriptions: [Subscription] = []
    private var records: [Record] = []
    private var current = [Int](repeating: 0, count: itemCount)
    private var faults: [String] = []
    private(set) var counts = Counts()

    init(_ server: TestServer, seed: UInt64) throws {
        self.server = server
        random = SeededGenerator(seed: seed)
        writers = try (0..<3).map { _ in Writer(try server.connect()) }
        readers = try (0..<3).map { _ in QueryClient(try server.connect()) }
        sockets = try (0..<Self.socketCount).map { _ in try Socket(port: server.port) }
        for item in 0..<Self.itemCount {
            let input = #"{id: "\#(item)", n: 0, owner: "\#(Self.owner(of: item))"}"#
            _ = try writers[0].client.graphql("mutation { createDoc(input: \(input)) { id } }")
        }
    }

    private func now() -> Int {
        clock += 1
        return clock
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
}

// MARK: - Steps

extension RealtimeSchedule {
    func step() throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: try mutate(writers[Int.random(in: writers.indices, using: &random)])
        case 40..<50: try query(readers[Int.random(in: readers.indices, using: &random)])
        case 50..<74: try subscribe()
        case 74..<86: try unsubscribe()
        case 86..<92: try disconnect()
        case 92..<95: try reload()
        default: try catchUp(sockets[Int.random(in: sockets.indices, using: &random)])
        }
    }

    private func mutate(_ writer: Writer) throws {
        try collect(writer)
        let item = Int.random(in: 0..<Self.itemCount, using: &random)
        let versions = (1...Int.random(in: 1...3, using: &random)).map { current[item] + $0 }
        try send(versions, of: item, by: writer)
        if chance(30) { try collect(writer) }
    }

    private func send(_ versions: [Int], of item: Int, by writer: Writer) throws {
        let fields = versions.map {
            #"m\#($0): updateDoc(input: {id: "\#(item)", n: \#($0)}, condition: {n: {eq: \#($0 - 1)}}) { id n owner }"#
        }
        writer.pending = (item, versions, now())
        try writer.client.send(
            Client.request(
                "POST", "/graphql", headers: Client.usualHeaders,
                body: Client.envelope("mutation { \(fields.joined(separator: " ")) }")))
    }

    /// Reads the answer that a writer has not read yet. Of two who were at the same version one has failed.
    private func collect(_ writer: Writer) throws {
        guard let (item, versions, sent) = writer.pending else { return }
        writer.pending = nil
        let data = try JSONReader.read(writer.client.receive().body)["data"]
        for version in versions {
            guard data?["m\(version)"]?["n"]?.intValue == Int64(version) else {
                counts.failed += 1
                continue
            }
            records.append(Record(item: item, version: version, sent: sent, answered: now()))
            current[item] = max(current[item], version)
        }
    }

    /// Asks for one item, for all, or for those of an owner.
    private func query(_ reader: QueryClient) throws {
        try collect(reader)
        var items = Array(0..<Self.itemCount)
        let field: String
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            items = [Int.random(in: items.indices, using: &random)]
            field = #"getDoc(id: "\#(items[0])")"#
        case 1: field = "listDocs"
        default:
            let owner = "o\(Int.random(in: 0...1, using: &random))"
            items = items.filter { Self.owner(of: $0) == owner }
            field = #"listDocs(filter: {owner: {eq: "\#(owner)"}})"#
        }
        let selection = items.count == 1 ? "{ id n owner }" : "{ items { id n owner } nextToken }"
        reader.pending = (field, Dictionary(uniqueKeysWithValues: items.map { ($0, current[$0]) }))
        try reader.client.send(
            Client.request(
                "POST", "/graphql", headers: Client.usualHeaders,
                body: Client.envelope("query { q: \(field) \(selection) }")))
        if chance(30) { try collect(reader) }
    }

    /// Reads the answer that a reader has not read yet. An item has at least the version that was acknowledged before the
    /// query was sent, and at most one that a writer has asked for.
    private func collect(_ reader: QueryClient) throws {
        guard let (field, versionsMin) = reader.pending else { return }
        reader.pending = nil
        counts.queries += 1
        let answer = try JSONReader.read(reader.client.receive().body)
        guard let found = answer["data"]?["q"], answer["errors"] == nil else {
            return faults.append("\(field): \(answer)")
        }
        let items = found["items"]?.arrayValue ?? [found]
        var versions: [Int: Int] = [:]
        for item in items {
            guard let id = item["id"]?.stringValue.flatMap({ Int($0) }), let version = item["n"]?.intValue else {
                return faults.append("\(field): unreadable \(item)")
            }
            versions[id] = Int(version)
            if item["owner"]?.stringValue != Self.owner(of: id) { faults.append("\(field): owner of \(item)") }
        }
        if items.count != versionsMin.count || Set(versions.keys) != Set(versionsMin.keys) {
            faults.append("\(field): \(items)")
        }
        for (id, version) in versions {
            let versionMax = writers.reduce(current[id]) {
                max($0, $1.pending?.item == id ? $1.pending?.versions.last ?? 0 : 0)
            }
            if version < versionsMin[id] ?? 0 || version > versionMax { faults.append("\(field): \(id) is \(version)") }
        }
    }

    private func subscribe() throws {
        let socket = sockets[Int.random(in: sockets.indices, using: &random)]
        guard socket.subscriptions.count < 10 else { return }
        lastID += 1
        let subscription = Subscription(
            id: "s\(lastID)", isExtra: chance(30),
            owner: chance(50) ? "o\(Int.random(in: 0...1, using: &random))" : nil, began: now(),
            api: isSettled ? counts.reloads : nil)
        socket.subscriptions[subscription.id] = subscription
        subscriptions.append(subscription)
        let arguments = subscription.owner.map { #"(owner: "\#($0)")"# } ?? ""
        let field = subscription.isExtra ? "onExtra" : "onDoc"
        try socket.client.send(
            WebSocketClient.start(subscription.id, "subscription { e: \(field)\(arguments) { id n owner } }"))
        if chance(60) { try receive(on: socket) { subscription.stage != .starting } }
    }

    private func unsubscribe() throws {
        let socket = sockets[Int.random(in: sockets.indices, using: &random)]
        let live = socket.subscriptions.values.filter { $0.stage == .live }.sorted { $0.id < $1.id }
        guard let subscription = live.randomElement(using: &random) else { return }
        subscription.stage = .stopping
        try socket.client.send(WebSocketClient.stop(subscription.id))
        if chance(50) { try receive(on: socket) { subscription.stage == .over } }
    }

    /// Lets a socket go, with all that it has not read, and connects anew.
    private func disconnect() throws {
        let index = Int.random(in: sockets.indices, using: &random)
        let socket = sockets[index]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: socket.client.resetOnClose()
        case 1: try socket.client.sendClose(1000)
        default: break
        }
        for subscription in socket.subscriptions.values { subscription.stage = .over }
        sockets[index] = try Socket(port: server.port)
        counts.disconnects += 1
    }

    private func reload() throws {
        hasExtra.toggle()
        try server.folder.write(Self.schema(hasExtra: hasExtra), to: "schema.graphql")
        _ = try server.service.reload(server.configuration)
        counts.reloads += 1
        isSettled = false
        for socket in sockets {
            for subscription in socket.subscriptions.values
            where !hasExtra && subscription.isExtra && subscription.stage == .live { subscription.mustEnd = true }
        }
        if chance(50) { try awaitReload() }
    }

    /// A loop that reads its sockets may do so once more before it turns to the new API, so each is asked twice.
    private func awaitReload() throws {
        for _ in 0..<2 {
            for socket in sockets {
                let count = socket.echoCount
                try socket.client.send(WebSocketClient.stop("echo"))
                try receive(on: socket) { socket.echoCount > count }
            }
        }
        isSettled = true
    }

    /// Reads until all that was asked on a socket is answered.
    private func catchUp(_ socket: Socket) throws {
        try receive(on: socket) {
            socket.subscriptions.values.allSatisfy { $0.stage == .live && !$0.mustEnd }
        }
    }
}

// MARK: - What the server says

extension RealtimeSchedule {
    private func receive(on socket: Socket, until condition: () -> Bool) throws {
        while !condition() { try receive(on: socket) }
    }

    private func receive(on socket: Socket) throws {
        let text = try socket.client.receive()
        let message = try JSONReader.read(text)
        if text == WebSocketClient.completion("echo") { return socket.echoCount += 1 }
        guard let id = message["id"]?.stringValue, let subscription = socket.subscriptions[id] else {
            return faults.append("for nobody: \(text)")
        }
        switch (message["type"]?.stringValue, subscription.stage) {
        case ("start_ack", .starting):
            subscription.stage = .live
            subscription.acknowledged = now()
            if isOfServedAPI(subscription), !hasExtra { faults.append("acknowledged: \(text)") }
        case ("data", .live), ("data", .stopping): noteEvent(message, subscription)
        case ("complete", .stopping): end(subscription, of: socket)
        case ("error", .starting), ("error", .live):
            end(subscription, of: socket)
            noteError(text, subscription)
        case ("error", .stopping):
            // The stop has met it on its way, and is answered all the same.
            noteError(text, subscription)
            subscription.mustEnd = false
        default: faults.append("in \(subscription.stage): \(text)")
        }
    }

    private func end(_ subscription: Subscription, of socket: Socket) {
        subscription.stage = .over
        socket.subscriptions[subscription.id] = nil
    }

    private func noteError(_ text: String, _ subscription: Subscription) {
        counts.ended += 1
        let isUnwarranted = isOfServedAPI(subscription) && hasExtra
        if !subscription.isExtra || isUnwarranted { faults.append("ended: \(text)") }
    }

    /// Whether a subscription to what comes and goes was started under the API that still serves.
    private func isOfServedAPI(_ subscription: Subscription) -> Bool {
        subscription.isExtra && subscription.api == counts.reloads
    }

    private func noteEvent(_ message: JSONValue, _ subscription: Subscription) {
        let event = message["payload"]?["data"]?["e"]
        guard let item = event?["id"]?.stringValue.flatMap({ Int($0) }), let version = event?["n"]?.intValue else {
            return faults.append("unreadable: \(message)")
        }
        subscription.received[item, default: []].append(Int(version))
        counts.received += 1
    }
}

// MARK: - The end

extension RealtimeSchedule {
    /// Reads all that is on its way; then stops all subscriptions.
    func settle() throws {
        for writer in writers { try collect(writer) }
        for reader in readers { try collect(reader) }
        for socket in sockets { try catchUp(socket) }
        for item in 0..<Self.itemCount {
            try send([current[item] + 1], of: item, by: writers[0])
            try collect(writers[0])
        }
        for socket in sockets {
            let live = Array(socket.subscriptions.values)
            try receive(on: socket) { live.allSatisfy { $0.stage == .over || hasReceivedLast($0) } }
            for subscription in live where subscription.stage == .live {
                subscription.wasThere = true
                subscription.stage = .stopping
                try socket.client.send(WebSocketClient.stop(subscription.id))
            }
            try receive(on: socket) { socket.subscriptions.isEmpty }
        }
    }

    private func hasReceivedLast(_ subscription: Subscription) -> Bool {
        (0..<Self.itemCount).allSatisfy {
            !subscription.wants($0) || subscription.received[$0]?.contains(current[$0]) == true
        }
    }

    func complaints() -> [String] {
        var complaints = faults
        for item in 0..<Self.itemCount {
            let records = records.filter { $0.item == item }.sorted { $0.version < $1.version }
            if records.map(\.version) != Array(1...current[item]) { complaints.append("versions of \(item)") }
            for subscription in subscriptions {
                if let complaint = complaint(of: subscription, records) { complaints.append(complaint) }
            }
        }
        return complaints
    }

    /// What is wrong with the events of one item that a subscription has received, whose changes these are, from version 1 on.
    private func complaint(of subscription: Subscription, _ records: [Record]) -> String? {
        guard let item = records.first?.item else { return nil }
        let received = subscription.received[item] ?? []
        let name = "\(subscription.id) of \(item) received \(received)"
        guard subscription.wants(item) else { return received.isEmpty ? nil : "\(name), not wanted" }
        guard let first = received.first, let last = received.last else {
            return subscription.wasThere ? "\(name) at the end" : nil
        }
        guard received == Array(first...max(first, last)) else { return "\(name), not one after the other" }
        guard let acknowledged = subscription.acknowledged, last <= records.count else { return "\(name), unknown" }
        if records[first - 1].answered < subscription.began { return "\(name), from before" }
        let missed = records.prefix(first - 1).first { $0.sent > acknowledged }
        if let missed { return "\(name), lost \(missed)" }
        return subscription.wasThere && last != records.count ? "\(name), lost the last" : nil
    }
}
