import HTTP
import JSON
import NIOPosix
import Synchronization

/// Carries out the calls of operators, and answers the requests that come by `operators.sock`. Only the owner of the folder may
/// use the socket, so the role is owner.
///
/// The calls wait for files and for the writer, so they run on threads of their own, of which each operator has a share.
final class OperatorEndpoint: Sendable {
    /// Connections of the socket at one time.
    static let connectionsMax = 32
    /// How long a call may have waited for a thread to be carried out though its client may have left.
    private static let unnoticedWait = Duration.seconds(1)

    private let handler: OperatorCallHandler
    private let log: Log
    private let threads = NIOThreadPool(numberOfThreads: OperatorCallLimits.threadCount)
    private let queue = Mutex(OperatorCallQueue<@Sendable (_ isActive: Bool) -> Void>())

    init(_ handler: OperatorCallHandler, log: Log) {
        self.handler = handler
        self.log = log
        threads.start()
    }

    /// Answers with an error.
    static func refuse(_ problem: OperatorProblem, _ requestID: RequestID, _ reply: Reply) {
        reply.send(response(problem.status, problem.body(requestID: "\(requestID)"), requestID))
    }

    /// Answers a request by the socket.
    func respond(to request: Request, from user: UInt32, on loop: HTTP.EventLoop, reply: Reply) {
        let requestID = loop.makeRequestID()
        let call: OperatorCall
        do throws(OperatorProblem) {
            call = try OperatorCall(request)
        } catch { return Self.refuse(error, requestID, reply) }
        let caller = OperatorCallHandler.Caller(
            name: "user \(user)", role: .owner, requestID: "\(requestID)", address: OperatorSocket.name)
        let share = OperatorCallShare(name: caller.name, rank: .socket)
        let hasLeft: @Sendable () -> Bool = { reply.isCancelled || reply.hasClientHungUp }
        carryOut(call, request.path, for: caller, share, hasLeft: hasLeft) { answer in
            var response = Self.response(answer.status, answer.body, requestID)
            if let bytes = answer.bytes { response.body = .bytes(bytes) }
            if let content = answer.content { response.body = content }
            if answer.contentType != OperatorAnswer(body: .null).contentType {
                response.headers = HeaderBlock(
                    ["Content-Type": answer.contentType, "Cache-Control": "no-store"],
                    requestIDNames: ["x-amzn-RequestId"])
            }
            response.fields = answer.fields
            reply.send(response)
        }
    }

    /// Carries out a call that its caller may make.
    ///
    /// - Parameters:
    ///   - path: The request's, for the log.
    ///   - share: Whose share of the threads it takes; that of its caller by TCP if nil.
    ///   - hasLeft: Whether the client has left. A call that has waited for a thread is not carried out then.
    ///   - answer: Called once, on any thread.
    func carryOut(
        _ call: OperatorCall, _ path: String, for caller: OperatorCallHandler.Caller,
        _ share: OperatorCallShare? = nil, hasLeft: @escaping @Sendable () -> Bool,
        answer: @escaping @Sendable (OperatorAnswer) -> Void
    ) {
        let line = "\(call.method) \(path)"
        let start = ContinuousClock.now
        let isTaken = submit(for: share ?? OperatorCallShare(of: caller)) { [self] isActive in
            guard isActive else { return answer(OperatorAnswer(.notReady, requestID: caller.requestID)) }
            // A client that has only finished sending looks the same, and gets its answer if it did not have to wait.
            guard start.duration(to: .now) < Self.unnoticedWait || !hasLeft() else {
                return answer(OperatorAnswer(.limited, requestID: caller.requestID))
            }
            do throws(OperatorProblem) {
                let result = try handler.answer(call, for: caller)
                // Pages of the console read all the time.
                let level: LogLevel = call.method == "GET" ? .debug : .info
                log(level, "An operator's call: \(line)", ["operator": caller.name, "requestID": caller.requestID])
                answer(result)
            } catch {
                log(
                    .info, "An operator's call failed: \(line)",
                    ["operator": caller.name, "requestID": caller.requestID, "cause": error.message])
                answer(OperatorAnswer(error, requestID: caller.requestID))
            }
        }
        if !isTaken { answer(OperatorAnswer(.limited, requestID: caller.requestID)) }
    }

    /// Runs work of an operator's WebSocket on the threads of the calls.
    ///
    /// - Returns: Whether it will run; otherwise too much is under way.
    func run(
        for caller: OperatorCallHandler.Caller, _ work: @escaping @Sendable (OperatorCallHandler) -> Void
    ) -> Bool {
        submit(for: OperatorCallShare(of: caller)) { [self] isActive in
            if isActive { work(handler) }
        }
    }

    /// Runs work on one of the threads, once there is one for it.
    ///
    /// - Parameter work: Called with whether the endpoint has not ended.
    /// - Returns: Whether it will run; otherwise too much is under way.
    private func submit(
        for share: OperatorCallShare, _ work: @escaping @Sendable (_ isActive: Bool) -> Void
    ) -> Bool {
        guard queue.withLock({ $0.add(work, of: share) }) else { return false }
        beginWaiting()
        return true
    }

    /// Begins all calls that may run now.
    private func beginWaiting() {
        while let (share, work) = queue.withLock({ $0.begin() }) {
            threads.submit { [self] state in
                if case .active = state { work(true) } else { work(false) }
                queue.withLock { $0.end(share) }
                beginWaiting()
            }
        }
    }

    /// Takes no further call. One under way continues; its client may not receive the answer.
    func end() {
        threads.shutdownGracefully { _ in }
        handler.graphQL?.end()
    }

    private static let head = HeaderBlock(
        ["Content-Type": "application/json;charset=UTF-8", "Cache-Control": "no-store"],
        requestIDNames: ["x-amzn-RequestId"])

    /// The answer to what the HTTP layer refuses, such as a request that is malformed or too large.
    static func response(to refusal: Refusal, requestID: RequestID) -> Response {
        let code: OperatorProblem.Code =
            switch refusal.status {
            case 408, 503: .unavailable
            case 500...: .internal
            default: .invalid
            }
        let problem = OperatorProblem(code: code, message: refusal.message)
        return response(refusal.status, problem.body(requestID: "\(requestID)"), requestID)
    }

    private static func response(_ status: Int, _ body: JSONValue, _ requestID: RequestID) -> Response {
        var response = Response(status: status, headers: head, body: Array(body.description.utf8))
        response.requestID = requestID
        return response
    }
}
