import API
import HTTP
import JSON
import NIOCore
import NIOPosix
import Synchronization
import Tables

/// Runs operators' GraphQL requests and reads, and waits for them. Used on the threads of the operators' calls, never on an event
/// loop.
final class OperatorGraphQL: Sendable {
    /// How long an operation may take, in seconds.
    private static let secondsMax = 60
    /// How often, a millisecond apart, an explained answer looks whether the loops have matched the events of its writes.
    private static let eventLookCountMax = 1_000

    /// The answer to a request.
    struct Outcome: Sendable {
        let status: Int
        let errorType: String?
        var body: [UInt8]
        /// What the API reports of the answer; nil where it gave none.
        var kind: AnswerKind?
    }

    /// By what a caller is authenticated whom an operator names.
    enum Credentials: Sendable {
        /// The caller is known, and what withdraws the credentials, if anything does.
        case identity(Identity, CredentialOrigin?)
        /// As a client with these header lines.
        case headers([(name: String, value: String)])
    }

    private let loop: HTTP.EventLoop
    private let services: LoopServices
    private let store: any Store
    private let rowsPerPageMax: Int
    /// The thread that reads, and one for the tasks that wait for it.
    private let executor = SerialExecutor()
    private let tasks = OperationExecutor(threadCount: 1)
    private let items = Mutex<StoredItems?>(nil)

    /// - Parameters:
    ///   - loop: Where requests run.
    ///   - rowsPerPageMax: Rows that a page of items reads at most.
    init(
        on loop: HTTP.EventLoop, _ services: LoopServices, _ store: any Store,
        rowsPerPageMax: Int = StoredItems.rowsPerPageMax
    ) {
        (self.loop, self.services, self.store) = (loop, services, store)
        self.rowsPerPageMax = rowsPerPageMax
    }

    /// What is served now.
    func servedAPI() throws(OperatorProblem) -> ServedAPI {
        let servedAPI: ServedAPI? = try onLoop { services, answer in answer(services.servedAPI) }
        guard let servedAPI else { throw .notReady }
        guard servedAPI.hasGraphQL else { throw .noGraphQL }
        return servedAPI
    }

    /// Runs a request of GraphQL as its client would send it.
    ///
    /// - Parameters:
    ///   - envelope: The JSON body.
    ///   - explains: Whether the answer explains what rules have decided, and what was done.
    ///   - notesWork: Whether the report has the plan, the writes and their events.
    ///   - requestID: The id of the request, for its explanation.
    ///   - expectation: What the stored item of a write has to meet in addition.
    func execute(
        _ envelope: [UInt8], as identity: Identity, allowsMutations: Bool, explains: Bool = false,
        notesWork: Bool = false, requestID: String? = nil, expecting expectation: Condition? = nil
    ) throws(OperatorProblem) -> Outcome {
        let loop = loop
        return try onLoop { services, answer in
            var options = AnswerOptions(refusesRequestErrors: false, allowsMutations: allowsMutations)
            options.explainsRules = explains
            options.notesWork = explains || notesWork
            Self.run(envelope, as: identity, options, expecting: expectation, services) { outcome in
                guard explains else { return answer(outcome) }
                Self.explain(outcome, requestID, on: loop, looksLeft: Self.eventLookCountMax, answer)
            }
        }
    }

    /// Adds the explanation to an answer, as soon as the loops have matched the events of its writes, or after a bounded time.
    private static func explain(
        _ outcome: Outcome, _ requestID: String?, on loop: HTTP.EventLoop, looksLeft: Int,
        _ answer: @escaping @Sendable (Outcome) -> Void
    ) {
        guard let report = outcome.kind?.report else { return answer(outcome) }
        guard looksLeft == 0 || report.notes?.isComplete != false else {
            loop.schedule(afterMilliseconds: 1) {
                explain(outcome, requestID, on: loop, looksLeft: looksLeft - 1, answer)
            }
            return
        }
        guard let explanation = report.explanation else { return answer(outcome) }
        var explained = outcome
        explained.body = unsafe outcome.body.withUnsafeBytes {
            unsafe explanation.added(to: $0, report, requestID: requestID)
        }
        answer(explained)
    }

    private static func run(
        _ envelope: [UInt8], as identity: Identity, _ options: AnswerOptions, expecting expectation: Condition? = nil,
        _ services: LoopServices, _ answer: @escaping @Sendable (Outcome) -> Void
    ) {
        guard let context = services.context, let servedAPI = services.servedAPI else {
            return answer(Outcome(Problem.notReady))
        }
        let request = unsafe envelope.withUnsafeBytes { body in
            Result { () throws(EnvelopeError) in try unsafe context.readRequest(body, for: servedAPI.api) }
        }
        guard case .success(var request) = request else {
            if case .failure(let error) = request {
                let problem = Problem(status: 400, errorType: error.errorType, message: error.message)
                answer(Outcome(problem))
            }
            return
        }
        request.expectation = expectation
        unsafe servedAPI.api.respond(to: request, as: identity, on: context, options: options) { kind, body in
            answer(
                Outcome(status: kind.status, errorType: kind.errorType, body: unsafe [UInt8](body), kind: kind))
        }
    }

    /// Runs requests of GraphQL that are under way at the same time, and waits for all. The outcomes have their order.
    ///
    /// - Parameters:
    ///   - expectations: What the stored item of each write has to meet in addition; empty where nothing is expected.
    ///   - sources: The models of the API that the requests are for.
    /// - Returns: Nil if another API is served by now; nothing was run then.
    func executeAll(
        _ envelopes: [[UInt8]], as identity: Identity, expecting expectations: [Condition] = [], of sources: DataSources
    ) throws(OperatorProblem) -> [Outcome]? {
        guard !envelopes.isEmpty else { return [] }
        let collected = OutcomeCollector(count: envelopes.count)
        let outcomes: [Outcome]? = try onLoop { services, answer in
            guard services.servedAPI?.dataSources === sources else { return answer(nil) }
            for (index, envelope) in envelopes.enumerated() {
                let expectation = index < expectations.count ? expectations[index] : nil
                let options = AnswerOptions(refusesRequestErrors: false)
                Self.run(envelope, as: identity, options, expecting: expectation, services) { outcome in
                    if let all = collected.add(outcome, at: index) { answer(all) }
                }
            }
        }
        return outcomes
    }

    /// What the rules of the API that is served now decide of a request, which is not carried out; nil of one that cannot be planned.
    func explanation(
        of envelope: [UInt8], as identity: Identity
    ) throws(OperatorProblem) -> AuthorizationExplanation? {
        try onLoop { services, answer in
            guard let context = services.context, let api = services.servedAPI?.api else { return answer(nil) }
            let request = unsafe envelope.withUnsafeBytes { try? unsafe context.readRequest($0, for: api) }
            answer(request.flatMap { api.explanation(of: $0, as: identity, on: context) })
        }
    }

    /// How a request with these header lines would be authenticated.
    func decision(of headers: [(name: String, value: String)]) throws(OperatorProblem) -> AuthenticationDecision {
        let loop = loop
        return try onLoop { services, answer in
            guard let authenticator = services.servedAPI?.authenticator else { return answer(.refused(.unavailable)) }
            let credentials = RealtimeCredentials(authorization: RealtimeAuthorization(headers))
            switch authenticator.authenticate(credentials) {
            case .decided(let decision): answer(decision)
            case .pending(let pending): pending.whenDecided(on: loop) { answer($0) }
            }
        }
    }

    /// Reads the stored items.
    func read<Success: Sendable>(
        _ work: @escaping @Sendable (StoredItems) async throws(StoreError) -> Success
    ) throws(OperatorProblem) -> Success {
        let opened: Result<StoredItems, StoreError> = items.withLock { items in
            if let items { return .success(items) }
            let made = Result { () throws(StoreError) in
                try StoredItems(store, on: executor, rowsPerPage: rowsPerPageMax)
            }
            items = try? made.get()
            return made
        }
        let result: Result<Success, StoreError> = try wait { answer in
            switch opened {
            case .failure(let error): answer(.failure(error))
            case .success(let items):
                Task(executorPreference: tasks) {
                    do throws(StoreError) { answer(.success(try await work(items))) } catch { answer(.failure(error)) }
                }
            }
        }
        do throws(StoreError) { return try result.get() } catch {
            // Such as a filter of related items that is too large.
            if error.code == .invalidRequest {
                throw OperatorProblem(code: .invalid, message: error.message, hint: error.hint)
            }
            throw OperatorProblem(code: .unavailable, message: "The items cannot be read: \(error.message)")
        }
    }

    /// Ends the threads. No read may begin afterwards.
    func end() {
        items.withLock { $0 = nil }
        tasks.end()
        executor.end()
    }

    /// Collects the outcomes of several requests.
    private final class OutcomeCollector: Sendable {
        private let outcomes: Mutex<[Int: Outcome]> = Mutex([:])
        private let count: Int

        init(count: Int) { self.count = count }

        /// Adds one. Returns all once, when the last has come.
        func add(_ outcome: Outcome, at index: Int) -> [Outcome]? {
            outcomes.withLock { outcomes in
                outcomes[index] = outcome
                return outcomes.count == count ? (0..<count).compactMap { outcomes[$0] } : nil
            }
        }
    }

    // MARK: - Waiting

    private func onLoop<Success: Sendable>(
        _ work: @escaping @Sendable (LoopServices, @escaping @Sendable (Success) -> Void) -> Void
    ) throws(OperatorProblem) -> Success {
        let (loop, services) = (loop, services)
        return try wait { answer in loop.execute { work(services, answer) } }
    }

    /// Waits for an answer, for a bounded time: a server that ends may never give it.
    private func wait<Success: Sendable>(
        _ start: (@escaping @Sendable (Success) -> Void) -> Void
    ) throws(OperatorProblem) -> Success {
        let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Success.self)
        let claim = SharedClaim()
        let timeout = promise.futureResult.eventLoop.scheduleTask(in: .seconds(Int64(Self.secondsMax))) {
            if claim.take() { promise.fail(OperatorProblem.noAnswer) }
        }
        start { value in
            guard claim.take() else { return }
            timeout.cancel()
            promise.succeed(value)
        }
        do { return try promise.futureResult.wait() } catch { throw .noAnswer }
    }

    /// Of several callers, only the first takes it.
    private final class SharedClaim: Sendable {
        private let isTaken = Atomic(false)
        func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
    }
}

extension OperatorGraphQL.Outcome {
    init(_ problem: Problem) {
        self.init(status: problem.status, errorType: problem.errorType, body: problem.body)
    }
}

extension OperatorProblem {
    static let noGraphQL = OperatorProblem(code: .notFound, message: "This server has no GraphQL API.")
    static let noAnswer = OperatorProblem(code: .unavailable, message: "The server did not answer in time.")
}
