import NIOCore
import Synchronization

/// One of the server's event loops: one thread that serves its share of the connections.
///
/// Everything a request does at first happens on it. Work given to `execute` while the loop reads its sockets runs
/// after all that were readable have been read, which makes it the end of the loop's turn.
///
/// `@unchecked Sendable`: what is not immutable or atomic is `private` or named below as the loop's own, and is touched
/// on the loop's thread only. Connections live on one loop for their whole life, and `Reply` hops before it calls them.
public final class EventLoop: @unchecked Sendable {
    /// The place in `HTTPServer.loops`, from 0: an index for what the layers above keep per loop.
    public let index: Int

    let nio: any NIOCore.EventLoop
    private let isStopped = Atomic(false)
    private let afterReads: AfterReads

    // The loop's own.
    private var connections: [Connection] = []
    private var unflushed: [Connection] = []
    /// WebSockets that have something to send; from `nextSocket` on they have not sent it yet.
    private var unflushedSockets: [Connection] = []
    private var nextSocket = 0
    private var spareBuffer = ByteBuffer()
    private var random: FastRandom
    private var currentDate = HTTPDate.now()
    private(set) lazy var deflater = Deflater()
    /// Seconds of a clock that never goes back, looked at once a second.
    private(set) var seconds = EventLoop.clockSeconds()
    private var ticking: RepeatedTask?

    init(index: Int, nio: any NIOCore.EventLoop) {
        self.index = index
        self.nio = nio
        afterReads = AfterReads(nio: nio)
        random = FastRandom(seed: .random(in: .min ... .max))
    }

    /// Whether the caller runs on this loop.
    public var isCurrent: Bool { nio.inEventLoop }

    /// Nanoseconds of a clock that never goes back, to measure how long something took. From any thread.
    public static var uptimeNanoseconds: Int64 { Int64(clamping: NIODeadline.now().uptimeNanoseconds) }

    /// Runs `work` on the loop, after what it does now. From any thread; dropped once the server has shut down.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        guard !isStopped.load(ordering: .acquiring) else { return }
        nio.execute(work)
    }

    /// Runs `work` on the loop when the sockets have been read that are readable by then: what has a long list to go
    /// through lets requests be served in between. From any thread; dropped once the server has shut down.
    public func executeAfterReads(_ work: @escaping @Sendable () -> Void) {
        guard !isStopped.load(ordering: .acquiring) else { return }
        afterReads.add(work)
    }

    /// Runs `work` on the loop after a while, unless it is cancelled before. From any thread.
    @discardableResult
    public func schedule(afterMilliseconds milliseconds: Int, _ work: @escaping @Sendable () -> Void) -> ScheduledTimer
    {
        guard !isStopped.load(ordering: .acquiring) else { return ScheduledTimer(task: nil) }
        return ScheduledTimer(task: nio.scheduleTask(in: .milliseconds(Int64(milliseconds)), work))
    }

    /// The line of the field Date of answers.
    var date: [UInt8] { currentDate.line }

    /// The Date of answers from now on, in seconds since 1970, for an answer that speaks of a moment, such as the one at which
    /// something was changed: if that is later than the Date, which is made once a second, the Date is made anew. On the loop only.
    ///
    /// - Returns: The Date. It is earlier than the moment only where that is still to come.
    public func dateSeconds(notBefore moment: Int64) -> Int64 {
        if moment > currentDate.secondsSince1970 { currentDate = HTTPDate.now() }
        return Int64(currentDate.secondsSince1970)
    }

    /// A new identifier for a request. On the loop only.
    public func makeRequestID() -> RequestID {
        precondition(isCurrent, "a loop's generator belongs to its thread")
        return RequestID(randomBits: random.next(), random.next())
    }
}

// MARK: - Connections, on the loop

extension EventLoop {
    func add(_ connection: Connection) {
        connection.place = connections.count
        connections.append(connection)
    }

    /// The last connection moves into the gap.
    func remove(_ connection: Connection) {
        let place = connection.place
        guard place < connections.count, connections[place] === connection else { return }
        let last = connections.removeLast()
        guard last !== connection else { return }
        last.place = place
        connections[place] = last
    }

    /// Has `connection` flushed at the end of this turn, once for all answers it is given until then.
    func flushLater(_ connection: Connection) {
        unflushed.append(connection)
        guard unflushed.count == 1 else { return }
        nio.execute { [self] in
            let due = unflushed
            unflushed.removeAll(keepingCapacity: true)
            for connection in due { connection.endTurn() }
        }
    }

    /// Has a WebSocket flushed at the end of this turn, or in one of the next when many have something to send.
    func flushLater(socket connection: Connection) {
        unflushedSockets.append(connection)
        guard unflushedSockets.count == 1 else { return }
        nio.execute { [self] in flushSockets() }
    }

    /// Thousands of sockets may be sent something at once, as at a reload, and a write to each takes microseconds: requests
    /// that come meanwhile are served in between.
    private func flushSockets() {
        let due = unflushedSockets
        let end = min(nextSocket + Self.socketsPerTurnMax, due.count)
        for connection in due[nextSocket..<end] { connection.endTurn() }
        nextSocket = end
        guard nextSocket < unflushedSockets.count else {
            unflushedSockets.removeAll(keepingCapacity: nextSocket <= Self.socketsPerTurnMax)
            nextSocket = 0
            return
        }
        executeAfterReads { [self] in flushSockets() }
    }

    /// WebSockets that are flushed before others' requests have a turn: under a millisecond's worth of writes.
    private static let socketsPerTurnMax = 64

    /// Once a second: the clock, the date, and every connection's timeouts.
    func startTicking() {
        ticking = nio.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [self] _ in
            seconds = EventLoop.clockSeconds()
            currentDate = HTTPDate.now()
            forEachConnection { $0.tick() }
        }
    }

    /// Asks every connection to end in good order; pending answers are still sent.
    func drain() { forEachConnection { $0.drain() } }

    func closeAll() { forEachConnection { $0.close() } }

    /// The connections that keep bytes of one direction.
    func reliefCandidates(_ direction: ByteBudget.Direction) -> [ReliefCandidate] {
        connections.compactMap { $0.reliefCandidate(direction) }
    }

    /// Resumes the connections that stopped reading because a byte budget was exceeded.
    func resumePaused() { forEachConnection { if $0.isPaused { $0.endTurn() } } }

    func stop() {
        isStopped.store(true, ordering: .releasing)
        afterReads.close()
        ticking?.cancel()
        ticking = nil
    }

    /// From the last to the first: one that ends meanwhile leaves its place to one that had its turn.
    private func forEachConnection(_ body: (Connection) -> Void) {
        for place in connections.indices.reversed() where place < connections.count { body(connections[place]) }
    }

    private static func clockSeconds() -> Int { Int(NIODeadline.now().uptimeNanoseconds / 1_000_000_000) }
}

// MARK: - Buffers, on the loop

extension EventLoop {
    /// An empty buffer. Connections fill one after the other, so one buffer in a warm cache serves nearly all.
    func takeBuffer() -> ByteBuffer {
        var taken = ByteBuffer()
        swap(&taken, &spareBuffer)
        return taken.capacity > 0 ? taken : ByteBufferAllocator().buffer(capacity: 4096)
    }

    /// An empty buffer for a WebSocket that is written later than others are filled: as large as a message or two, because
    /// what many of them take of the cache is most of what they cost.
    func makeSocketBuffer() -> ByteBuffer { ByteBufferAllocator().buffer(capacity: 512) }

    /// Takes a buffer back whose bytes have been written, unless the socket still holds it or it has grown large.
    func giveBack(_ buffer: inout ByteBuffer) {
        var returned = ByteBuffer()
        swap(&returned, &buffer)
        guard (4096...64 * 1024).contains(returned.capacity), returned.modifyIfUniquelyOwned({ $0.clear() }) != nil
        else { return }
        spareBuffer = returned
    }
}
