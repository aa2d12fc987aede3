import HTTP
import JSON
import NIOPosix
import Synchronization

/// Carries out the calls of operators, and answers the requests that come by `operators.sock`. Only the owner of the folder may
/// use the socket, so the role is owner.
///
/// The calls wait for files and for the writer, so they run on threads of their own.
final class OperatorEndpoint: Sendable {
    /// Connections of the socket at one time.
    static let connectionsMax = 32
    /// Threads of the calls, which wait for files, the writer and event loops.
    static let threadCount = 4
    /// Calls under way; one more is refused.
    static let callsMax = 16

    private let handler: OperatorCallHandler
    private let log: Log
    private let threads = NIOThreadPool(numberOfThreads: OperatorEndpoint.threadCount)
    private let callCount = Atomic(0)

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
        carryOut(call, request.path, for: caller) { answer in
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
    ///   - answer: Called once, on any thread.
    func carryOut(
        _ call: OperatorCall, _ path: String, for caller: OperatorCallHandler.Caller,
        answer: @escaping @Sendable (OperatorAnswer) -> Void
    ) {
        guard callCount.add(1, ordering: .relaxed).newValue <= Self.callsMax else {
            callCount.subtract(1, ordering: .relaxed)
            return answer(OperatorAnswer(.limited, requestID: caller.requestID))
        }
        let line = "\(call.method) \(path)"
        threads.submit { [self] state in
            defer { callCount.subtract(1, ordering: .relaxed) }
            guard case .active = state else {
                return answer(OperatorAnswer(.notReady, requestID: caller.requestID))
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
    }

    /// Runs work of an operator's WebSocket on the threads of the calls.
    ///
    /// - Returns: Whether it will run; otherwise too much is under way.
    func run(_ work: @escaping @Sendable (OperatorCallHandler) -> Void) -> Bool {
        guard callCount.add(1, ordering: .relaxed).newValue <= Self.callsMax else {
            callCount.subtract(1, ordering: .relaxed)
            return false
        }
        threads.submit { [self] state in
            defer { callCount.subtract(1, ordering: .relaxed) }
            if case .active = state { work(handler) }
        }
        return true
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
