import Tables

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Log lines on their way to a descriptor, in order. A thread of its own writes them, so that a stalled reader of the
/// descriptor does not block the threads that log.
///
/// The queue is bounded: lines beyond the bound are dropped and counted, and a line that says how many were lost stands in
/// their place as soon as half of the queue is free again. May be used from any thread.
final class LogQueue: Sendable {
    /// How many bytes of lines may wait, those that are being written included.
    static let bytesMax = 1 << 20
    /// How many bytes the thread takes at once, in whole lines; a longer line is taken alone.
    private static let batchBytesMax = 64 << 10
    /// How long the end of the process waits for the lines that are left.
    private static let flushSeconds = 1

    /// The one queue of standard error. Its lines are flushed when the process ends by `exit` or by the end of `main`;
    /// a crash loses those that wait.
    static let standardError: LogQueue = LogQueue(descriptor: STDERR_FILENO) { flushStandardErrorAtExit() }

    private static func flushStandardErrorAtExit() { atexit { Log.flush() } }

    private struct State {
        var lines: [String] = []
        /// The bytes of the lines that wait or are being written.
        var byteCount = 0
        /// How many lines were dropped since the last one that was kept.
        var lostCount = 0
        /// Makes the line that says how many were lost.
        var lossLine: @Sendable (Int) -> String = { _ in "" }
        var hasThread = false

        mutating func append(_ line: String) {
            lines.append(line)
            byteCount += line.utf8.count
        }

        mutating func reportLoss() {
            guard lostCount > 0 else { return }
            append(lossLine(lostCount))
            lostCount = 0
        }

        /// Takes the next lines; nil when there are none. They count until they are written.
        mutating func takeBatch() -> String? {
            if lines.isEmpty { reportLoss() }
            guard !lines.isEmpty else { return nil }
            var (count, byteCount) = (0, 0)
            repeat {
                byteCount += lines[count].utf8.count
                count += 1
            } while count < lines.count && byteCount + lines[count].utf8.count <= LogQueue.batchBytesMax
            defer { lines.removeFirst(count) }
            return lines[..<count].joined()
        }
    }

    private let descriptor: Int32
    private let willStart: @Sendable () -> Void
    private let state = Monitor(State())

    /// - Parameter willStart: Called once, before the first line is queued.
    init(descriptor: Int32, willStart: @escaping @Sendable () -> Void = {}) {
        self.descriptor = descriptor
        self.willStart = willStart
    }

    /// Queues a line, which has its line end, or drops it when the queue is full. Never waits for the reader.
    ///
    /// - Parameter lossLine: Makes the line that reports a number of lost lines.
    func write(_ line: String, lossLine: @escaping @Sendable (Int) -> String) {
        var isFirst = false
        state.update { state in
            state.lossLine = lossLine
            // After a loss half of the queue must be free first: else every other line would report one lost line.
            let bytesMax = state.lostCount > 0 ? Self.bytesMax / 2 : Self.bytesMax
            guard state.byteCount + line.utf8.count <= bytesMax else {
                state.lostCount += 1
                return false
            }
            isFirst = !state.hasThread
            state.hasThread = true
            state.reportLoss()
            state.append(line)
            return true
        }
        guard isFirst else { return }
        willStart()
        do {
            // The thread is never joined; it releases itself.
            _ = try StoreThread { [self] in
                while true { write(state.wait { $0.takeBatch() }) }
            }
        } catch {
            // The caller writes, and the next line tries again to start a thread.
            var batch: String?
            state.update { state in
                state.hasThread = false
                batch = state.takeBatch()
                return false
            }
            if let batch { write(batch) }
        }
    }

    /// Writes text after the lines that were queued, and waits for it as `flush` does.
    ///
    /// - Returns: False when no line was queued so far: then nothing is written.
    func writeLast(_ text: String) -> Bool {
        var isUsed = false
        state.update { state in
            isUsed = state.hasThread
            guard isUsed else { return false }
            // Queued even beyond the bound: it is one text, and says why the process ends.
            state.reportLoss()
            state.append(text)
            return true
        }
        if isUsed { flush() }
        return isUsed
    }

    /// Waits until all lines are written, but not longer than a second.
    func flush() {
        let end = ContinuousClock.now + .seconds(Self.flushSeconds)
        _ = state.wait(until: end) { state in state.byteCount == 0 && state.lostCount == 0 ? true : nil }
    }

    private func write(_ batch: String) {
        let bytes = Array(batch.utf8)
        // If the reader has closed the descriptor, the lines are lost.
        Files.writeAll(bytes, to: descriptor)
        state.update { state in
            state.byteCount -= bytes.count
            return true
        }
    }
}
