import JSON
public import Tables

/// One event loop's share of the API: its reader, its plans and its buffers.
///
/// Stays when the API is replaced by a reload. Not Sendable: it is made for one loop and used on that loop only.
public final class LoopContext {
    /// What this loop counts; any thread may read it.
    public let statistics = LoopStatistics()
    let executor: any Executor
    let reads: Reads
    /// Where events for this loop's subscribers wait.
    let inbox: EventInbox
    var registry = SubscriptionRegistry()
    /// The part of `registry.byteCount` that the publisher has counted.
    private var publishedByteCount = 0
    var matching = EventMatching()
    var delayed = DelayedMatching()
    /// Subscriptions that are about to be ended, and why.
    var endings: [(handles: ArraySlice<SubscriptionHandle>, errors: [RealtimeError])] = []
    /// Whether a turn is scheduled in which the matching continues.
    var isMatchingScheduled = false
    var deliveries = Deliveries()
    /// Whether messages are being delivered to members, over several turns.
    var isDelivering = false
    /// Room for the document of the next request.
    private var documentBuffer: [UInt8] = []
    private static let documentBufferBytesMax = 64 << 10
    private var writer: JSONWriter?
    private var plans: PlanCache?
    private var operationCounters: LoopOperationCounters
    private(set) var rows: RowCache?
    /// What the rules decided of the last requests.
    let decisions = RecentDecisions()
    private var plansGeneration: Int?
    private var isTurnEnding = false
    /// Alive for as long as the context is.
    private var anchor: Anchor?

    /// A context with a read connection of its own.
    /// - Parameters:
    ///   - executor: runs work on this context's loop, after the events that are being served.
    ///   - counters: where the answers of all loops are counted.
    public convenience init(
        store: any Store, executor: any Executor, counters: OperationCounters = OperationCounters()
    ) throws(StoreError) {
        self.init(reads: try store.makeReads(on: executor), executor: executor, counters: counters)
    }

    init(reads: Reads, executor: any Executor, counters: OperationCounters = OperationCounters()) {
        self.executor = executor
        operationCounters = LoopOperationCounters(counters)
        let link = Link()
        inbox = EventInbox(executor: executor) { link.anchor?.context.deliverEvents() }
        self.reads = reads
        let anchor = Anchor(self)
        self.anchor = anchor
        link.anchor = anchor
    }

    deinit {
        registry.detach(inbox)
        registry.api?.environment.publisher.close(registry.count)
        registry.api?.environment.publisher.addSubscriberBytes(-publishedByteCount)
    }

    /// Counts the subscriptions of this loop, and what they take, after some were added or have ended.
    func countSubscriptions() {
        statistics.subscriptionsChanged(countNow: registry.count)
        guard registry.byteCount != publishedByteCount, let publisher = registry.api?.environment.publisher else {
            return
        }
        publisher.addSubscriberBytes(registry.byteCount - publishedByteCount)
        publishedByteCount = registry.byteCount
    }

    /// Leads from the inbox to the context, as long as there is one.
    ///
    /// Unchecked Sendable. Proof: it is set once, before anyone has the context, and read on the context's loop only.
    private final class Link: @unchecked Sendable {
        weak var anchor: Anchor?
    }

    /// What is referenced weakly in place of the context: weak references move the counts of an object into a side table,
    /// and each of the context's retains and releases in a request would go there.
    private final class Anchor {
        unowned let context: LoopContext

        init(_ context: LoopContext) { self.context = context }
    }

    /// Reads the JSON envelope of a request within the bounds of the API that will answer it.
    public func readRequest(
        _ body: UnsafeRawBufferPointer, for api: GraphQLAPI
    ) throws(EnvelopeError) -> GraphQLRequest {
        var request = GraphQLRequest(buffer: takeDocumentBuffer())
        try unsafe request.read(body, depthMax: api.options.limits.variablesDepthMax)
        return request
    }

    /// Checks the envelope of a request whose caller is not known yet.
    public func checkRequest(_ body: UnsafeRawBufferPointer, for api: GraphQLAPI) throws(EnvelopeError) {
        try unsafe GraphQLRequest.check(body, depthMax: api.options.limits.variablesDepthMax)
    }

    /// Reads a request from the query of a URL; nil is a URL without one.
    public func readRequest(
        urlQuery: UnsafeRawBufferPointer?, for api: GraphQLAPI
    ) throws(EnvelopeError) -> GraphQLRequest {
        var request = GraphQLRequest()
        try unsafe request.read(urlQuery: urlQuery, depthMax: api.options.limits.variablesDepthMax)
        return request
    }

    private func takeDocumentBuffer() -> [UInt8] {
        var buffer: [UInt8] = []
        swap(&buffer, &documentBuffer)
        return buffer
    }

    /// Keeps the room of a request that has been planned for the next one.
    func giveBack(_ request: consuming GraphQLRequest) {
        guard request.query.capacity <= Self.documentBufferBytesMax else { return }
        documentBuffer = request.query
    }

    /// The plan of a request: kept from before, or made by `api` and kept.
    func plan(_ request: borrowing GraphQLRequest, madeBy api: GraphQLAPI, for identity: Identity) -> Planning {
        plan(request.query, operationName: request.operationName, madeBy: api, for: identity)
    }

    func plan(
        _ text: [UInt8], operationName: String?, madeBy api: GraphQLAPI, for identity: Identity
    ) -> Planning {
        let caller = api.schema.gates?.callerClass(of: identity) ?? .only
        if plansGeneration != api.generation {
            let limits = api.options.limits
            let cache = PlanCache(countMax: limits.planCacheCountMax, bytesMax: limits.planCacheBytesMax)
            api.environment.publisher.plans.add(cache)
            plans = cache
            rows = limits.rowCacheBytesMax > 0 ? RowCache(bytesMax: limits.rowCacheBytesMax) : nil
            plansGeneration = api.generation
        }
        if let plan = plans?.plan(for: text, operationName: operationName, caller) {
            statistics.planFound()
            return .plan(plan)
        }
        let planning = api.schema.plan(text, operationName: operationName, for: caller, besides: plans) {
            operation, roots in
            OperationRecord(operation, roots, operationCounters.counter(for: operation))
        }
        if case .plan(let plan) = planning {
            plans?.insert(plan, for: text, operationName: operationName, caller)
        }
        statistics.planMissed(countNow: plans?.count ?? 0)
        return planning
    }

    /// Begins the completion of gathered rows: within a budget of the loop's own reader, if there is one.
    func beginCompletion(_ budget: Budget, deadline: ContinuousClock.Instant) -> Completion.GatheredBudget {
        guard case .live(let reader) = reads else { return .deadline(deadline) }
        beginRequest(budget, by: reader)
        return .reader(reader)
    }

    /// Where the rows of a request come from; gathered ones are given to it before it is completed.
    func source(keeping rows: RowCache? = nil) -> Completion.Source {
        switch reads {
        case .live(let reader): .live(reader, rows)
        case .batched:
            .gathered(
                GatheredRows(),
                .deadline(.now + .seconds((registry.api?.options.limits ?? APILimits()).executionSeconds)))
        }
    }

    /// A buffer for one response, given back when its bytes are copied.
    func takeWriter() -> JSONWriter { writer.take() ?? JSONWriter(capacity: 4096) }

    func giveBack(_ writer: consuming JSONWriter) {
        // A buffer that one large answer has enlarged is released.
        guard writer.capacity <= 2 << 20 else { return }
        self.writer = consume writer
        self.writer?.reset()
    }

    /// One read transaction serves a whole turn of the loop: it ends when the events of this turn are served.
    func beginRequest(_ budget: Budget, by reader: Reader) {
        reader.beginRequest(budget: budget)
        guard !isTurnEnding else { return }
        isTurnEnding = true
        let context = Unchecked(self)
        executor.execute {
            context.value.isTurnEnding = false
            if case .live(let reader) = context.value.reads { reader.endTurn() }
        }
    }
}
