/// Where completions run: an event loop, a thread, a test.
public protocol Executor: AnyObject, Sendable {
    /// Runs the work later, in the order of the calls, elsewhere than on the calling thread.
    func execute(_ work: @escaping @Sendable () -> Void)
    /// The same, but behind all that has come to the executor from outside by then.
    func executeAfterReads(_ work: @escaping @Sendable () -> Void)
}

extension Executor {
    /// Who hears of nothing from outside has no more to wait for.
    public func executeAfterReads(_ work: @escaping @Sendable () -> Void) { execute(work) }
}
