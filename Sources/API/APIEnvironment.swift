/// What the API may not make itself: time, identifiers, and seals. The server gives the real ones, a test gives its own.
public struct APIEnvironment: Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var nowMilliseconds: @Sendable () -> Int64
    /// A random version 4 UUID in lower case.
    public var makeUUID: @Sendable () -> String
    /// Encrypts and authenticates `plain`; `binding` is authenticated with it, so a token opens only where it was made.
    public var seal: @Sendable (_ plain: [UInt8], _ binding: [UInt8]) -> String
    /// The plain bytes, or nil when the token is foreign, altered, or bound to something else.
    public var open: @Sendable (_ token: String, _ binding: [UInt8]) -> [UInt8]?
    /// Called with what an operator should know; on any thread. Each notice comes once per API.
    public var notice: @Sendable (Notice) -> Void
    /// Asks the function of a model with `ConflictHandler.lambda` to decide a conflict. Who makes it bounds the time and
    /// the answer. Nil: there are no functions, and each such conflict is an error.
    public var resolveConflict: ConflictResolution?
    /// Invokes the functions of pipelines, and bounds their number, their time and their answers. Nil: there are no
    /// functions, and each field of a pipeline is an error.
    public var invokeFunction: FunctionInvoker?
    /// Where events go. All APIs over one store share it, so that a reload loses none.
    public let publisher: Publisher
    /// The starts of syncs that were returned to devices. All APIs over one store share them as well.
    let syncStarts = SyncStarts()

    /// An environment of these functions, with a publisher of events.
    public init(
        nowMilliseconds: @escaping @Sendable () -> Int64,
        makeUUID: @escaping @Sendable () -> String,
        seal: @escaping @Sendable (_ plain: [UInt8], _ binding: [UInt8]) -> String,
        open: @escaping @Sendable (_ token: String, _ binding: [UInt8]) -> [UInt8]?,
        notice: @escaping @Sendable (Notice) -> Void = { _ in },
        resolveConflict: ConflictResolution? = nil, invokeFunction: FunctionInvoker? = nil
    ) {
        self.nowMilliseconds = nowMilliseconds
        self.makeUUID = makeUUID
        self.seal = seal
        self.open = open
        self.notice = notice
        self.resolveConflict = resolveConflict
        self.invokeFunction = invokeFunction
        publisher = Publisher(nowMilliseconds: nowMilliseconds)
    }
}
