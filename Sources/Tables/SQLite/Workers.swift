/// Threads for reads that are too long for an event loop, each with a read connection of its own and a low priority.
///
/// They start when first needed and end with this object, after the reads they are at. Reads wait in order; how many
/// may wait is the caller's bound.
public final class Workers: Sendable {
    /// A read, given the connection it may use until it returns, or why there is none.
    public typealias Work = @Sendable (Result<Reader, StoreError>) -> Void

    private struct Queue {
        var waiting: [Work] = []
        var idleCount = 0
        var threadCount = 0
        var isClosed = false
    }

    private let store: SQLiteStore
    private let threadCountMax: Int
    private let queue = Monitor(Queue())

    /// No thread starts before the first read.
    public init(store: SQLiteStore, threadCountMax: Int = 2) {
        self.store = store
        self.threadCountMax = threadCountMax
    }

    deinit {
        queue.update { queue in
            queue.isClosed = true
            return true
        }
    }

    /// Runs a read on the next free thread; on this one, without a connection, when no thread can be had.
    /// - Returns: false when `queuedMax` reads wait already; the work is not run then.
    public func run(queuedMax: Int, _ work: @escaping Work) -> Bool {
        var isQueued = false
        var needsThread = false
        queue.update { queue in
            guard queue.waiting.count < queuedMax else { return false }
            queue.waiting.append(work)
            isQueued = true
            needsThread = queue.idleCount < queue.waiting.count && queue.threadCount < threadCountMax
            if needsThread { queue.threadCount += 1 }
            return true
        }
        if needsThread { start() }
        return isQueued
    }

    private func start() {
        let (store, queue) = (store, queue)
        do {
            _ = try StoreThread { Self.serve(queue, store) }
        } catch {
            for work in Self.withdraw(from: queue) { work(.failure(error)) }
        }
    }

    private static func serve(_ queue: Monitor<Queue>, _ store: SQLiteStore) {
        ThreadPriority.lower()
        let reader: Reader
        do {
            reader = try store.makeReader()
        } catch {
            for work in withdraw(from: queue) { work(.failure(error)) }
            return
        }
        while let work = next(from: queue) { work(.success(reader)) }
    }

    private static func next(from queue: Monitor<Queue>) -> Work? {
        queue.update { queue in
            queue.idleCount += 1
            return false
        }
        return queue.wait { queue -> Work?? in
            guard !queue.waiting.isEmpty || queue.isClosed else { return nil }
            queue.idleCount -= 1
            return .some(queue.waiting.isEmpty ? nil : queue.waiting.removeFirst())
        }
    }

    /// A thread without a connection ends, or could not be started, and takes all that waits with it: it might wait for
    /// nobody.
    private static func withdraw(from queue: Monitor<Queue>) -> [Work] {
        var withdrawn: [Work] = []
        queue.update { queue in
            queue.threadCount -= 1
            swap(&withdrawn, &queue.waiting)
            return false
        }
        return withdrawn
    }
}
