import Foundation
import GraphQL
import JSON
import Synchronization
import Tables
import Transformer

@testable import API

/// Devices that go on and off line over one server, by a schedule that is the seed's.
///
/// Every item that a client receives, in an answer, an error, a page or an event, is held against the `ReferenceServer`'s
/// version of that number. What the writer's thread has committed when a sync reads is not the seed's, and must not
/// matter.
final class Simulation {
    static let schema = """
        type Note @model { id: ID! title: String body: String shelf: String tags: [String] createdAt: AWSDateTime }
        """

    struct Counts {
        var mutations = 0
        var conflicts = 0
        var lostReplies = 0
        var events = 0
        var baseSyncs = 0
        var deltaSyncs = 0
        var cuts = 0
        var comebacks = 0
        var restores = 0

        static func += (left: inout Counts, right: Counts) {
            left.mutations += right.mutations
            left.conflicts += right.conflicts
            left.lostReplies += right.lostReplies
            left.events += right.events
            left.baseSyncs += right.baseSyncs
            left.deltaSyncs += right.deltaSyncs
            left.cuts += right.cuts
            left.comebacks += right.comebacks
            left.restores += right.restores
        }
    }

    var service: Service
    let clock: TestClock
    var reference: ReferenceServer
    /// Whether this run has a restore in any case.
    private let isRestored: Bool
    var random: SeededGenerator
    var links: [Link] = []
    var lastStamp: Int64 = 0
    var consoleCount = 0
    var counts = Counts()
    /// The latest backup, and what the reference had then.
    var backup: (file: String, rows: [String: ReferenceServer.Row])?
    /// The latest `startedAt`; a server that was restored does not know which of those before it were given out.
    var lastStart: Int64 = 0
    var lastStartBeforeRestore: Int64 = 0

    /// A device, and what the network has for it.
    final class Link {
        let device: SimulatedDevice
        var subscribers: [TestSubscriber] = []
        /// Events on their way to the device, in the order they were sent.
        var inbox: [(kind: ReferenceServer.Kind, payload: String)] = []
        /// The mutations that it follows, in the order in which it begins to.
        var fields = [ReferenceServer.Kind.create, .update, .delete]
        var subscriptionIDs: [ReferenceServer.Kind: String] = [:]
        /// When the connection was cut, and whether it was past its sync.
        var cutAt: Int64 = 0
        var wasOnline = false
        /// The version of each item that its next event must have; changes before the subscription are not received.
        var nextVersions: [String: Int64] = [:]

        init(_ device: SimulatedDevice) { self.device = device }
    }

    init(_ handler: ConflictHandler, seed: UInt64) throws {
        let clock = TestClock(DataStoreStage.start)
        self.clock = clock
        random = SeededGenerator(seed: seed)
        isRestored = seed.isMultiple(of: 8)
        reference = ReferenceServer(handler)
        service = try Self.serve(handler, clock)
        for index in 0..<Int.random(in: 2...5, using: &random) { links.append(Link(device(index))) }
    }

    deinit {
        if let backup { try? FileManager.default.removeItem(atPath: backup.file) }
    }

    /// A server over the data of a folder, or over a new one.
    static func serve(_ handler: ConflictHandler, _ clock: TestClock, folder: String? = nil) throws -> Service {
        try Service(
            Self.schema,
            transform: TransformOptions(
                transformerVersion: .v2, conflictDetection: .version, conflictHandler: handler),
            home: Service.Home(
                folder: folder, clock: WallClock { clock.milliseconds },
                resolveConflict: { call, completion in
                    let answer = ConflictRule.answer((try? JSONReader.read(call.event)) ?? .null)
                    completion(answer.map(ConflictAnswer.answered) ?? .failed)
                }))
    }

    func device(_ index: Int) -> SimulatedDevice {
        let engine = Engine.allCases.randomElement(using: &random) ?? .swift
        return SimulatedDevice(
            name: ["p", "q", "r", "s", "t"][index], engine: engine,
            resolution: Bool.random(using: &random) ? .applyRemote : .retryLocal,
            shelf: chance(3) ? SimulatedDevice.shelves.randomElement(using: &random) : nil,
            // The server allows for clocks up to five minutes ahead, less what a sync takes.
            skewMilliseconds: engine == .android ? Int64.random(in: -600_000...180_000, using: &random) : 0,
            pageLimit: Int.random(in: 1...6, using: &random))
    }

    /// True once in so many times.
    func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    // MARK: - The schedule

    func run() throws {
        for _ in 0..<Int.random(in: 30...160, using: &random) { try step() }
        // Chance alone leaves some forty runs without a restore.
        while isRestored, counts.restores == 0 { try backUpOrRestore() }
        try settle()
        try compare()
    }

    func step() throws {
        guard let link = links.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: link.device.edit(&random)
        case 6..<10: try advance(link)
        case 10..<13: try exchange(with: link)
        case 13..<15: try take(Int.random(in: 1...4, using: &random), from: link)
        case 15: cut(link)
        case 16: try console()
        case 17: try together()
        case 18: passTime()
        case 19 where chance(4): try backUpOrRestore()
        default: for link in links where !chance(3) { try advance(link) }
        }
    }

    /// What a device does next by itself.
    func advance(_ link: Link) throws {
        switch link.device.connection {
        case .offline:
            // The server makes up for five minutes.
            let absence = clock.milliseconds - link.cutAt
            let isRecent = link.wasOnline && absence >= 0 && absence < 3 * DataStoreStage.minute
            if link.device.engine != .android, isRecent, chance(2) { try comeBack(link) } else { try connect(link) }
        case .syncing: try page(link, besides: [])
        case .online:
            try take(link.inbox.count, from: link)
            try exchange(with: link)
        }
    }

    func passTime() {
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            // The wall clock is set back.
            clock.advance(-Int64.random(in: 1...5_000, using: &random))
        case 1, 2:
            // Long: a device that is syncing loses the connection. (A device that returns its own clock counts on a sync
            // that is short.)
            for link in links where !link.device.isOnline { cut(link) }
            let days = chance(4) ? 3 : 1
            clock.advance(Int64.random(in: 1...Int64(days) * SyncMemory.dayMilliseconds / 2, using: &random))
        case 3...6: clock.advance(Int64.random(in: 1...3_000, using: &random))
        default: clock.advance(Int64.random(in: 0...900, using: &random))
        }
    }

    func cut(_ link: Link) {
        guard link.device.connection != .offline else { return }
        counts.cuts += 1
        for subscriber in link.subscribers { service.cancel(subscriber) }
        (link.subscribers, link.inbox) = ([], [])
        (link.wasOnline, link.cutAt) = (link.device.isOnline, clock.milliseconds)
        link.device.connection = .offline
    }

    /// Makes the first backup, or another one; or puts the data back to it, with the server stopped meanwhile.
    func backUpOrRestore() throws {
        let home = service.home
        guard let backup, !chance(3) else {
            let file = home.folder + ".backup"
            try SQLiteStore.backUp(folder: home.folder, to: file)
            return backup = (file, reference.history.compactMapValues(\.last))
        }
        for link in links {
            cut(link)
            // amplify-swift only subscribes again when it comes back soon, and nobody has kept the events for it.
            link.wasOnline = false
        }
        home.keepsFolder = true
        let handler = reference.handler
        // The folder is unlocked when the last that belongs to the server has gone.
        service = try Self.serve(handler, clock)
        home.store.close()
        let versions = try Restoration(
            of: backup.file, toFolder: home.folder, clock: WallClock { [clock] in clock.milliseconds }
        ).complete()
        guard versions?.isComplete == true else {
            throw TestFailure("restored without the versions: \(versions as Any)")
        }
        reference.restore(backup.rows)
        lastStartBeforeRestore = lastStart
        service = try Self.serve(handler, clock, folder: home.folder)
        counts.restores += 1
    }

    /// Everyone comes on line, and stays until nothing is left to do.
    func settle() throws {
        for _ in 0..<10_000 {
            var isQuiet = true
            for link in links {
                let device = link.device
                if device.connection == .offline { try connect(link) }
                while !device.isOnline { try page(link, besides: []) }
                isQuiet = isQuiet && link.inbox.isEmpty && device.outbox.isEmpty
                try take(link.inbox.count, from: link)
                guard let request = device.send() else { continue }
                try receive(try send([(link, request)], and: [])[0], on: device)
            }
            if isQuiet { return }
        }
        throw TestFailure("the devices do not come to rest")
    }
}
