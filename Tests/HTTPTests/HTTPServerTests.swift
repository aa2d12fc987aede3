import Synchronization
import Testing

@testable import HTTP

@Suite("The server, over sockets")
struct HTTPServerTests {
    @Test("serves one request after the other on one connection")
    func keepAlive() async throws {
        try await withServer { port in
            let client = Client(port: port)
            for number in 0..<5 {
                client.send("GET /echo/\(number) HTTP/1.1\r\nHost: h\r\n\r\n")
                let answer = try #require(await client.answer())
                #expect(answer.status == 200)
                #expect(answer.text == "get /echo/\(number) host=h")
                #expect(answer.headers["content-type"] == "text/plain")
                #expect(answer.headers["date"]?.hasSuffix(" GMT") == true)
                #expect(answer.headers["x-amzn-requestid"]?.count == 36)
                #expect(answer.headers["connection"] == nil)
            }
        }
    }

    @Test("answers sixteen pipelined requests in order, though they are completed backwards")
    func pipelining() async throws {
        let held = Held()
        try await withServer(
            Responding { request, loop, reply in
                // From a thread that is not the loop's, once all of them are there.
                if held.add(reply, path: request.path) == 16 { held.answerAll(reversed: true) }
            }
        ) { port in
            let client = Client(port: port)
            client.send((0..<16).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
            for number in 0..<16 { #expect(await client.answer()?.text == "/\(number)") }
        }
    }

    @Test("answers leave in order, whatever order they are completed in, from any thread", arguments: 0..<8)
    func shuffled(seed: Int) async throws {
        var random = FastRandom(seed: UInt64(seed))
        let order = (0..<40).shuffled(using: &random)
        let held = Held()
        try await withServer(
            loopCount: 2,
            Responding { request, loop, reply in
                _ = held.add(reply, path: request.path)
            }
        ) { port in
            let client = Client(port: port)
            client.send((0..<40).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
            await held.reaches(40)
            for place in order { held.answer(place) }
            for number in 0..<40 { #expect(await client.answer()?.text == "/\(number)") }
        }
    }

    @Test("the first completion of a reply counts, and a reply released without one, on any thread, answers 500")
    func completions() async throws {
        let held = Held()
        try await withServer(
            Responding { request, loop, reply in
                if request.path == "/forget" { return }
                if request.path == "/elsewhere" { return _ = held.add(reply, path: request.path) }
                reply.send(Response(status: 200, body: Array("first".utf8)))
                reply.send(Response(status: 404, body: Array("second".utf8)))
            }
        ) { port in
            let client = Client(port: port)
            client.send("GET /forget HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n")
            client.send("GET /elsewhere HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let forgotten = try #require(await client.answer())
            #expect(forgotten.status == 500)
            #expect(forgotten.text == "The request was not answered.")
            #expect(await client.answer()?.text == "first")
            await held.reaches(1)
            _ = held.takeFirst()
            #expect(await client.answer()?.status == 500)
            #expect(await client.answer()?.text == "first")
        }
    }

    @Test("closes after the last answer when the client asks, or is HTTP/1.0, or the answer says so")
    func closing() async throws {
        try await withServer { port in
            for text in [
                "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /never HTTP/1.1\r\nHost: h\r\n\r\n",
                "GET / HTTP/1.0\r\n\r\n", "GET /close HTTP/1.1\r\nHost: h\r\n\r\n",
            ] {
                let client = Client(port: port)
                client.send(text)
                #expect(await client.answer()?.headers["connection"] == "close")
                #expect(await client.rest() == [])
            }
            let client = Client(port: port)
            for _ in 0..<2 {
                client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                #expect(await client.answer()?.headers["connection"] == "keep-alive")
            }
        }
    }

    @Test("a client that has finished sending still gets its answers")
    func halfClose() async throws {
        let held = Held()
        try await withServer(
            Responding { request, loop, reply in
                if request.path == "/now" { return reply.send(Response(status: 200, body: Array("now".utf8))) }
                if held.add(reply, path: request.path) == 2 {
                    loop.schedule(afterMilliseconds: 20) { held.answerAll(reversed: true) }
                }
            }
        ) { port in
            let client = Client(port: port)
            client.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\nGET /unfinished")
            client.finishSending()
            #expect(await client.answer()?.text == "/a")
            #expect(await client.answer()?.text == "/b")
            #expect(await client.rest() == [])
            let other = Client(port: port)
            other.send("GET /now HTTP/1.1\r\nHost: h\r\n\r\n")
            other.finishSending()
            #expect(await other.answer()?.text == "now")
            #expect(await other.rest() == [])
        }
    }

    @Test("a reply reports that its client has hung up, or has finished sending", arguments: [true, false])
    func hangUp(closes: Bool) async throws {
        let held = Held()
        let replies = Mutex<[Reply]>([])
        try await withServer(
            Responding { request, _, reply in
                replies.withLock { $0.append(reply) }
                _ = held.add(reply, path: request.path)
            }
        ) { port in
            var client: Client? = Client(port: port)
            client?.send("GET /a HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await eventually { replies.withLock { $0.count == 1 } })
            let reply = try #require(replies.withLock { $0.first })
            #expect(!reply.hasClientHungUp)
            if closes { client = nil } else { client?.finishSending() }
            #expect(await eventually { reply.hasClientHungUp })
            held.answerAll(reversed: false)
            if !closes { #expect(await client?.answer()?.text == "/a") }
        }
    }

    @Test("a client that has finished sending gets a large answer to its end")
    func halfCloseLarge() async throws {
        let body = [UInt8](repeating: 0x61, count: 8_000_000)
        try await withServer(
            Responding { request, loop, reply in
                reply.send(Response(status: 200, body: body))
            }
        ) { port in
            for closes in ["", "Connection: close\r\n"] {
                let client = Client(port: port, receiveBytes: 4096)
                client.send("GET / HTTP/1.1\r\nHost: h\r\n\(closes)\r\n")
                client.finishSending()
                #expect(await client.answer()?.body.count == body.count)
                #expect(await client.rest() == [])
            }
        }
    }

    @Test("100 Continue is sent before the body, in order, and not to clients that do not wait for it")
    func expectation() async throws {
        try await withServer { port in
            let client = Client(port: port)
            let head = "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
            client.send(head)
            #expect(await client.answer()?.status == 100)
            client.send("ab")
            #expect(await client.answer()?.text.hasSuffix("body=ab") == true)
            client.send(head + "cd")
            #expect(await client.answer()?.text.hasSuffix("body=cd") == true)
            client.send("GET /first HTTP/1.1\r\nHost: h\r\n\r\n" + head)
            #expect(await client.answer()?.status == 200)
            #expect(await client.answer()?.status == 100)
            client.send("ef")
            #expect(await client.answer()?.text.hasSuffix("body=ef") == true)
            client.send(head.replacing("h: 2", with: "h: 9999999"))
            #expect(await client.answer()?.status == 413)
        }
    }

    @Test("compresses answers and takes compressed bodies")
    func compression() async throws {
        try await withServer { port in
            let client = Client(port: port)
            let body = [UInt8](repeating: 0x62, count: 50_000)
            let packed = try #require(body.gzipped())
            let head = "POST / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\nContent-Encoding: gzip\r\n"
            for _ in 0..<2 {
                client.send(Array((head + "Content-Length: \(packed.count)\r\n\r\n").utf8) + packed)
                let answer = try #require(await client.answer())
                #expect(answer.headers["content-encoding"] == "gzip")
                let text = try inflated(answer.body[...], .gzip, bytesMax: 100_000)
                #expect(String(decoding: text, as: UTF8.self).contains(String(repeating: "b", count: 50_000)))
            }
        }
    }

    @Test("a client can read why its large upload is refused")
    func lingering() async throws {
        try await withServer { port in
            let client = Client(port: port)
            client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n")
            client.send([UInt8](repeating: 0, count: 3_000_000))
            let answer = try #require(await client.answer())
            #expect(answer.status == 413)
            #expect(answer.headers["connection"] == "close")
            #expect(answer.text == "The request body is larger than the server reads.")
            #expect(await client.rest() == [])
        }
    }

    @Test("turns away a TLS handshake, and a connection too many")
    func strangers() async throws {
        var limits = HTTPLimits.patient
        limits.connectionsMax = 1
        try await withServer(limits: limits) { port in
            var first: Client? = Client(port: port)
            first?.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await first?.answer()?.status == 200)
            let second = Client(port: port)
            let answer = await second.answer()
            #expect(answer?.status == 503)
            #expect(answer?.headers["retry-after"] == "1")
            #expect(await second.rest() == [])
            first?.finishSending()
            #expect(await first?.rest() == [])
            first = nil
            // The place becomes free a moment after the first client has seen its end.
            while true {
                let third = Client(port: port)
                third.send([0x16, 3, 1, 0, 200, 1])
                guard let answer = await third.answer() else { break }
                #expect(answer.status == 503)
            }
        }
    }

    @Test("the responder words every answer to what the server refuses, knows the head, and is notified")
    func refusals() async throws {
        let refusing = Refusing()
        let server = HTTPServer(limits: .patient, responder: refusing)
        let port = try server.listen(host: "127.0.0.1", port: 0)
        var identifiers: [String?] = []
        var texts: [String?] = []
        for request in [
            "GET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/9.9\r\nHost: h\r\n\r\n",
            "POST /large HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\n\r\n",
            "POST /chunks HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        ] {
            let client = Client(port: port)
            client.send(request)
            let answer = await client.answer()
            identifiers.append(answer?.headers["x-amzn-requestid"])
            texts.append(answer?.text)
        }
        #expect(texts == ["500 of no head", "400 of no head", "505 of no head", "413 of /large", "400 of /chunks"])
        #expect(refusing.all.map(\.status) == [500, 400, 505, 413, 400])
        #expect(refusing.all.map(\.requestID) == identifiers)
        #expect(refusing.all.allSatisfy { $0.peer.hasPrefix("127.0.0.1:") })
        #expect(server.statistics.acceptedCount == 5 && server.statistics.refusedCount == 0)
        await server.shutdown(drainSeconds: 1)
        #expect(server.statistics.openCount == 0)
    }

    @Test("ends a connection after as many requests as it may carry")
    func requestCount() async throws {
        var limits = HTTPLimits.patient
        limits.requestsPerConnectionMax = 3
        try await withServer(limits: limits) { port in
            let client = Client(port: port)
            client.send(String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: 5))
            #expect(await client.answer()?.headers["connection"] == nil)
            #expect(await client.answer()?.headers["connection"] == nil)
            #expect(await client.answer()?.headers["connection"] == "close")
            #expect(await client.rest() == [])
        }
    }

    @Test("reading pauses while too many answers are pending, and resumes afterwards")
    func pipelineBound() async throws {
        var limits = HTTPLimits.patient
        limits.pipelinedRequestsMax = 4
        let held = Held()
        try await withServer(
            limits: limits,
            Responding { request, loop, reply in
                let count = held.add(reply, path: request.path)
                #expect(count <= 4)
                if count == 4 { loop.schedule(afterMilliseconds: 1) { held.answerAll(reversed: true) } }
            }
        ) { port in
            let client = Client(port: port)
            client.send((0..<100).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
            for number in 0..<100 { #expect(await client.answer()?.text == "/\(number)") }
        }
    }

    @Test(
        "reading pauses while the client does not read its answers, and resumes afterwards", arguments: [false, true])
    func outgoingBound(isLater: Bool) async throws {
        var limits = HTTPLimits.patient
        limits.outgoingBytesMax = 65_536
        let served = Atomic(0)
        let body = [UInt8](repeating: 0x61, count: 100_000)
        try await withServer(
            limits: limits,
            Responding { request, loop, reply in
                served.add(1, ordering: .relaxed)
                let response = Response(status: 200, fields: [("path", request.path)], body: body)
                if isLater { loop.execute { reply.send(response) } } else { reply.send(response) }
            }
        ) { port in
            let client = Client(port: port, receiveBytes: 4096)
            client.send((0..<400).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
            #expect(await client.answer()?.body.count == 100_000)
            // The sockets hold a few megabytes; forty would not fit.
            #expect(served.load(ordering: .relaxed) < 250)
            for number in 1..<400 {
                let answer = try #require(await client.answer())
                #expect(answer.body.count == 100_000 && answer.headers["path"] == "/\(number)")
            }
        }
    }

    @Test("a client that takes nothing of its answers is given up")
    func unread() async throws {
        var limits = HTTPLimits.patient
        limits.idleSeconds = 1
        let held = Held()
        let body = [UInt8](repeating: 0x61, count: 8_000_000)
        try await withServer(
            limits: limits,
            Responding { request, loop, reply in
                if request.path == "/held" { _ = held.add(reply, path: "/held") }
                reply.send(Response(status: 200, body: body))
            }
        ) { port in
            let client = Client(port: port, receiveBytes: 4096)
            client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET /held HTTP/1.1\r\nHost: h\r\n\r\n")
            await held.reaches(1)
            #expect(await held.isCancelledSoon())
            withExtendedLifetime(client) {}
        }
    }

    @Test("a reply knows that its client has disconnected")
    func cancelled() async throws {
        let held = Held()
        try await withServer(
            Responding { request, loop, reply in
                _ = held.add(reply, path: request.path)
            }
        ) { port in
            var client: Client? = Client(port: port)
            client?.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            await held.reaches(1)
            #expect(held.isCancelled == false)
            client?.resetOnClose()
            client = nil
            #expect(await held.isCancelledSoon())
            held.answerAll(reversed: false)
        }
    }

    @Test("slow heads and slow bodies are answered 408, idle connections are closed without a word")
    func slowness() async throws {
        var limits = HTTPLimits.patient
        limits.headSeconds = 1
        limits.bodySeconds = 1
        limits.idleSeconds = 1
        limits.lingerSeconds = 1
        try await withServer(limits: limits) { port in
            let (head, body, idle) = (Client(port: port), Client(port: port), Client(port: port))
            head.send("GET / HTTP/1.1\r\nHost")
            body.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabc")
            idle.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await idle.answer()?.status == 200)
            #expect(await head.answer()?.status == 408)
            #expect(await head.rest() == [])
            #expect(await body.answer()?.status == 408)
            #expect(await body.rest() == [])
            #expect(await idle.rest() == [])
        }
    }

    @Test("shutdown answers what is under way, closes what is idle, and refuses what is new")
    func shutdown() async throws {
        let held = Held()
        let server = HTTPServer(
            limits: .patient, loopCount: 2,
            responder: Responding { request, loop, reply in
                if request.path == "/now" { return reply.send(Response(status: 200)) }
                _ = held.add(reply, path: request.path)
            })
        let port = try server.listen(host: "127.0.0.1", port: 0)
        let (idle, busy) = (Client(port: port), Client(port: port))
        idle.send("GET /now HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(await idle.answer()?.headers["connection"] == nil)
        busy.send("GET /busy HTTP/1.1\r\nHost: h\r\n\r\n")
        await held.reaches(1)
        let busyReply = held.takeFirst()
        async let done: Void = server.shutdown(drainSeconds: 600)
        #expect(await idle.rest() == [])
        busyReply?.send(Response(status: 200, body: Array("late".utf8)))
        let answer = try #require(await busy.answer())
        #expect(answer.text == "late")
        #expect(answer.headers["connection"] == "close")
        #expect(await busy.rest() == [])
        await done
    }

    @Test("shutdown waits for an answer that does not come no longer than it may, and is done once")
    func stuck() async throws {
        let held = Held()
        let server = HTTPServer(
            limits: .patient, loopCount: 2,
            responder: Responding { request, loop, reply in _ = held.add(reply, path: request.path) })
        let stuck = Client(port: try server.listen(host: "127.0.0.1", port: 0))
        stuck.send("GET /stuck HTTP/1.1\r\nHost: h\r\n\r\n")
        await held.reaches(1)
        await server.shutdown(drainSeconds: 1)
        #expect(await stuck.answer() == nil)
        #expect(held.isCancelled == true)
        held.answerAll(reversed: false)
        await server.shutdown(drainSeconds: 1)
        #expect(throws: HTTPServerError.self) { try server.listen(host: "127.0.0.1", port: 0) }
    }

    @Test("clients that leave while the server shuts down do it no harm", arguments: 0..<10)
    func leaving(round: Int) async throws {
        let server = HTTPServer(limits: .patient, loopCount: 2, responder: Echo())
        let port = try server.listen(host: "127.0.0.1", port: 0)
        var clients = (0..<40).map { _ in Client(port: port) }
        for client in clients { client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n") }
        for client in clients { #expect(await client.answer()?.status == 200) }
        async let done: Void = server.shutdown(drainSeconds: 1)
        while !clients.isEmpty {
            clients.removeLast()
            if clients.count % 8 == round % 8 { await Task.yield() }
        }
        await done
    }

    @Test("says why it cannot listen")
    func listening() async throws {
        let server = HTTPServer(limits: .patient, responder: Echo())
        let port = try server.listen(host: "127.0.0.1", port: 0)
        func code(_ host: String, _ port: Int) -> HTTPServerError.Code? {
            do throws(HTTPServerError) {
                _ = try server.listen(host: host, port: port)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code("127.0.0.1", port) == .portTaken)
        #expect(code("192.0.2.1", 0) == .badAddress)
        #expect(code("no such host.invalid", 0) == .badAddress)
        #expect(code("127.0.0.1", 65_536) == .badAddress)
        #expect(code("127.0.0.1", -1) == .badAddress)
        await server.shutdown(drainSeconds: 0)
    }

    @Test("a timer runs on its loop, and not when it is cancelled")
    func timers() async throws {
        let server = HTTPServer(limits: .patient, loopCount: 2, responder: Echo())
        let loop = server.loops[1]
        #expect(server.loops.map(\.index) == [0, 1])
        #expect(!loop.isCurrent)
        await withCheckedContinuation { continuation in
            let never = loop.schedule(afterMilliseconds: 1) { Issue.record("a cancelled timer ran") }
            never.cancel()
            loop.schedule(afterMilliseconds: 10) {
                #expect(loop.isCurrent)
                continuation.resume()
            }
        }
        await server.shutdown(drainSeconds: 0)
    }
}

// MARK: - Responders

/// Answers with a description of the request.
struct Echo: Responder {
    private let head = HeaderBlock(["Content-Type": "text/plain"], requestIDNames: ["x-amzn-RequestId"])

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        let body = Array(describe(request).utf8)
        if request.path == "/close" {
            return reply.send(Response(status: 200, headers: head, body: body, closesConnection: true))
        }
        unsafe body.withUnsafeBytes {
            unsafe reply.send(status: 200, head: head, requestID: loop.makeRequestID(), body: $0)
        }
    }
}

/// Answers nothing, and keeps what it is notified of.
final class Refusing: Responder {
    private let refusals = Mutex<[(status: Int, requestID: String, peer: String)]>([])

    var all: [(status: Int, requestID: String, peer: String)] { refusals.withLock { $0 } }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {}

    func response(
        to refusal: Refusal, head: Request?, peer: Peer, requestID: RequestID, on loop: EventLoop
    ) -> Response {
        Response(
            status: 200, headers: HeaderBlock([:], requestIDNames: ["x-amzn-RequestId"]),
            body: Array("\(refusal.status) of \(head?.path ?? "no head")".utf8))
    }

    func noteRefusal(_ refusal: Refusal, requestID: RequestID, peer: Peer, on loop: EventLoop) {
        refusals.withLock { $0.append((refusal.status, requestID.description, peer.description)) }
    }
}

struct Responding: Responder {
    let body: @Sendable (Request, EventLoop, Reply) -> Void

    init(_ body: @escaping @Sendable (Request, EventLoop, Reply) -> Void) { self.body = body }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) { body(request, loop, reply) }
}

/// Replies that are kept to be answered later, with the path of their request.
final class Held: Sendable {
    private let replies = Mutex<[(reply: Reply, path: String)]>([])
    private let waiter = Mutex<(count: Int, continuation: CheckedContinuation<Void, Never>)?>(nil)

    /// Waits until so many replies are held.
    func reaches(_ count: Int) async {
        await withCheckedContinuation { continuation in
            waiter.withLock { $0 = (count, continuation) }
            wake()
        }
    }

    private func wake() {
        let held = replies.withLock { $0.count }
        let continuation = waiter.withLock { waiter in
            guard let waiting = waiter, held >= waiting.count else { return nil as CheckedContinuation<Void, Never>? }
            waiter = nil
            return waiting.continuation
        }
        continuation?.resume()
    }

    var isCancelled: Bool? { replies.withLock { $0.first?.reply.isCancelled } }

    /// Whether the first reply is cancelled within a minute.
    func isCancelledSoon() async -> Bool {
        await eventually { isCancelled == true }
    }

    func add(_ reply: Reply, path: String) -> Int {
        defer { wake() }
        return replies.withLock { replies in
            replies.append((reply, path))
            return replies.count
        }
    }

    func answer(_ place: Int) { Held.answer(replies.withLock { $0[place] }) }

    func takeFirst() -> Reply? { replies.withLock { $0.isEmpty ? nil : $0.removeFirst().reply } }

    func takeLast() -> Reply? { replies.withLock { $0.popLast()?.reply } }

    func answerAll(reversed: Bool) {
        let all = replies.withLock { replies in
            defer { replies = [] }
            return replies
        }
        for one in reversed ? all.reversed() : all { Held.answer(one) }
    }

    private static func answer(_ one: (reply: Reply, path: String)) {
        one.reply.send(Response(status: 200, body: Array(one.path.utf8)))
    }
}

/// Runs `body` with the port of a server, and shuts the server down after.
extension HTTPLimits {
    /// No client is given up for being slow: where the machine is busy, a test's own turn may come minutes late.
    static var patient: HTTPLimits {
        var limits = HTTPLimits()
        (limits.idleSeconds, limits.handshakeSeconds, limits.headSeconds, limits.bodySeconds) = (600, 600, 600, 600)
        return limits
    }
}

func withServer(
    limits: HTTPLimits = .patient, loopCount: Int = 1, _ responder: some Responder = Echo(),
    _ body: (Int) async throws -> Void
) async throws {
    let server = HTTPServer(limits: limits, loopCount: loopCount, responder: responder)
    do {
        try await body(server.listen(host: "127.0.0.1", port: 0))
    } catch {
        Issue.record(error)
    }
    await server.shutdown(drainSeconds: 1)
}
