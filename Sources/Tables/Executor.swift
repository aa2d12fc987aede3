/// Where completions run: an event loop, a thread, a test.
public protocol Executor: AnyObject, Sendable {
    /// Runs the work later, never within this call, in the order of the calls.
    func execute(_ work: @escaping @Sendable () -> Void)
    /// Runs the work after the input that is readable at the time of the next poll.
    func executeAfterReads(_ work: @escaping @Sendable () -> Void)
}

extension Executor {
    /// An executor without input from outside has nothing more to wait for.
    public func executeAfterReads(_ work: @escaping @Sendable () -> Void) { execute(work) }
}
