/// What one request may cost a reader: it is looked at every thousand steps of SQLite's virtual machine, and every 16 KiB
/// that are searched or written.
public struct Budget: Sendable {
    /// Steps after which the request fails with `repeatOnWorker`; nil for no bound.
    public var stepsMax: Int?
    /// Nanoseconds of the thread's time, from the first look on, after which a request with bounded steps fails with
    /// `repeatOnWorker` though its steps are fewer; nil for no bound.
    public var threadNanosecondsMax: Int?
    /// The moment after which it fails with `timedOut`; nil for none.
    public var deadline: ContinuousClock.Instant?
    /// What another thread calls to make it fail with `cancelled`; nil for nothing.
    public var cancellation: Cancellation?

    /// Bytes that are searched or written in the time of a step, roughly 20 nanoseconds: they count as one.
    public static let bytesPerStep = 16
    /// Bytes between two looks at the budget.
    static let bytesPerLook = 16 << 10

    /// A budget without bounds.
    public init() {}

    /// A budget for an event loop: bounded in steps and in the thread's time, since others wait.
    public static func loop(
        steps: Int, threadNanoseconds: Int? = nil, cancellation: Cancellation? = nil
    ) -> Budget {
        var budget = Budget()
        (budget.stepsMax, budget.cancellation) = (steps, cancellation)
        budget.threadNanosecondsMax = threadNanoseconds
        return budget
    }

    /// A budget for a worker: bounded in time.
    public static func worker(deadline: ContinuousClock.Instant, cancellation: Cancellation? = nil) -> Budget {
        var budget = Budget()
        (budget.deadline, budget.cancellation) = (deadline, cancellation)
        return budget
    }
}
