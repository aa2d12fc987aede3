internal import Synchronization

/// Threads for reads that are too long for an event loop, each with a read connection of its own and a low priority.
///
/// Reads are worked on in turns: after so many steps a read is suspended while others wait, and the next client has its
/// turn. Within one client's queue reads take turns, too. Three of four turns go to the shortest class of reads that wait
/// (`ReadLength`), the fourth to any. So a read that has a slot waits for turns of reads that are as short, and for few
/// others, however many long ones there are; and long ones go on beside any number of short ones.
///
/// A read that is suspended keeps its thread, its connection and its snapshot: its thread waits inside SQLite's progress
/// handler. What that costs is bounded: each class of reads has so many slots, and the log is bounded whatever snapshots
/// there are (`logPagesMax`).
///
/// Every read begins as a short one, and becomes medium and then long by the turns it has had (`ReadLength`). With each
/// class it needs a slot of that class. If none is free it is interrupted, and restarts from its beginning when one is.
/// So the reads that hold all slots of a class delay only reads that are as long: however many clients have a long read
/// open, a medium one of another client waits for turns, not for their ends.
///
/// Turns go round among network addresses, and those of an address among its clients. When the queue is full, a read of
/// an address with fewer queued ones takes the place of one of the address that has most.
///
/// Reads of a client that has hung up have a turn when no other read is ready, one after the other. One of them is
/// cancelled when it is more than a short one, and a queued one gives way when the queue is full.
///
/// Threads start when first needed. When this object is released, idle threads end at once; the others first finish the
/// reads that are open or wait.
public final class Workers: Sendable {
    /// A read, given the connection it may use until it returns, or why there is none.
    public typealias Work = @Sendable (Result<Reader, StoreError>) -> Outcome

    /// How a read has returned.
    public enum Outcome: Sendable {
        /// It has ended, well or not.
        case ended
        /// It failed with `repeatOnWorker`: it is to be run again, from its beginning. It needed a slot of the next class
        /// while none was free; this happens to a read twice at most, after 0.1 and after 1 s of a thread's time.
        case interrupted
    }

    private let schedule: WorkSchedule

    /// No thread starts before the first read.
    /// - Parameters:
    ///   - runningMax: Reads that are worked on at one time.
    ///   - longMax: Slots for long reads, which have begun and not ended. There are as many for medium reads, and twice as
    ///     many for short ones. A client that has `runningMax` open reads or more, of any class, may take half of the slots.
    ///   - stepsPerTurn: Steps of a turn, counted as a `Budget` counts them.
    public init(store: SQLiteStore, runningMax: Int = 2, longMax: Int = 16, stepsPerTurn: Int = 250_000) {
        schedule = WorkSchedule(
            store: store, runningMax: runningMax, longMax: max(longMax, runningMax), stepsPerTurn: stepsPerTurn)
    }

    deinit {
        schedule.close()
    }

    /// Queues a read. If no thread can be started, the work is called on the calling thread, with the error.
    /// - Returns: false when `queuedMax` reads wait to begin already; the work is not run then.
    public func run(for client: ReadClient = .unnamed, queuedMax: Int, _ work: @escaping Work) -> Bool {
        schedule.add(work, for: client, queuedMax: queuedMax)
    }

    /// Turns begun so far.
    var turnCount: Int { schedule.turnCount }
}

/// Who has the next turn. Safe to use from any thread: one lock guards all state, and threads are woken outside of it.
private final class WorkSchedule: Sendable {
    typealias Work = Workers.Work

    /// What waits for a turn: a read that has not begun, or a thread whose read is suspended.
    fileprivate enum Entry {
        case work(Work, ReadLength)
        case thread(WorkThread, ReadLength)

        var length: ReadLength {
            switch self {
            case .work(_, let length), .thread(_, let length): length
            }
        }

        /// Whether it has begun.
        var isOpen: Bool {
            if case .thread = self { true } else { false }
        }
    }

    fileprivate struct ClientQueue {
        let client: ReadClient
        var entries: [Entry] = []
        /// The client's reads that are open.
        var openCount = 0

        /// The client's reads that have not begun.
        var waitingCount: Int { entries.count { !$0.isOpen } }
    }

    fileprivate struct State {
        /// A queue is here while its client has something that waits or is open. Of those at one address the first has
        /// the next turn.
        var queues: [ClientQueue] = []
        /// The number of the last turn of each address; of addresses without reads it may be dropped.
        var lastTurns: [Int: Int] = [:]
        /// Threads without a read.
        var idle: [WorkThread] = []
        var runningCount = 0
        /// Reads that are open, by class.
        var openCounts = ReadLength.Counts()
        /// Reads that have not begun.
        var queuedCount = 0
        var turnCount = 0
        var isClosed = false
    }

    /// What is to be done outside of the lock for a turn that was given.
    private enum Turn {
        case resume(WorkThread)
        case begin(WorkThread, OpenRead)
        case start(OpenRead)
    }

    private let store: SQLiteStore
    private let runningMax: Int
    private let longMax: Int
    private let stepsPerTurn: Int
    private let state = Mutex(State())

    init(store: SQLiteStore, runningMax: Int, longMax: Int, stepsPerTurn: Int) {
        self.store = store
        self.runningMax = runningMax
        self.longMax = longMax
        self.stepsPerTurn = stepsPerTurn
    }

    var turnCount: Int { state.withLock { $0.turnCount } }

    func add(_ work: @escaping Work, for client: ReadClient, queuedMax: Int) -> Bool {
        let added: (turns: [Turn], removed: (work: Work, error: StoreError)?)? = state.withLock { state in
            var removed: (work: Work, error: StoreError)?
            if state.queuedCount >= queuedMax {
                guard !client.hasHungUp(), let found = removeForNobody(&state) ?? removeOfOthers(than: client, &state)
                else { return nil }
                removed = found
            }
            state.queuedCount += 1
            append(.work(work, .short), of: client, &state)
            return (nextTurns(&state), removed)
        }
        guard let added else { return false }
        if let (work, error) = added.removed { _ = work(.failure(error)) }
        give(added.turns)
        return true
    }

    /// Removes a read that has not begun, and whose client may be gone, from its queue.
    private func removeForNobody(_ state: inout State) -> (work: Work, error: StoreError)? {
        for index in state.queues.indices where state.queues[index].client.hasHungUp() {
            guard let place = state.queues[index].entries.firstIndex(where: { !$0.isOpen }),
                let work = removeWork(at: place, ofQueue: index, &state)
            else { continue }
            return (work, StoreError(.cancelled, "The client has hung up."))
        }
        return nil
    }

    /// Takes the newest read that has not begun out of the queues of the address that has the most of them, if the
    /// client's address has fewer by two at least.
    private func removeOfOthers(than client: ReadClient, _ state: inout State) -> (work: Work, error: StoreError)? {
        var counts: [Int: Int] = [:]
        for queue in state.queues { counts[queue.client.address, default: 0] += queue.waitingCount }
        guard let most = counts.max(by: { $0.value < $1.value }), most.value > counts[client.address, default: 0] + 1,
            let index = state.queues.indices.filter({ state.queues[$0].client.address == most.key })
                .max(by: { (state.queues[$0].waitingCount, $0) < (state.queues[$1].waitingCount, $1) }),
            let place = state.queues[index].entries.lastIndex(where: { !$0.isOpen }),
            let work = removeWork(at: place, ofQueue: index, &state)
        else { return nil }
        return (work, StoreError(.busy, "Too many reads of one address are waiting for a worker."))
    }

    private func removeWork(at place: Int, ofQueue index: Int, _ state: inout State) -> Work? {
        guard case .work(let work, _) = state.queues[index].entries[place] else { return nil }
        state.queues[index].entries.remove(at: place)
        if state.queues[index].openCount == 0, state.queues[index].entries.isEmpty { state.queues.remove(at: index) }
        state.queuedCount -= 1
        return work
    }

    /// Threads without a read end at once, the others after what is open or waits.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        for thread in idle {
            thread.orders.update {
                $0 = .end
                return true
            }
        }
    }

    // MARK: Turns

    private func append(_ entry: Entry, of client: ReadClient, _ state: inout State) {
        if let index = state.queues.firstIndex(where: { $0.client == client }) {
            state.queues[index].entries.append(entry)
        } else {
            state.queues.append(ClientQueue(client: client, entries: [entry]))
        }
    }

    /// Gives turns away while there are any.
    private func nextTurns(_ state: inout State) -> [Turn] {
        var turns: [Turn] = []
        while state.runningCount < runningMax, let turn = nextTurn(&state) {
            state.runningCount += 1
            state.turnCount += 1
            turns.append(turn)
        }
        return turns
    }

    /// One of so many turns goes to the client whose turn it is, whatever the class of its read.
    private static let turnsPerCycle = 4

    private func nextTurn(_ state: inout State) -> Turn? {
        let isForAny = state.turnCount % Self.turnsPerCycle == 0
        let hungUp = state.queues.map { $0.client.hasHungUp() }
        let connected = hungUp.indices.filter { !hungUp[$0] }
        if !isForAny {
            for length in ReadLength.allCases {
                if let turn = nextTurn(&state, in: connected, where: { $0.length == length }) { return turn }
            }
        }
        // Open reads of those that have hung up end one after the other, so that their slots become free soon.
        let others = hungUp.indices.filter { hungUp[$0] }
        return nextTurn(&state, in: connected) ?? nextTurn(&state, in: others, where: \.isOpen)
            ?? nextTurn(&state, in: others)
    }

    /// The turn of the address whose last one is longest ago, and of its clients of the first.
    /// - Parameter indices: Of the queues that are asked.
    private func nextTurn(
        _ state: inout State, in indices: [Int], where isWanted: (Entry) -> Bool = { _ in true }
    ) -> Turn? {
        var found: (index: Int, place: Int, lastTurn: Int)?
        for index in indices {
            let queue = state.queues[index]
            let lastTurn = state.lastTurns[queue.client.address] ?? -1
            if let found, lastTurn >= found.lastTurn { continue }
            guard let place = queue.entries.firstIndex(where: { isWanted($0) && isReady($0, in: queue, state) }) else {
                continue
            }
            found = (index, place, lastTurn)
            if lastTurn < 0 { break }
        }
        guard let (index, place, _) = found else { return nil }
        var queue = state.queues.remove(at: index)
        let entry = queue.entries.remove(at: place)
        noteTurn(of: queue.client.address, &state)
        let isLast = !queue.client.hasHungUp()
        defer { state.queues.insert(queue, at: isLast ? state.queues.count : 0) }
        return turn(for: entry, of: &queue, &state)
    }

    private func noteTurn(of address: Int, _ state: inout State) {
        state.lastTurns[address] = state.turnCount
        guard state.lastTurns.count > 2 * state.queues.count + 16 else { return }
        let present = Set(state.queues.map(\.client.address))
        state.lastTurns = state.lastTurns.filter { present.contains($0.key) }
    }

    private func turn(for entry: Entry, of queue: inout ClientQueue, _ state: inout State) -> Turn {
        switch entry {
        case .thread(let thread, _): return .resume(thread)
        case .work(let work, let length):
            queue.openCount += 1
            state.openCounts[length] += 1
            state.queuedCount -= 1
            let read = OpenRead(work: work, client: queue.client, length: length)
            guard let thread = state.idle.popLast() else { return .start(read) }
            return .begin(thread, read)
        }
    }

    private func isReady(_ entry: Entry, in queue: ClientQueue, _ state: State) -> Bool {
        guard case .work(_, let length) = entry else { return true }
        return hasSlot(length, openCount: queue.openCount, state)
    }

    /// Half of the slots are for clients with few open reads, so that one client with many reads leaves some.
    /// - Parameter openCount: The client's other reads that are open, of any class.
    private func hasSlot(_ length: ReadLength, openCount: Int, _ state: State) -> Bool {
        let slotCount = length == .short ? 2 * longMax : longMax
        let reservedCount = openCount < runningMax ? 0 : slotCount / 2
        return state.openCounts[length] + reservedCount < slotCount
    }

    private func give(_ turns: [Turn]) {
        for turn in turns {
            switch turn {
            case .resume(let thread):
                thread.orders.update {
                    $0 = .resume
                    return true
                }
            case .begin(let thread, let read):
                thread.orders.update {
                    $0 = .run(read)
                    return true
                }
            case .start(let read): start(read)
            }
        }
    }

    /// Ends a turn of a read, and returns when it has its next one.
    private func endTurn(of read: inout OpenRead, on thread: WorkThread) -> TurnEnd {
        read.turnCount += 1
        let next = read.turnCount >= read.length.turnsMax ? read.length.next : nil
        if read.length != .short || next != nil, read.client.hasHungUp() { return .cancel }
        if let next, !move(&read, to: next) {
            read.interruptedBefore = next
            return .interrupt
        }
        suspend(read, on: thread)
        return .resume
    }

    /// Exchanges the read's slot for one of the next class.
    /// - Returns: Whether one was free.
    private func move(_ read: inout OpenRead, to length: ReadLength) -> Bool {
        let (client, current) = (read.client, read.length)
        let isMoved = state.withLock { state in
            let openCount = state.queues.first { $0.client == client }?.openCount ?? 1
            guard hasSlot(length, openCount: openCount - 1, state) else { return false }
            state.openCounts[current] -= 1
            state.openCounts[length] += 1
            return true
        }
        if isMoved { read.length = length }
        return isMoved
    }

    /// Waits for the next turn, if another read waits for one.
    private func suspend(_ read: OpenRead, on thread: WorkThread) {
        let client = read.client
        let turns: [Turn]? = state.withLock { state in
            let isOtherReady = state.queues.contains { queue in
                queue.entries.contains { isReady($0, in: queue, state) }
            }
            guard isOtherReady else {
                state.turnCount += 1
                return nil
            }
            append(.thread(thread, read.length), of: client, &state)
            state.runningCount -= 1
            return nextTurns(&state)
        }
        guard let turns else { return }
        give(turns)
        thread.orders.wait { order -> Void? in
            guard case .resume? = order else { return nil }
            order = nil
            return ()
        }
    }

    /// Ends a read, or queues it again as one of the next class. The thread becomes idle if it is given, and ends if enough are.
    private func finish(_ read: OpenRead, _ outcome: Workers.Outcome, on thread: WorkThread?) {
        let client = read.client
        let (turns, endsThread): ([Turn], Bool) = state.withLock { state in
            state.runningCount -= 1
            state.openCounts[read.length] -= 1
            if outcome == .interrupted {
                state.queuedCount += 1
                append(.work(read.work, read.interruptedBefore ?? .long), of: client, &state)
            }
            if let index = state.queues.firstIndex(where: { $0.client == client }) {
                state.queues[index].openCount -= 1
                if state.queues[index].openCount == 0, state.queues[index].entries.isEmpty {
                    state.queues.remove(at: index)
                }
            }
            if let thread { state.idle.append(thread) }
            let turns = nextTurns(&state)
            // Enough stay for what may run at one time; this one is not needed and ends.
            guard let thread, state.isClosed || state.idle.count > runningMax,
                let index = state.idle.firstIndex(where: { $0 === thread })
            else { return (turns, false) }
            state.idle.remove(at: index)
            return (turns, true)
        }
        if endsThread, let thread {
            thread.orders.update {
                $0 = .end
                return false
            }
        }
        give(turns)
    }

    // MARK: Threads

    private func start(_ read: OpenRead) {
        do {
            _ = try StoreThread { [self] in serve(read) }
        } catch {
            finish(read, read.work(.failure(error)), on: nil)
        }
    }

    private func serve(_ first: OpenRead) {
        ThreadPriority.lower()
        let reader: Reader
        do {
            reader = try store.makeReader()
        } catch {
            return finish(first, first.work(.failure(error)), on: nil)
        }
        let thread = WorkThread()
        var next: OpenRead? = first
        while var read = next {
            reader.takeTurns(of: stepsPerTurn) { [self] in endTurn(of: &read, on: thread) }
            let outcome = read.work(.success(reader))
            finish(read, outcome, on: thread)
            next = thread.orders.wait { order -> OpenRead?? in
                defer { order = nil }
                switch order {
                case .run(let read): return .some(read)
                case .end: return .some(nil)
                case .resume, nil: return nil
                }
            }
        }
    }
}

/// The class of a read, by the turns it has had.
private enum ReadLength: CaseIterable {
    case short, medium, long

    /// Turns after which a read is of the next class: about 0.1 s of a thread's time for a short one, 1 s for a medium one.
    var turnsMax: Int {
        switch self {
        case .short: 20
        case .medium: 200
        case .long: .max
        }
    }

    var next: ReadLength? {
        switch self {
        case .short: .medium
        case .medium: .long
        case .long: nil
        }
    }

    /// A count for each class.
    struct Counts {
        private var short = 0
        private var medium = 0
        private var long = 0

        subscript(length: ReadLength) -> Int {
            get {
                switch length {
                case .short: short
                case .medium: medium
                case .long: long
                }
            }
            set {
                switch length {
                case .short: short = newValue
                case .medium: medium = newValue
                case .long: long = newValue
                }
            }
        }
    }
}

/// A read that has begun.
private struct OpenRead {
    let work: Workers.Work
    let client: ReadClient
    var length: ReadLength
    /// The turns of this attempt.
    var turnCount = 0
    /// The class that it needed a slot of and got none.
    var interruptedBefore: ReadLength?
}

/// A thread of the workers, as its schedule sees it: where it waits for what to do next.
private final class WorkThread: Sendable {
    enum Order {
        /// Go on with the read it is suspended from.
        case resume
        /// Begin a read.
        case run(OpenRead)
        case end
    }

    let orders = Monitor<Order?>(nil)
}
