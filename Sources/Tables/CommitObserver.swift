/// Is called for commits in their order, although the results of the writes go to many executors.
public protocol CommitObserver: AnyObject, Sendable {
    /// The write changed an item and is committed. Called on the writer's thread, in commit order, once per write and
    /// before any result of its transaction is handed over. The writer waits for it: it must be short.
    ///
    /// - Parameter sequence: The write's place in the commit order, as in `WriteResult.item`.
    func committed(_ write: Write, sequence: UInt64)
}
