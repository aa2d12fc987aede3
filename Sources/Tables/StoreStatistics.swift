/// Counters of a store since it was opened.
public struct StoreStatistics: Sendable, Hashable {
    /// Transactions committed.
    public var commits: UInt64
    /// Writes carried out, which is the sequence of the last one.
    public var writes: UInt64
    /// Writes waiting or at work.
    public var queueCount: Int
    /// Pages in the write-ahead log after the last commit.
    public var logPages: Int
    /// Checkpoints run.
    public var checkpoints: UInt64
}
