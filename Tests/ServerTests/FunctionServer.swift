import HTTP
import JSON
import Synchronization

/// A function of a test: a server that receives events, and answers what the test sets, at once or later.
final class FunctionServer: Responder {
    struct Answer: Sendable {
        var status = 200
        var fields: [(name: String, value: String)] = []
        var body: String
    }

    /// A call as it came.
    struct Call: Sendable {
        var head: String
        var event: JSONValue
    }

    private struct State {
        var calls: [Call] = []
        var held: [Reply] = []
        var answer: Answer?
    }

    private let state: Mutex<State>

    /// - Parameter answer: What every call is answered; nil holds calls until they are released.
    init(_ answer: Answer?) { state = Mutex(State(answer: answer)) }

    var calls: [Call] { state.withLock { $0.calls } }
    var heldCount: Int { state.withLock { $0.held.count } }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        let query = request.query.map { "?\($0)" } ?? ""
        let head = "\(request.method.name) \(request.path)\(query) \(request[header: "content-type"] ?? "-")"
        let event = unsafe request.withBody { try? unsafe JSONReader.read($0, depthMax: 100) } ?? .null
        let answer = state.withLock { state in
            state.calls.append(Call(head: head, event: event))
            if state.answer == nil { state.held.append(reply) }
            return state.answer
        }
        if let answer { Self.send(answer, reply) }
    }

    /// Holds calls from now on, until they are released.
    func hold() { state.withLock { $0.answer = nil } }

    /// Answers what is held, and from now on every call.
    func release(_ answer: Answer) {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.answer = answer
            return state.held
        }
        for reply in held { Self.send(answer, reply) }
    }

    /// Answers the call that is held longest; later ones are held as before.
    func releaseOne(_ answer: Answer) {
        if let reply = state.withLock({ $0.held.isEmpty ? nil : $0.held.removeFirst() }) { Self.send(answer, reply) }
    }

    private static func send(_ answer: Answer, _ reply: Reply) {
        reply.send(Response(status: answer.status, fields: answer.fields, body: Array(answer.body.utf8)))
    }

    /// Runs `body` with a function and its URL.
    static func with(_ answer: Answer?, _ body: (FunctionServer, String) async throws -> Void) async throws {
        let function = FunctionServer(answer)
        let server = HTTPServer(responder: function)
        do {
            try await body(function, "http://127.0.0.1:\(server.listen(host: "127.0.0.1", port: 0))/decide?key=secret")
        } catch {
            await server.shutdown(drainSeconds: 0)
            throw error
        }
        await server.shutdown(drainSeconds: 0)
    }
}
