import AsyncHTTPClient
import HTTP
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The one client for all calls that the server makes.
///
/// The host is resolved first, each of its addresses is checked by the rules, and the connection is made to a checked
/// address; `Host`, SNI and the certificate's check keep the name. HTTP/1.1, and TLS from version 1.2 on with
/// certificates always verified. Redirects are answers and are never followed, no call is sent twice, and there are
/// neither cookies nor proxies.
///
/// It works on the event loops of the server, and has to end before they do. Safe to use from any thread.
final class OutgoingClient: Sendable {
    typealias Completion = @Sendable (Result<OutgoingCall.Answer, OutgoingError>) -> Void

    /// The connections to a host at one address. A host that is an address itself needs none of its own.
    private struct Place: Hashable {
        var name: String
        var address: IPAddress
    }

    private struct Pool {
        let client: HTTPClient
        var callCount = 0
        var lastUse: NIODeadline
    }

    private struct State {
        var queue = OutgoingQueue()
        /// Names that the resolver works on or that wait for it; those that no call waits for any longer included.
        var resolutionCount = 0
        var isEnded = false
        var pools: [Place: Pool] = [:]
        var addresses: [String: (list: [IPAddress], until: NIODeadline)] = [:]
    }

    private let group: MultiThreadedEventLoopGroup
    private let log: Log
    private let refusals: SampledLog
    /// Where calls of functions are recorded; nil if nowhere.
    private let calls: CallLog?
    /// For hosts that are addresses.
    private let direct: HTTPClient
    private let configuration: HTTPClient.Configuration
    /// The system's resolver blocks its thread.
    private let resolver = NIOThreadPool(numberOfThreads: 2)
    private let resolve: @Sendable (String) throws -> [IPAddress]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - connectionsPerHostMax: Connections to one host at one time; further calls wait for one.
    ///   - refusals: Reports calls to addresses that are not allowed.
    ///   - calls: Records calls of functions for operators.
    ///   - resolve: Finds the addresses of a name; may block.
    init(
        on server: HTTPServer, connectionsPerHostMax: Int, log: Log, refusals: SampledLog, calls: CallLog? = nil,
        resolve: @escaping @Sendable (String) throws -> [IPAddress] = { try IPAddress.resolve($0) }
    ) {
        (self.log, self.refusals, self.calls) = (log, refusals, calls)
        self.resolve = resolve
        group = server.group
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(Int64(OutgoingLimits.connectSeconds))))
        configuration.httpVersion = .http1Only
        configuration.connectionPool.idleTimeout = .seconds(Int64(OutgoingLimits.idleSeconds))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHostMax
        // Where no server listens, the call fails at once instead of at its timeout.
        configuration.connectionPool.retryConnectionEstablishment = false
        self.configuration = configuration
        direct = HTTPClient(eventLoopGroupProvider: .shared(server.group), configuration: configuration)
        resolver.start()
    }

    /// The calls of a purpose that wait for others to end.
    func waitingCount(of purpose: OutgoingCall.Purpose) -> Int { state.withLock { $0.queue.waitingCount(of: purpose) } }

    /// Makes a call, at once or when others of its purpose have ended. The completion is called once, on any thread, and at
    /// once for a call that is one too many.
    func send(_ call: OutgoingCall, completion: @escaping Completion) {
        let completion = calls?.recording(call, completion) ?? completion
        let request: HTTPClient.Request
        do throws(OutgoingError) {
            request = try call.request()
        } catch { return completion(.failure(error)) }
        let start: @Sendable () -> Void = { [self] in begin(call, request, completion) }
        let giveUp: @Sendable (OutgoingError) -> Void = { completion(.failure($0)) }
        let admission: OutgoingQueue.Admission = state.withLock { state in
            state.isEnded ? .refused(.ended) : state.queue.admit(call, start: start, expire: giveUp)
        }
        switch admission {
        case .begun: start()
        case .queued(let number): expire(number, of: call)
        case .refused(let error): completion(.failure(error))
        }
    }

    /// Makes a call that was admitted.
    private func begin(_ call: OutgoingCall, _ request: HTTPClient.Request, _ completion: @escaping Completion) {
        let prepared = PreparedCall(call: call, request: request, deadline: call.nioDeadline)
        findAddresses(prepared) { [self] result in
            switch result {
            case .failure(let error): finish(prepared, .failure(error), completion)
            case .success(let addresses):
                if let error = check(addresses, prepared) {
                    finish(prepared, .failure(error), completion)
                } else {
                    attempt(addresses[...], prepared) { [self] in finish(prepared, $0, completion) }
                }
            }
        }
    }

    /// Ends: calls under way fail, connections are closed.
    func end() async {
        let (pools, waiting) = state.withLock { state in
            state.isEnded = true
            defer { state.pools = [:] }
            return (state.pools.values.map(\.client), state.queue.removeAll())
        }
        for expire in waiting { expire(.ended) }
        // The one error there is says that it has ended already.
        for client in pools + [direct] { try? await client.shutdown() }
        try? await resolver.shutdownGracefully()
    }

    private func finish(
        _ prepared: PreparedCall, _ result: Result<OutgoingCall.Answer, OutgoingError>,
        _ completion: Completion
    ) {
        // In a turn of its own: a call that ends at once would begin the next one within this call.
        if let next = state.withLock({ $0.queue.end(prepared.call) }) { group.next().execute(next) }
        if log.isLogged(.debug) {
            let outcome =
                switch result {
                case .success(let answer): "status \(answer.status)"
                case .failure(let error): error.reason
                }
            log(.debug, "An outgoing call ended", ["call": prepared.name, "outcome": outcome])
        }
        completion(result)
    }
}

// MARK: - Waiting

extension OutgoingClient {
    /// Ends the wait of a call whose time is over.
    private func expire(_ number: Int, of call: OutgoingCall) {
        // Not the call, whose body would be kept until then though it has ended long before.
        let (purpose, callsMax) = (call.purpose, call.limits.callsMax)
        group.next().scheduleTask(deadline: call.nioDeadline) { [self] in
            state.withLock { $0.queue.remove(number, of: purpose) }?(.tooManyCalls(callsMax))
        }
    }
}

extension OutgoingCall {
    /// The end of the call's own time, counted from now, or its deadline if that is earlier.
    fileprivate var nioDeadline: NIODeadline {
        let now = NIODeadline.now()
        let own = now + .seconds(Int64(limits.seconds))
        guard let deadline else { return own }
        let left = max(.zero, deadline - .now)
        return min(own, now + .nanoseconds(Int64(left / .nanoseconds(1))))
    }
}

// MARK: - Addresses

extension OutgoingClient {
    /// Finds the addresses of the host: its own, those that are kept, or those of the resolver. A resolver that takes too
    /// long is not waited for.
    private func findAddresses(
        _ prepared: PreparedCall, _ body: @escaping @Sendable (Result<[IPAddress], OutgoingError>) -> Void
    ) {
        let host = prepared.host
        if let address = IPAddress(host) { return body(.success([address])) }
        let now = NIODeadline.now()
        if let kept = state.withLock({ $0.addresses[host] }), kept.until > now { return body(.success(kept.list)) }
        let isOne = state.withLock { state in
            guard state.resolutionCount < OutgoingLimits.resolutionsMax else { return false }
            state.resolutionCount += 1
            return true
        }
        guard isOne else { return body(.failure(.tooManyNames)) }
        let loop = group.next()
        let promise = loop.makePromise(of: [IPAddress].self)
        let timer = loop.scheduleTask(deadline: prepared.deadline) { promise.fail(OutgoingError.timeout) }
        let resolve = resolve
        resolver.runIfActive(eventLoop: loop) { try resolve(host) }.whenComplete { [self] result in
            timer.cancel()
            state.withLock { $0.resolutionCount -= 1 }
            if case .success(let list) = result { keep(list, of: host) }
            // A promise takes its first outcome only, which may have been the timer's.
            promise.completeWith(result)
        }
        promise.futureResult.whenComplete { result in
            body(result.mapError { OutgoingError($0, isConnecting: true) })
        }
    }

    private func keep(_ list: [IPAddress], of host: String) {
        let until = NIODeadline.now() + .seconds(Int64(OutgoingLimits.addressSeconds))
        state.withLock { state in
            if state.addresses.count >= OutgoingLimits.namesMax { state.addresses.removeAll() }
            state.addresses[host] = (list, until)
        }
    }

    /// All addresses must be allowed: which of them a connection goes to is not for the name's owner to choose.
    private func check(_ addresses: [IPAddress], _ prepared: PreparedCall) -> OutgoingError? {
        for address in addresses {
            guard let rule = prepared.call.rules.refusal(of: prepared.host, at: address) else { continue }
            refusals(["call": prepared.name, "address": address.text, "rule": rule])
            return OutgoingError(code: .forbidden, reason: "its address \(address.text) is not allowed: \(rule)")
        }
        return nil
    }
}

// MARK: - Connections

extension OutgoingClient {
    /// Calls the first address, and the next one only if the first could not be connected to: then nothing was sent.
    private func attempt(
        _ addresses: ArraySlice<IPAddress>, _ prepared: PreparedCall, _ body: @escaping Completion
    ) {
        guard let address = addresses.first else { return body(.failure(.noAddress)) }
        let place = IPAddress(prepared.host) == nil ? Place(name: prepared.host, address: address) : nil
        guard let client = take(place) else { return body(.failure(.ended)) }
        let collector = OutgoingAnswerCollector(prepared.call.limits)
        let task = client.execute(request: prepared.request, delegate: collector, deadline: prepared.deadline)
        task.futureResult.whenComplete { [self] result in
            if let place { giveBack(place) }
            switch result {
            case .success(let answer): body(.success(answer))
            case .failure(let error):
                let error = OutgoingError(error, isConnecting: !collector.hasSent)
                let others = addresses.dropFirst()
                guard error.code == .connection, !collector.hasSent, !others.isEmpty,
                    NIODeadline.now() < prepared.deadline
                else {
                    return body(.failure(error))
                }
                attempt(others, prepared, body)
            }
        }
    }

    /// The client of a place, for one call; `nil` when this one has ended.
    private func take(_ place: Place?) -> HTTPClient? {
        guard let place else { return state.withLock { $0.isEnded } ? nil : direct }
        return state.withLock { state in
            guard !state.isEnded else { return nil }
            var pool = state.pools[place] ?? Pool(client: makeClient(for: place), lastUse: NIODeadline.now())
            pool.callCount += 1
            pool.lastUse = NIODeadline.now()
            state.pools[place] = pool
            return pool.client
        }
    }

    /// Ends the use by one call; ends the pool that was out of use for longest when there are too many.
    private func giveBack(_ place: Place) {
        let unused: HTTPClient? = state.withLock { state in
            state.pools[place]?.callCount -= 1
            guard state.pools.count > OutgoingLimits.hostsMax,
                let oldest = state.pools.filter({ $0.value.callCount == 0 })
                    .min(by: { $0.value.lastUse < $1.value.lastUse })?.key
            else { return nil }
            return state.pools.removeValue(forKey: oldest)?.client
        }
        let _: EventLoopFuture<Void>? = unused?.shutdown()
    }

    /// A client that connects to the place's address wherever a URL has its name.
    private func makeClient(for place: Place) -> HTTPClient {
        var configuration = configuration
        configuration.dnsOverride = [place.name: place.address.text]
        return HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }
}

/// A call under way.
private struct PreparedCall: Sendable {
    let call: OutgoingCall
    let request: HTTPClient.Request
    let deadline: NIODeadline

    /// The host as the URL has it.
    var host: String { request.host }

    /// For logs: method, origin and path, without the query.
    var name: String { "\(request.method) \(request.scheme)://\(request.host):\(request.port)\(request.url.path)" }
}

extension OutgoingCall {
    /// The request; refuses what would not be sent as it is written.
    fileprivate func request() throws(OutgoingError) -> HTTPClient.Request {
        guard body.count <= OutgoingLimits.requestBytesMax else {
            throw OutgoingError(
                code: .tooLarge, reason: "the request has more than \(OutgoingLimits.requestBytesMax) bytes")
        }
        let texts = [url] + headers.flatMap { [$0.name, $0.value] }
        guard texts.allSatisfy({ $0.utf8.allSatisfy { $0 != 0x0D && $0 != 0x0A && $0 != 0 } }) else {
            throw OutgoingError(code: .invalid, reason: "the URL or a header has a line break or NUL")
        }
        do {
            return try HTTPClient.Request(
                url: url, method: isGet ? .GET : .POST, headers: HTTPHeaders(headers.map { ($0.name, $0.value) }),
                body: isGet ? nil : .bytes(body))
        } catch {
            throw OutgoingError(code: .invalid, reason: (error as? HTTPClientError)?.shortDescription ?? "\(error)")
        }
    }
}

/// Keeps an answer, within its bounds. Called on the loop of the call.
private final class OutgoingAnswerCollector: HTTPClientResponseDelegate {
    typealias Response = OutgoingCall.Answer

    private struct State {
        var hasSent = false
        var status = 0
        var isFunctionError = false
        var body: [UInt8] = []
    }

    private let limits: OutgoingLimits
    private let state = Mutex(State())

    init(_ limits: OutgoingLimits) { self.limits = limits }

    /// Whether the call may have reached its server.
    var hasSent: Bool { state.withLock { $0.hasSent } }

    func didSendRequestHead(task: HTTPClient.Task<Response>, _ head: HTTPRequestHead) {
        state.withLock { $0.hasSent = true }
    }

    func didReceiveHead(task: HTTPClient.Task<Response>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let headerBytes = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard headerBytes <= OutgoingLimits.answerHeaderBytesMax else {
            return task.eventLoop.makeFailedFuture(
                OutgoingError.tooLarge("the headers of its answer", OutgoingLimits.answerHeaderBytesMax))
        }
        state.withLock { state in
            state.status = Int(head.status.code)
            state.isFunctionError = head.headers.contains(name: "X-Amz-Function-Error")
        }
        // RFC 9110 §8.6: an announced length is refused before the body is read.
        let length = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
        return length > limits.answerBytesMax ? tooLarge(task) : task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Response>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let fits = state.withLock { state in
            guard buffer.readableBytes <= limits.answerBytesMax - state.body.count else { return false }
            state.body += buffer.readableBytesView
            return true
        }
        return fits ? task.eventLoop.makeSucceededVoidFuture() : tooLarge(task)
    }

    func didFinishRequest(task: HTTPClient.Task<Response>) throws -> Response {
        state.withLock { Response(status: $0.status, body: $0.body, isFunctionError: $0.isFunctionError) }
    }

    private func tooLarge(_ task: HTTPClient.Task<Response>) -> EventLoopFuture<Void> {
        task.eventLoop.makeFailedFuture(OutgoingError.tooLarge("its answer", limits.answerBytesMax))
    }
}

extension OutgoingError {
    static let ended = OutgoingError(code: .ended, reason: "the server is about to end")
    fileprivate static let timeout = OutgoingError(code: .timeout, reason: "it did not answer in time")
    fileprivate static let noAddress = OutgoingError(code: .connection, reason: "its host has no address")

    fileprivate static let tooManyNames = OutgoingError(
        code: .tooManyCalls, reason: "\(OutgoingLimits.resolutionsMax) names are being resolved")

    static func tooManyCalls(_ countMax: Int) -> OutgoingError {
        OutgoingError(code: .tooManyCalls, reason: "\(countMax) calls are under way")
    }

    fileprivate static func tooLarge(_ what: String, _ bytesMax: Int) -> OutgoingError {
        OutgoingError(code: .tooLarge, reason: "\(what) has more than \(bytesMax) bytes")
    }

    /// What a library reports.
    ///
    /// - Parameter isConnecting: Whether it reports it before anything was sent.
    fileprivate init(_ error: any Error, isConnecting: Bool) {
        switch error {
        case let error as OutgoingError: self = error
        case let error as IPAddress.ResolutionError:
            self.init(code: .connection, reason: "its host's name cannot be resolved: \(error.reason)")
        case let error as HTTPClientError:
            switch error {
            case .deadlineExceeded, .readTimeout, .writeTimeout, .getConnectionFromPoolTimeout: self = .timeout
            case .cancelled, .alreadyShutdown: self = .ended
            default: self.init(code: .connection, reason: error.shortDescription)
            }
        case ChannelError.connectTimeout:
            self.init(code: .connection, reason: "no connection within \(OutgoingLimits.connectSeconds) s")
        default:
            self.init(code: .connection, reason: "\(isConnecting ? "unable to connect: " : "")\(error)")
        }
    }
}
