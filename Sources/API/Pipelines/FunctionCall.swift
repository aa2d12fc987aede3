/// Invokes a function of the project. The completion is called once, on any thread.
public typealias FunctionInvoker =
    @Sendable (_ call: FunctionCall, _ completion: @escaping @Sendable (FunctionResult) -> Void) -> Void

/// One invocation of a function by a pipeline (reference: resolvers, "The event").
public struct FunctionCall: Sendable {
    /// The name of the function.
    public let name: String
    /// The region of `@function(region:)`; nil where it names none.
    public let region: String?
    /// The account of `@function(accountId:)`; nil where it names none.
    public let accountId: String?
    /// The event, as JSON.
    public let event: [UInt8]
    /// The end of the request's time. The function's own limit may be reached before.
    public let deadline: ContinuousClock.Instant
}
