/// Reads in waves: what a request needs at one level is asked for together and awaited. For stores that do not answer while
/// a request is being completed. Used on one event loop.
public protocol BatchReader: AnyObject {
    /// Runs the requests of a wave.
    ///
    /// - Parameters:
    ///   - deadline: When the wave fails with `timedOut`.
    ///   - completion: Called once, on the reader's loop, with an outcome for each request in their order, or with the
    ///     error of the whole wave.
    func run(
        _ wave: [BatchRequest], deadline: ContinuousClock.Instant,
        completion: @escaping (Result<[BatchOutcome], StoreError>) -> Void)
}

/// One request of a wave.
public enum BatchRequest: Sendable {
    /// Rows by their keys.
    case fetch(BatchFetch)
    /// The begin of a sync of a versioned table; later waves find all that it must not miss.
    case beginSync(StoredTable)
    /// The delta horizon of a versioned table.
    case deltaHorizon(StoredTable)
}

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
