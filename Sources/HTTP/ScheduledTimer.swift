import NIOCore

/// Work that waits for its time on a loop.
public struct ScheduledTimer: Sendable {
    let task: Scheduled<Void>?

    /// Drops the work, if it has not begun.
    public func cancel() { task?.cancel() }
}
