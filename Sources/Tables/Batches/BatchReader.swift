/// Reads in waves: what a request needs at one level is requested together and awaited. For stores that do not answer while
/// a request is being completed. Used on one event loop.
public protocol BatchReader: AnyObject {
    /// Runs the requests of a wave.
    ///
    /// - Parameters:
    ///   - deadline: When the wave fails with `timedOut`.
    ///   - completion: Called once, on the reader's loop and never within this call, with an outcome for each request in their order, or with the
    ///     error of the whole wave.
    func run(
        _ wave: [BatchRequest], deadline: ContinuousClock.Instant,
        completion: @escaping (Result<[BatchOutcome], StoreError>) -> Void)
}
