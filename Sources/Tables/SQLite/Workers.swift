internal import Synchronization

/// Threads for reads that are too long for an event loop, each with a read connection of its own and a low priority.
///
/// Reads are worked on in turns: after so many steps a read is suspended while others wait, and the next client has its
/// turn. Within one client's queue reads take turns, too. So a short read waits for at most a turn of each client, however
/// many long ones there are.
///
/// A read that is suspended keeps its thread, its connection and its snapshot: its thread waits inside SQLite's progress
/// handler. What that costs is bounded: so many long reads are open at one time, each for as long as its deadline allows,
/// and the log is bounded whatever snapshots there are (`logPagesMax`).
///
/// Every read begins as a short one. For these there are more places, since a read is short for `shortTurnsMax` turns at
/// most. Then it needs a place among the long ones. If none is free it ends, and begins anew when one is, so that long
/// reads in all the places do not keep a short one from beginning.
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
        /// It failed with `movedOff`: it is to be run again, from its beginning. It was short and has become long while
        /// there was no place for it; this happens to a read once at most.
        case interrupted
    }

    private let schedule: WorkSchedule

    /// No thread starts before the first read.
    /// - Parameters:
    ///   - runningMax: Reads that are worked on at one time.
    ///   - longMax: Long reads that have begun and not ended, at one time. A client that has `runningMax` open
    ///     reads or more, short ones included, may take half of the places. There are three times as many places for short reads.
    ///   - stepsPerTurn: Steps of a turn, counted as a `Budget` counts them.
    public init(store: SQLiteStore, runningMax: Int = 2, longMax: Int = 16, stepsPerTurn: Int = 250_000) {
        schedule = WorkSchedule(
            store: store, runningMax: runningMax, longMax: max(longMax, runningMax), stepsPerTurn: stepsPerTurn)
    }

    deinit {
        schedule.close()
    }

    /// Runs a read in turns with others; on this thread, without a connection, when no thread can be had.
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
        case thread(WorkThread)
    }

    fileprivate struct ClientQueue {
        let client: ReadClient
        var entries: [Entry] = []
        /// The client's reads that are open.
        var openCount = 0
    }

    fileprivate struct State {
        /// The first one has the next turn. A queue is here while its client has something that waits or is open.
        var queues: [ClientQueue] = []
        /// Threads without a read.
        var idle: [WorkThread] = []
        var runningCount = 0
        /// Reads that are open.
        var shortCount = 0
        var longCount = 0
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

    /// Turns after which a read is long: about 0.1 s of a thread's time.
    private static let shortTurnsMax = 20

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
        let turns: [Turn]? = state.withLock { state in
            guard state.queuedCount < queuedMax else { return nil }
            state.queuedCount += 1
            append(.work(work, .short), of: client, &state)
            return nextTurns(&state)
        }
        guard let turns else { return false }
        give(turns)
        return true
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

    private func nextTurn(_ state: inout State) -> Turn? {
        for index in state.queues.indices {
            var queue = state.queues[index]
            guard let place = queue.entries.firstIndex(where: { isReady($0, in: queue, state) }) else { continue }
            let entry = queue.entries.remove(at: place)
            state.queues.remove(at: index)
            defer { state.queues.append(queue) }
            switch entry {
            case .thread(let thread): return .resume(thread)
            case .work(let work, let length):
                queue.openCount += 1
                state[length] += 1
                state.queuedCount -= 1
                let read = OpenRead(work: work, client: queue.client, length: length)
                guard let thread = state.idle.popLast() else { return .start(read) }
                return .begin(thread, read)
            }
        }
        return nil
    }

    private func isReady(_ entry: Entry, in queue: ClientQueue, _ state: State) -> Bool {
        guard case .work(_, let length) = entry else { return true }
        return hasPlace(length, openCount: queue.openCount, state)
    }

    /// Half of the places are for clients with few open reads, so that one client with many reads leaves some.
    /// - Parameter openCount: The client's other reads that are open, short and long.
    private func hasPlace(_ length: ReadLength, openCount: Int, _ state: State) -> Bool {
        let countMax = length == .short ? 3 * longMax : longMax
        let placesOfOthers = openCount < runningMax ? 0 : countMax / 2
        return state[length] + placesOfOthers < countMax
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
    /// - Returns: False when the read has become long and has no place: it is to fail, and begins anew later.
    private func endTurn(of read: inout OpenRead, on thread: WorkThread) -> Bool {
        read.turnCount += 1
        if read.length == .short, read.turnCount >= Self.shortTurnsMax {
            guard becomeLong(&read) else { return false }
        }
        suspend(read, on: thread)
        return true
    }

    /// Takes a place among the long reads; false when there is none.
    private func becomeLong(_ read: inout OpenRead) -> Bool {
        let client = read.client
        let isPlaced = state.withLock { state in
            let openCount = state.queues.first { $0.client == client }?.openCount ?? 1
            guard hasPlace(.long, openCount: openCount - 1, state) else { return false }
            state.shortCount -= 1
            state.longCount += 1
            return true
        }
        if isPlaced { read.length = .long }
        return isPlaced
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
            append(.thread(thread), of: client, &state)
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

    /// Ends a read, or puts it back as a long one. The thread becomes idle if it is given, and ends if enough are.
    private func finish(_ read: OpenRead, _ outcome: Workers.Outcome, on thread: WorkThread?) {
        let client = read.client
        let (turns, endsThread): ([Turn], Bool) = state.withLock { state in
            state.runningCount -= 1
            state[read.length] -= 1
            if outcome == .interrupted {
                state.queuedCount += 1
                append(.work(read.work, .long), of: client, &state)
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

/// Which places a read takes.
private enum ReadLength {
    case short, long
}

extension WorkSchedule.State {
    /// The open reads of a length.
    fileprivate subscript(length: ReadLength) -> Int {
        get { length == .short ? shortCount : longCount }
        set { if length == .short { shortCount = newValue } else { longCount = newValue } }
    }
}

/// A read that has begun.
private struct OpenRead {
    let work: Workers.Work
    let client: ReadClient
    var length: ReadLength
    var turnCount = 0
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
