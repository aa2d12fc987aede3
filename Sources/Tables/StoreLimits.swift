/// The bounds of a store; what passes one is refused or waits, and nothing grows without end.
public struct StoreLimits: Sendable, Hashable {
    /// Writes waiting for the writer, in all; the next one is refused with `busy`.
    public var writeQueueCountMax = 10_000
    /// Bytes of the values of the writes waiting for the writer; the next one is refused with `busy`.
    public var writeQueueBytesMax = 64 << 20
    /// Writes in one transaction.
    public var batchCountMax = 512
    /// Bytes of the values in one transaction, after which no further write joins it.
    public var batchBytesMax = 8 << 20
    /// Largest item that is written, in bytes as DynamoDB counts them (DynamoDB: 400 KB). Larger ones that are stored can
    /// be read and deleted.
    public var itemBytesMax = 400 << 10
    /// Bytes of the stored item that the condition of one write may look at, an attribute as often as it is tested; the
    /// writer, which all writes wait for, takes some milliseconds for so many.
    public var conditionBytesMax = 4 << 20
    /// Prepared statements kept per connection.
    public var statementsPerConnectionMax = 512
    /// Pages in the write-ahead log past which it is copied into the database, beside the writer. At four times as many
    /// the writer waits for that between two transactions, so that it cannot outrun the copying.
    public var checkpointPages = 4_000
    /// Pages in the write-ahead log at which no write begins before the log was emptied. It grows this far only while
    /// reads one after another hold old snapshots; it is emptied when each of them has ended once.
    public var logPagesMax = 262_144
    /// Bytes of the database file that a connection maps into memory; 0 for none.
    public var mmapBytes = 1 << 30
    /// Bytes of the page cache per connection.
    public var pageCacheBytes = 16 << 20
    /// Milliseconds to wait for a lock that another process holds.
    public var busyMilliseconds: Int32 = 5_000
    /// Steps of SQLite's virtual machine between two looks at a read's budget.
    public var stepsPerLook: Int32 = 1_000

    /// The bounds that fit a small server.
    public init() {}
}
