/// What became of a write that was carried out without error.
public enum WriteResult: Sendable, Hashable {
    /// The item, in the order of `Write.returning`: after a put or an update as it is, after a delete as it was; of a
    /// versioned table always as it is, after a delete the tombstone.
    /// `sequence` is the write's place in the store's one commit order, counted from 1 since the store was opened.
    case item(Item, sequence: UInt64)
    /// The item exists (put), does not exist (update, delete), or does not meet the condition. Nothing was changed.
    /// Of a versioned table `current` is the stored item, tombstones included, in the order of `Write.returning`.
    case conditionFailed(current: Item? = nil)
    /// The rules of `Write.writeGuard` refuse the write, whatever the caller's condition. Nothing was changed.
    case notPermitted(WriteGuard.Refusal)
    /// The stored item has this version, and the write expected another. Nothing was changed. `current` is the item, in
    /// the order of `Write.returning`. Only versioned tables know it, and a put never meets it.
    case conflict(current: Item, version: Int64)
}
