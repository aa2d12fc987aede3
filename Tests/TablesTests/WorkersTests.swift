import Synchronization
import Testing

@testable import Tables

@Suite("Workers") struct WorkersTests {
    private static let stepsPerTurn = 4_000

    /// Takes this many turns' worth of steps, and a little.
    private static func read(turns: Int, _ lent: Result<Reader, StoreError>) throws {
        let reader = try lent.get()
        reader.beginRequest(budget: Budget())
        defer { reader.endTurn() }
        for _ in 0..<turns { try reader.charge(bytes: stepsPerTurn * Budget.bytesPerStep) }
    }

    /// What the reads have done so far, in their order.
    private final class Journal: Sendable {
        private let ended = Monitor<[(name: String, turns: Int)]>([])

        func note(_ name: String, _ turns: Int) {
            ended.update {
                $0.append((name, turns))
                return true
            }
        }

        func wait(count: Int) -> [(name: String, turns: Int)] {
            ended.wait { $0.count >= count ? $0 : nil }
        }
    }

    @Test("eight long reads of one client delay another client's read by turns, not by their length")
    func turns() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let workers = Workers(store: store, runningMax: 1, longMax: 16, stepsPerTurn: Self.stepsPerTurn)
        let journal = Journal()
        // The long ones are held until the other client's read has ended, however many turns that takes.
        let isOver = Atomic<Bool>(false)
        let begun = Monitor(0)
        for number in 0..<8 {
            let isQueued = workers.run(for: ReadClient(1), queuedMax: 100) { lent in
                begun.update {
                    $0 += 1
                    return true
                }
                do {
                    let reader = try lent.get()
                    reader.beginRequest(budget: .worker(deadline: .now + .seconds(60)))
                    while !isOver.load(ordering: .relaxed) { try reader.charge(bytes: 16 << 10) }
                    reader.endTurn()
                } catch {
                    if case .repeatOnWorker? = (error as? StoreError)?.code { return .interrupted }
                    Issue.record(error)
                }
                journal.note("long \(number)", workers.turnCount)
                return .ended
            }
            #expect(isQueued)
        }
        begun.wait { $0 >= 2 ? () : nil }
        let turnsBefore = workers.turnCount
        let turnsOfMedium = 10
        _ = workers.run(for: ReadClient(2), queuedMax: 100) { lent in
            do { try Self.read(turns: turnsOfMedium, lent) } catch { Issue.record(error) }
            let turns = workers.turnCount
            isOver.store(true, ordering: .relaxed)
            journal.note("medium", turns)
            return .ended
        }
        let medium = try #require(journal.wait(count: 9).first { $0.name == "medium" })
        // For each turn of the medium read there is at most one of the other client, and some at the beginning.
        #expect(medium.turns - turnsBefore <= 4 * (turnsOfMedium + 2), "\(medium.turns - turnsBefore) turns")
    }

    @Test("a read of another client begins although one client has all the slots that one may have")
    func slots() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let workers = Workers(store: store, runningMax: 2, longMax: 4, stepsPerTurn: Self.stepsPerTurn)
        let journal = Journal()
        let endless = EndlessReads()
        for _ in 0..<6 { endless.start(clients: 1..<2, workers) }
        for client in [ReadClient(2), ReadClient(3)] {
            _ = workers.run(for: client, queuedMax: 100) { lent in
                do { try Self.read(turns: 3, lent) } catch { Issue.record(error) }
                journal.note("short", 0)
                return .ended
            }
        }
        #expect(journal.wait(count: 2).count == 2)
        #expect(endless.attempts.wait { $0 }.endedCount == 0)
        endless.end()
        #expect(endless.attempts.wait { $0.endedCount == 6 ? $0 : nil }.endedCount == 6)
    }

    /// Reads that last until they are ended, each of another client.
    private final class EndlessReads: Sendable {
        struct Attempts {
            var begunCount = 0
            var interruptedShortCount = 0
            var interruptedMediumCount = 0
            /// Reads that have had the turns of a short and of a medium read.
            var longCount = 0
            var endedCount = 0
        }

        let attempts = Monitor(Attempts())
        private let isOver = Atomic<Bool>(false)

        func start(clients: Range<Int>, _ workers: Workers) {
            for client in clients {
                _ = workers.run(for: ReadClient(UInt64(client)), queuedMax: 100) { [self] lent in read(lent) }
            }
        }

        func end() {
            isOver.store(true, ordering: .relaxed)
        }

        private func read(_ lent: Result<Reader, StoreError>) -> Workers.Outcome {
            count { $0.begunCount += 1 }
            guard let reader = try? lent.get() else { return .ended }
            reader.beginRequest(budget: Budget())
            defer { reader.endTurn() }
            var stepCount = 0
            while !isOver.load(ordering: .relaxed) {
                guard (try? reader.charge(bytes: 1_000 * Budget.bytesPerStep)) != nil else {
                    let isShort = stepCount < 100 * stepsPerTurn
                    count { if isShort { $0.interruptedShortCount += 1 } else { $0.interruptedMediumCount += 1 } }
                    return .interrupted
                }
                stepCount += 1_000
                if stepCount == 201 * stepsPerTurn { count { $0.longCount += 1 } }
            }
            count { $0.endedCount += 1 }
            return .ended
        }

        private func count(_ change: (inout Attempts) -> Void) {
            attempts.update {
                change(&$0)
                return true
            }
        }
    }

    @Test(
        "a read of another client has its turns although there are more long reads than slots for them",
        arguments: [(turns: 10, class: "short"), (turns: 100, class: "medium")])
    func shorterBesideLong(read: (turns: Int, class: String)) throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let workers = Workers(store: store, runningMax: 2, longMax: 4, stepsPerTurn: Self.stepsPerTurn)
        let journal = Journal()
        let endless = EndlessReads()
        endless.start(clients: 0..<10, workers)
        // Four have the slots for long reads, and six wait for one.
        endless.attempts.wait { $0.interruptedMediumCount == 6 ? () : nil }
        for client in 10..<13 {
            _ = workers.run(for: ReadClient(UInt64(client)), queuedMax: 100) { lent in
                do { try Self.read(turns: read.turns, lent) } catch { Issue.record(error) }
                journal.note(read.class, 0)
                return .ended
            }
        }
        #expect(journal.wait(count: 3).count == 3)
        #expect(endless.attempts.wait { $0 }.endedCount == 0)
        endless.end()
        let attempts = endless.attempts.wait { $0.endedCount == 10 ? $0 : nil }
        // A read restarts once for each slot that it did not find.
        #expect(attempts.interruptedMediumCount == 6 && attempts.interruptedShortCount <= 6)
        #expect(attempts.begunCount == 16 + attempts.interruptedShortCount)
    }

    @Test("a long read has its turns beside clients that send short reads without an end")
    func longBesideShort() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let workers = Workers(store: store, runningMax: 1, longMax: 4, stepsPerTurn: Self.stepsPerTurn)
        let journal = Journal()
        let isOver = Atomic<Bool>(false)
        /// A client whose next read begins when its last has ended.
        @Sendable func readAgain(_ client: UInt64) -> Workers.Outcome {
            guard !isOver.load(ordering: .relaxed) else {
                journal.note("short", 0)
                return .ended
            }
            _ = workers.run(for: ReadClient(client), queuedMax: 100) { lent in
                do { try Self.read(turns: 2, lent) } catch { Issue.record(error) }
                return readAgain(client)
            }
            return .ended
        }
        for client: UInt64 in 1...5 { _ = readAgain(client) }
        let turnsBefore = workers.turnCount
        let turnsOfLong = 300
        _ = workers.run(for: ReadClient(6), queuedMax: 100) { lent in
            do { try Self.read(turns: turnsOfLong, lent) } catch { Issue.record(error) }
            journal.note("long", workers.turnCount)
            isOver.store(true, ordering: .relaxed)
            return .ended
        }
        let long = try #require(journal.wait(count: 6).first { $0.name == "long" })
        // Each turn of its own comes after one of each of the five others, and after four at most to be one for any class.
        #expect(long.turns - turnsBefore <= 10 * turnsOfLong, "\(long.turns - turnsBefore) turns")
    }

    @Test("a medium read beside long ones of many clients has three of four turns")
    func mediumBesideLong() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let workers = Workers(store: store, runningMax: 1, longMax: 16, stepsPerTurn: Self.stepsPerTurn)
        let journal = Journal()
        let endless = EndlessReads()
        endless.start(clients: 0..<16, workers)
        endless.attempts.wait { $0.longCount == 16 ? () : nil }
        let turnsBefore = workers.turnCount
        let turnsOfMedium = 100
        _ = workers.run(for: ReadClient(20), queuedMax: 100) { lent in
            do { try Self.read(turns: turnsOfMedium, lent) } catch { Issue.record(error) }
            journal.note("medium", workers.turnCount)
            return .ended
        }
        let medium = try #require(journal.wait(count: 1).first)
        endless.end()
        #expect(medium.turns - turnsBefore <= 2 * turnsOfMedium, "\(medium.turns - turnsBefore) turns")
    }

    @Test("a suspended read continues where it was, in its own snapshot")
    func snapshot() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let table = try store.migrate(to: [message])[0]
        for row in 0..<200 { try store.put(table, ["room", .text("\(row)"), "t"]) }
        let workers = Workers(store: store, runningMax: 1, longMax: 4, stepsPerTurn: 500)
        let journal = Journal()
        let fetch = Fetch(table, columns: [1], access: .scan)
        for name in ["a", "b", "c"] {
            _ = workers.run(for: ReadClient(UInt64(name.utf8.first ?? 0)), queuedMax: 10) { lent in
                do {
                    let reader = try lent.get()
                    reader.beginRequest(budget: Budget())
                    defer { reader.endTurn() }
                    let cursor = try reader.open(fetch, partitionKey: nil, sort: nil, after: nil, limit: 1_000)
                    defer { cursor.close() }
                    var count = 0
                    while try cursor.next() {
                        count += 1
                        try reader.charge(bytes: 4_096)
                        if count == 100 { try store.put(table, ["room", .text("new of \(name)"), "t"]) }
                    }
                    journal.note(name, count)
                } catch {
                    if case .repeatOnWorker? = (error as? StoreError)?.code { return .interrupted }
                    Issue.record(error)
                }
                return .ended
            }
        }
        for entry in journal.wait(count: 3) { #expect((200...202).contains(entry.turns), "\(entry)") }
        #expect(workers.turnCount > 20)
    }

    @Test("reads of clients that have hung up wait for those of others, and end when they are no longer short")
    func hungUp() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let workers = Workers(store: store, runningMax: 1, longMax: 4, stepsPerTurn: Self.stepsPerTurn)
        let journal = Journal()
        let hasHungUp = Atomic<Bool>(false)
        let begun = Monitor(0)
        for number in 0..<8 {
            let client = ReadClient(UInt64(number)) { number > 0 || hasHungUp.load(ordering: .relaxed) }
            _ = workers.run(for: client, queuedMax: 8) { lent in
                guard let reader = try? lent.get() else {
                    journal.note("removed", 0)
                    return .ended
                }
                begun.update {
                    $0 += 1
                    return true
                }
                reader.beginRequest(budget: Budget())
                defer { reader.endTurn() }
                do {
                    while true { try reader.charge(bytes: 16 << 10) }
                } catch {
                    journal.note((error as? StoreError)?.code == .cancelled ? "cancelled" : "\(error)", 0)
                }
                return .ended
            }
        }
        // The first has all turns.
        #expect(
            workers.run(for: ReadClient(20), queuedMax: 7) { _ in
                journal.note("short", workers.turnCount)
                return .ended
            })
        #expect(journal.wait(count: 2).map(\.name).sorted() == ["removed", "short"])
        #expect(begun.wait { $0 } == 1)
        hasHungUp.store(true, ordering: .relaxed)
        #expect(journal.wait(count: 9).map(\.name).count { $0 == "cancelled" } == 7)
    }

    @Test("a queue that is full takes no more reads")
    func full() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let workers = Workers(store: store, runningMax: 1, longMax: 1)
        let gate = Monitor(false)
        let journal = Journal()
        for name in ["a", "b"] {
            #expect(
                workers.run(queuedMax: 1) { _ in
                    gate.wait { $0 ? () : nil }
                    journal.note(name, 0)
                    return .ended
                })
        }
        #expect(!workers.run(queuedMax: 1) { _ in .ended })
        gate.update {
            $0 = true
            return true
        }
        #expect(journal.wait(count: 2).map(\.name) == ["a", "b"])
    }

    @Test("addresses take turns, and on a full queue one with fewer reads takes a place of the one with most")
    func addresses() throws {
        let folder = TemporaryFolder()
        let store = try SQLiteStore.open(folder)
        defer { store.close() }
        let workers = Workers(store: store, runningMax: 1, longMax: 1)
        let gate = Monitor(false)
        let journal = Journal()
        let begun = Monitor(false)
        func add(_ name: String, client: UInt64, address: Int) -> Bool {
            workers.run(for: ReadClient(client, address: address), queuedMax: 4) { lent in
                guard (try? lent.get()) != nil else {
                    journal.note("\(name) refused", 0)
                    return .ended
                }
                begun.update {
                    $0 = true
                    return true
                }
                gate.wait { $0 ? () : nil }
                journal.note(name, 0)
                return .ended
            }
        }
        #expect(add("first", client: 1, address: 1))
        begun.wait { $0 ? () : nil }
        for client in 2...5 { #expect(add("\(client)", client: UInt64(client), address: 1)) }
        #expect(!add("one more", client: 6, address: 1), "its own address has the most")
        #expect(add("other", client: 7, address: 2))
        #expect(journal.wait(count: 1).map(\.name) == ["5 refused"], "the newest")
        gate.update {
            $0 = true
            return true
        }
        #expect(journal.wait(count: 6).map(\.name) == ["5 refused", "first", "other", "2", "3", "4"])
    }
}
