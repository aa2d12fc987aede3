import Tables

/// The bounds of the API, each with its unit in its name.
public struct APILimits: Sendable, Hashable {
    /// Largest page that a list serves, in items; a larger `limit` is served as this.
    public var pageItemsMax = 10_000
    /// Page size without a `limit`, in items (AppSync's generated resolvers: 100).
    public var pageItemsDefault = 100
    /// Largest page of a sync, in items; a larger `limit` is served as this (AppSync: 1,000).
    public var syncItemsMax = 1_000
    /// SQLite virtual-machine steps that one request may take on its event loop before it moves to a worker: about a
    /// millisecond, for which all other requests of the loop wait, and 3,000 items of eight fields.
    public var readStepsMax = 50_000
    /// Milliseconds of the event loop's own time that a request may read before it moves to a worker though its steps are
    /// fewer: some are slow.
    public var readMillisecondsMax = 5
    /// Wall-clock bound of one request, in seconds (AppSync: 30). It also bounds the processor time of a read on a worker,
    /// which has no bound in steps: a filter may search hundreds of long texts for hundreds of parts. The deadline is
    /// checked before each search, other clients' reads have their turns in between, and workers have a low priority.
    public var executionSeconds = 30
    /// Plans kept for repeated documents, counted per API; the least recently used goes.
    public var planCacheCountMax = 1_000
    /// Bytes of documents kept as keys of the plan cache, in all.
    public var planCacheBytesMax = 16 << 20
    /// Bytes of memory that plans take, cached, of open subscriptions and in use, on all loops and of all generations. A
    /// subscription may keep a plan while those that subscriptions keep take three quarters of it; one plan may take an
    /// eighth.
    public var planBytesMax = 128 << 20
    /// Ways to read a table that plans have in common, counted per API; a full cache starts over.
    public var fetchCacheCountMax = 1_000
    /// Bytes of items kept as answers have shown them, per event loop; 0 keeps none.
    public var rowCacheBytesMax = 8 << 20
    /// Longest operation document, in tokens.
    public var documentTokensMax = 15_000
    /// Deepest nesting of an operation document as it is written, in levels of selection sets, lists and objects.
    public var documentDepthMax = 100
    /// Fields in a document, fragments counted where they are written.
    public var documentFieldsMax = 10_000
    /// Aliases in a document.
    public var documentAliasesMax = 3_000
    /// Directives in a document.
    public var documentDirectivesMax = 1_000
    /// Fragment definitions in a document.
    public var documentFragmentsMax = 500
    /// Levels of an operation once its fragments are spread: fields, inline fragments and spreads in one another.
    public var operationDepthMax = 200
    /// Selections of an operation once its fragments are spread, counted on each possible type of an interface or union.
    public var operationFieldsMax = 10_000
    /// AppSync's own name: levels of nested fields that an operation may select; 0 is no bound.
    public var queryDepthLimit = 0
    /// AppSync's own name: resolvers that one request may run; 0 is AppSync's 10,000.
    public var resolverCountLimit = 0
    /// Functions that one request invokes at one time; the others of the same level wait for them.
    public var functionCallsPerRequestMax = 16
    /// Deepest nesting of `variables`, in levels.
    public var variablesDepthMax = 64
    /// Largest response body, in bytes.
    public var responseBytesMax = 16 << 20
    /// Terms in one filter or condition.
    public var filterTermsMax = 500
    /// Bytes of one operand in a filter or condition, of which the elements of a list are a part.
    public var filterOperandBytesMax = 4 << 10
    /// Requests that may wait for a worker at one time.
    public var workerQueueCountMax = 1_000
    /// Long reads that have begun on workers and not ended, at one time: each keeps a snapshot and its answer so far.
    /// There may be as many that have worked for less than 1 s, and twice as many that have worked for less than 0.1 s.
    public var longReadsMax = 16
    /// Steps that a long read is worked on before another one has its turn: about five milliseconds.
    public var readTurnSteps = 250_000
    /// Subscriptions open at one time, on all loops.
    public var subscriptionsPerServerMax = 100_000
    /// Bytes of memory for the callers (tokens, groups and their index entries) and the filters of open subscriptions, on all
    /// loops. A caller counts once on each loop; a user with a token of 1 KB takes about 4 KB.
    public var subscriberBytesMax = 1 << 30
    /// Events whose mutations are still being completed, or that wait for such a one of the same item.
    public var pendingEventCountMax = 20_000
    /// Events that wait for one loop. Past it the loop's subscriptions are ended with an error.
    public var eventInboxCountMax = 10_000
    /// Bytes of the events that wait for one loop. Past it the loop's subscriptions are ended with an error.
    public var eventInboxBytesMax = 64 << 20
    /// Bytes of events that one step on a loop looks at, completes or sends before requests have a turn: about 4 ms of the
    /// slowest text search.
    public var eventStepBytesMax = 1 << 20
    /// How long events of models with versions are kept for subscriptions that come back, in seconds.
    public var replaySeconds = 300
    /// Bytes of such events; past them the oldest go.
    public var replayBytesMax = 16 << 20
    /// Closed subscriptions that may be resumed. Of each 16 bytes are kept, whatever it asked for, and as much again
    /// as says when it went and what it followed.
    public var replaySubscriptionsMax = 10_000

    /// The defaults.
    public init() {}

    /// What a read may cost its event loop.
    var loopBudget: Budget { .loop(steps: readStepsMax, threadNanoseconds: readMillisecondsMax * 1_000_000) }
}
