/// What became of a request.
public enum BatchOutcome: Sendable {
    /// The rows of a fetch.
    case rows(ItemBatch)
    /// The begin of a sync.
    case syncStart(SyncStart)
    /// A delta horizon.
    case deltaHorizon(Int64)
    /// The request cannot be carried out as it was made (`invalidRequest`); the others of its wave are.
    case refused(StoreError)
}
