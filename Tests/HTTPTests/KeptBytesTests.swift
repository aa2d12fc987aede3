import Foundation
import Synchronization
import Testing

@testable import HTTP

@Suite("What a server keeps for slow clients")
struct KeptBytesTests {
    private static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let body = [UInt8](repeating: 0x61, count: 8_000_000)

    @Test(
        "many clients that take nothing do not make it keep more than the bound", arguments: ["http", "tls", "socket"])
    func manySlowReaders(kind: String) async throws {
        var limits = HTTPLimits.patient
        limits.outgoingBytesPerServerMax = 40_000_000
        var socketLimits = WebSocketLimits()
        socketLimits.outgoingBytesMax = 20_000_000
        let shared = SharedBytes(Self.body)
        let upgrading = Upgrading(limits: socketLimits, received: { _, socket in socket.send(shared) })
        let server = HTTPServer(
            limits: limits, loopCount: 2,
            responder: Responding { request, loop, reply in
                if request.path == "/socket" { return upgrading.respond(to: request, on: loop, reply: reply) }
                reply.send(Response(status: 200, body: Self.body))
            })
        server.setTLS(try TLSCertificates([TestCertificates.one]))
        let port = try server.listen(host: "127.0.0.1", port: 0)
        var clients: [Client] = []
        var tlsClients: [TLSClient] = []
        for _ in 0..<20 {
            switch kind {
            case "tls":
                let client = try await TLSClient(port: port)
                try await client.stopReading()
                try await client.send(Self.get)
                tlsClients.append(client)
            case "socket":
                let client = try #require(await Client.upgraded(port: port, receiveBytes: 4096))
                client.send(clientFrame(0x81, "please"))
                clients.append(client)
            default:
                let client = Client(port: port, receiveBytes: 4096)
                client.send(Self.get)
                clients.append(client)
            }
        }
        // Twenty times eight megabytes, of which the sockets hold a few each, do not fit into forty.
        #expect(await eventually { server.statistics.openCount < 10 && server.statistics.acceptedCount == 20 })
        #expect(await eventually { server.statistics.outgoingBytes <= 40_000_000 })
        // One that reads is served meanwhile.
        if kind != "socket" {
            let reader = Client(port: port)
            reader.send(Self.get)
            #expect(await reader.answer()?.body.count == Self.body.count)
        }
        withExtendedLifetime((clients, tlsClients)) {}
        clients = []
        tlsClients = []
        #expect(await eventually { server.statistics.openCount == 0 && server.statistics.outgoingBytes == 0 })
        await server.shutdown(drainSeconds: 1)
    }

    @Test("the connection longest without progress is closed first, and the shortage is reported once")
    func order() async throws {
        var limits = HTTPLimits.patient
        limits.outgoingBytesPerServerMax = 20_000_000
        let responder = Large(body: Self.body)
        let server = HTTPServer(limits: limits, loopCount: 2, responder: responder)
        let port = try server.listen(host: "127.0.0.1", port: 0)
        var clients: [Client] = []
        for count in 1...3 {
            let client = Client(port: port, receiveBytes: 4096)
            client.send(Self.get)
            clients.append(client)
            #expect(await eventually { server.statistics.acceptedCount == count && responder.count == count })
            // What makes progress last is closed last: the next one begins when the system takes no more of this answer.
            var (outgoing, repetitions) = (0, 0)
            let isStill = await eventually {
                let now = server.statistics.outgoingBytes
                repetitions = now == outgoing ? repetitions + 1 : 0
                outgoing = now
                return repetitions >= 50
            }
            #expect(isStill)
        }
        #expect(await eventually { server.statistics.openCount == 2 })
        #expect(await clients[0].answer() == nil)
        #expect(await clients[1].answer()?.body.count == Self.body.count)
        #expect(await clients[2].answer()?.body.count == Self.body.count)
        #expect(responder.shortages == [.outgoingBytes])
        await server.shutdown(drainSeconds: 1)
    }

    @Test("answers that wait for an earlier one count as well")
    func waitingAnswers() async throws {
        var limits = HTTPLimits.patient
        limits.outgoingBytesPerServerMax = 20_000_000
        limits.outgoingBytesMax = 1 << 30
        let held = Held()
        let server = HTTPServer(
            limits: limits,
            responder: Responding { request, loop, reply in
                if request.path == "/held" { return _ = held.add(reply, path: "/held") }
                reply.send(Response(status: 200, body: Self.body))
            })
        let port = try server.listen(host: "127.0.0.1", port: 0)
        let client = Client(port: port)
        client.send("GET /held HTTP/1.1\r\nHost: h\r\n\r\n" + String(repeating: Self.get, count: 20))
        await held.reaches(1)
        #expect(await held.isCancelledSoon())
        #expect(await eventually { server.statistics.outgoingBytes == 0 })
        withExtendedLifetime(client) {}
        await server.shutdown(drainSeconds: 1)
    }

    @Test("unfinished requests and messages of many clients stay within the bound, the oldest are refused")
    func unfinished() async throws {
        var limits = HTTPLimits.patient
        limits.incomingBytesPerServerMax = 4_000_000
        let upgrading = Upgrading()
        let server = HTTPServer(limits: limits, loopCount: 2, responder: upgrading)
        let port = try server.listen(host: "127.0.0.1", port: 0)
        let part = [UInt8](repeating: 0x61, count: 500_000)
        var clients: [Client] = []
        for number in 0..<20 {
            let client: Client
            switch number % 3 {
            case 0:
                client = Client(port: port)
                client.send(Array("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 600000\r\n\r\n".utf8) + part)
            case 1:
                client = Client(port: port)
                let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n7a120\r\n"
                client.send(Array(head.utf8) + part)
            default:
                client = try #require(await Client.upgraded(port: port))
                client.send(clientFrame(0x01, String(decoding: part, as: UTF8.self)))
            }
            clients.append(client)
        }
        #expect(await clients[0].answer()?.status == 503)
        #expect(await clients[1].answer()?.status == 503)
        #expect(await clients[2].frame()?.description.hasPrefix("close 1008") == true)
        #expect(await eventually { server.statistics.incomingBytes <= 4_000_000 })
        // The last is far from the oldest.
        clients[18].send([UInt8](repeating: 0x61, count: 100_000))
        #expect(await clients[18].answer()?.status == 200)
        clients = []
        #expect(await eventually { server.statistics.openCount == 0 && server.statistics.incomingBytes == 0 })
        await server.shutdown(drainSeconds: 1)
    }

    @Test("requests that are answered at once are counted nowhere")
    func nothing() async throws {
        let server = HTTPServer(limits: .patient, responder: Echo())
        let client = Client(port: try server.listen(host: "127.0.0.1", port: 0))
        for _ in 0..<3 {
            client.send(Self.get)
            #expect(await client.answer()?.status == 200)
            #expect(server.statistics.outgoingBytes == 0 && server.statistics.incomingBytes == 0)
        }
        await server.shutdown(drainSeconds: 1)
    }

    @Test("a parser gives up the room of a large body once it is done")
    func room() {
        var parser = RequestParser(limits: HTTPLimits())
        let request = Array("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 500000\r\n\r\n".utf8)
        unsafe (request + [UInt8](repeating: 0x61, count: 499_999)).withUnsafeBytes { unsafe parser.append($0) }
        if case .needsBytes = parser.nextCollecting() {} else { Issue.record("a byte is missing") }
        #expect(parser.keptBytes >= 500_000)
        unsafe [0x61 as UInt8].withUnsafeBytes { unsafe parser.append($0) }
        if case .request(let request) = parser.nextCollecting() { #expect(request.bodyCount == 500_000) }
        parser.releaseRoom()
        #expect(parser.keptBytes == 0 && parser.roomBytes == 0)
    }

    @Test("a client that takes its answers slower than the least rate is found after the grace")
    func slowReader() {
        let limits = HTTPLimits()
        let (rate, grace) = (limits.answerBytesPerSecondMin, limits.answerGraceSeconds)
        /// Takes so many bytes each second; whether it was too slow in any.
        func isTooSlow(_ bytesPerSecond: Int, forSeconds seconds: Int) -> Bool {
            var kept = ConnectionKeptBytes(limits)
            kept.mayHaveUnsent = true
            var rest = 1 << 30
            kept.hand(rest, keptBytes: 0)
            // The socket holds a megabyte all the time, which it has taken and the client has not.
            func isTooSlow(now: Int) -> Bool {
                kept.isTooSlow(
                    bufferedBytes: rest - (1 << 20), unacknowledgedCount: 1 << 20, now: now, idleSeconds: .max)
            }
            _ = isTooSlow(now: 0)
            // What was taken fast before does not count later.
            rest -= 1 << 20
            for second in 1...seconds {
                if isTooSlow(now: second) { return true }
                rest -= bytesPerSecond
            }
            return false
        }
        #expect(!isTooSlow(rate, forSeconds: 100_000) && isTooSlow(rate - 1, forSeconds: 100_000))
        #expect(!isTooSlow(0, forSeconds: grace) && isTooSlow(0, forSeconds: grace + 2))
        // A client with nothing to take is not slow.
        var idle = ConnectionKeptBytes(limits)
        idle.hand(1_000, keptBytes: 1_000)
        idle.mayHaveUnsent = true
        for second in 0..<10_000
        where idle.isTooSlow(bufferedBytes: 0, unacknowledgedCount: 0, now: second, idleSeconds: 75) {
            Issue.record("\(second)")
        }
    }

    @Test("a client is idle while it acknowledges nothing, whatever its socket takes")
    func idleReader() {
        var limits = HTTPLimits()
        limits.answerBytesPerSecondMin = 0
        let (idleSeconds, socketBytes) = (limits.idleSeconds, 3 << 20)
        /// - Returns: The second in which the client is closed; nil if that does not happen in twenty times `idleSeconds`.
        func closing(acknowledgedPerSecond: Int, takenBySocketPerSecond: Int) -> Int? {
            var kept = ConnectionKeptBytes(limits)
            kept.mayHaveUnsent = true
            kept.hand(1 << 30, keptBytes: 0)
            for second in 0..<20 * idleSeconds {
                let acknowledged = second * acknowledgedPerSecond
                let taken = socketBytes + second * takenBySocketPerSecond
                let isTooSlow = kept.isTooSlow(
                    bufferedBytes: (1 << 30) - taken, unacknowledgedCount: taken - acknowledged, now: second,
                    idleSeconds: idleSeconds)
                if isTooSlow { return second }
            }
            return nil
        }
        #expect(closing(acknowledgedPerSecond: 1, takenBySocketPerSecond: 0) == nil)
        #expect(closing(acknowledgedPerSecond: 0, takenBySocketPerSecond: 0) == idleSeconds + 1)
        #expect(closing(acknowledgedPerSecond: 0, takenBySocketPerSecond: 1_000) == idleSeconds + 1)
    }

    @Test("a client that stops or is slower than the least rate is closed, and a slow one that is faster is not")
    func leastRate() async throws {
        var limits = HTTPLimits.patient
        (limits.answerBytesPerSecondMin, limits.answerGraceSeconds) = (4 << 10, 2)
        let endless = Endless()
        try await withServer(limits: limits, endless) { port in
            func begin(_ path: String, receiveBytes: Int32) -> Client {
                let client = Client(port: port, receiveBytes: receiveBytes)
                client.send("GET /\(path) HTTP/1.1\r\nHost: h\r\n\r\n")
                return client
            }
            let stopped = begin("stopped", receiveBytes: 4096)
            // At most fifty times a second: a fifth of the least rate, and 400 KiB. A socket takes from its channel only when a
            // third of its buffer is free, which takes the steady client longer than the grace.
            let slow = Reader(begin("slow", receiveBytes: 4096), bytesPerTurn: 16)
            let steady = Reader(begin("steady", receiveBytes: 65_536), bytesPerTurn: 8 << 10)
            #expect(await eventually { endless.closedPaths.isSuperset(of: ["/slow", "/stopped"]) })
            let count = steady.byteCount
            #expect(await eventually { steady.byteCount > count + (1 << 20) || steady.hasEnded })
            #expect(endless.closedPaths == ["/slow", "/stopped"])
            slow.stop()
            steady.stop()
            withExtendedLifetime(stopped) {}
        }
    }

    /// Reads from a client on a thread of its own, so that other tests do not delay it, and rests after each turn.
    private final class Reader: Sendable {
        private let count = Atomic(0)
        private let isStopped = Atomic(false)
        private let ended = Atomic(false)

        init(_ client: Client, bytesPerTurn: Int) {
            // The thread alone uses the client from now on.
            nonisolated(unsafe) let client = client
            Thread { [self] in
                while !isStopped.load(ordering: .relaxed), unsafe client.drop(bytesPerTurn) {
                    count.add(bytesPerTurn, ordering: .relaxed)
                    Thread.sleep(forTimeInterval: 0.02)
                }
                ended.store(true, ordering: .relaxed)
            }.start()
        }

        var byteCount: Int { count.load(ordering: .relaxed) }
        var hasEnded: Bool { ended.load(ordering: .relaxed) }
        func stop() { isStopped.store(true, ordering: .relaxed) }
    }

    @Test("a piece that was handed over counts in full until it is taken in full")
    func pieces() {
        var unsent = UnsentBytes()
        func note(_ bufferedBytes: Int) -> Bool { unsent.note(bufferedBytes: bufferedBytes) }
        unsent.hand(1_000_000, keptBytes: 1_200_000)
        unsent.hand(500_000, keptBytes: 500_000)
        #expect(!note(1_500_000))
        #expect(unsent.keptBytes == 1_700_000)
        #expect(note(500_001))
        #expect(unsent.keptBytes == 1_700_000)
        #expect(note(500_000))
        #expect(unsent.keptBytes == 500_000)
        #expect(!note(500_000))
        #expect(note(0))
        #expect(unsent.keptBytes == 0 && unsent.isEmpty)
        #expect(!note(0))
        for _ in 0..<10_000 { unsent.hand(100, keptBytes: 100) }
        #expect(unsent.keptBytes == 1_000_000)
        #expect(note(500_000))
        #expect((500_000...600_000).contains(unsent.keptBytes))
    }

    @Test("a shortage is reported at once, and then once a minute with the clients since")
    func reports() {
        var reports = ShortageReports()
        func note(_ shortage: HTTPShortage, _ clientCount: Int, at now: Int) -> Int? {
            reports.note(shortage, clientCount: clientCount, now: now)
        }
        #expect(note(.descriptors, 3, at: 100) == 3)
        #expect(note(.descriptors, 4, at: 101) == nil)
        #expect(note(.outgoingBytes, 1, at: 101) == 1)
        #expect(note(.descriptors, 5, at: 159) == nil)
        #expect(note(.descriptors, 6, at: 160) == 15)
        #expect(note(.descriptors, 7, at: 161) == nil)
    }
}

@Suite("What one client may take of its loop's time")
struct LoopTimeTests {
    @Test("a client that sends a thousand requests ahead does not hold up another", arguments: [false, true])
    func ahead(isSocket: Bool) async throws {
        let served = Mutex<[String]>([])
        // The first of them holds the loop until the other client has asked.
        let hasAsked = Atomic(false)
        @Sendable func serve(_ name: String) {
            while name == "/greedy", !hasAsked.load(ordering: .acquiring) {}
            let end = ContinuousClock.now + .microseconds(300)
            while ContinuousClock.now < end {}
            served.withLock { $0.append(name) }
        }
        let upgrading = Upgrading(received: { text, socket in
            serve(text)
            Upgrading.echo(text, socket)
        })
        let responder = Responding { request, loop, reply in
            guard request.path != "/socket" else { return upgrading.respond(to: request, on: loop, reply: reply) }
            serve(request.path)
            reply.send(Response(status: 200))
        }
        try await withServer(responder) { port in
            let other = Client(port: port)
            other.send("GET /other HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await other.answer()?.status == 200)
            let greedy: Client
            if isSocket {
                greedy = try #require(await Client.upgraded(port: port))
                greedy.send((0..<1000).flatMap { _ in clientFrame(0x81, "/greedy") })
            } else {
                greedy = Client(port: port)
                greedy.send(String(repeating: "GET /greedy HTTP/1.1\r\nHost: h\r\n\r\n", count: 1000))
            }
            other.send("GET /other HTTP/1.1\r\nHost: h\r\n\r\n")
            hasAsked.store(true, ordering: .releasing)
            #expect(await other.answer()?.status == 200)
            let place = served.withLock { $0.lastIndex(of: "/other") }
            #expect((place ?? 1000) < 300, "\(place ?? -1)")
            for _ in 0..<1000 {
                if isSocket {
                    #expect(await greedy.frame()?.description == "text /greedy")
                } else {
                    #expect(await greedy.answer()?.status == 200)
                }
            }
        }
    }

    @Test("a large answer is compressed elsewhere, and keeps its place in the order")
    func largeAnswer() async throws {
        var limits = HTTPLimits.patient
        limits.compressionQueueBytesMax = 30_000_000
        let body = (0..<24_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let durations = Mutex<[Duration]>([])
        let responder = Responding { request, loop, reply in
            let start = threadTime()
            reply.send(Response(status: 200, body: request.path == "/large" ? body : Array("small".utf8)))
            let time = threadTime() - start
            durations.withLock { $0.append(time) }
        }
        let start = threadTime()
        _ = unsafe body.withUnsafeBytes { unsafe Deflater().gzip($0) }
        let time = threadTime() - start
        try await withServer(limits: limits, responder) { port in
            let client = Client(port: port)
            let head = " HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n"
            client.send("GET /large\(head)GET /small\(head)GET /large\(head)")
            let large = try #require(await client.answer())
            #expect(large.headers["content-encoding"] == "gzip")
            #expect(try inflated(large.body[...], .gzip, bytesMax: body.count) == body)
            #expect(await client.answer()?.text == "small")
            // The second one found no room to wait in, unless the first was done by then.
            let second = try #require(await client.answer())
            #expect(second.headers["vary"] == "Accept-Encoding")
            if second.headers["content-encoding"] == nil { #expect(second.body == body) }
            for duration in durations.withLock({ $0 }) { #expect(duration < time / 2, "\(duration) of \(time)") }
        }
    }

    @Test("a client that disconnects while its answer is compressed leaves no counted bytes")
    func gone() async throws {
        let body = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let responder = Large(body: body)
        let server = HTTPServer(limits: .patient, responder: responder)
        let port = try server.listen(host: "127.0.0.1", port: 0)
        for _ in 0..<3 {
            let client = Client(port: port)
            client.send("GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n")
            client.resetOnClose()
        }
        #expect(await eventually { server.statistics.acceptedCount == 3 && server.statistics.openCount == 0 })
        #expect(server.statistics.outgoingBytes == 0)
        let client = Client(port: port)
        client.send("GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n")
        // A shutdown waits for it.
        #expect(await eventually { responder.count >= 1 && server.statistics.acceptedCount == 4 })
        async let done: Void = server.shutdown(drainSeconds: 600)
        let answer = try #require(await client.answer())
        #expect(try inflated(answer.body[...], .gzip, bytesMax: body.count) == body)
        await done
    }
}

/// Answers with bodies that never end, and keeps the paths of those that were released.
private final class Endless: Responder {
    private let closed = Mutex<Set<String>>([])
    private static let piece = [UInt8](repeating: 0x61, count: 100_000)

    /// The paths of requests whose connections were closed.
    var closedPaths: Set<String> { closed.withLock { $0 } }

    private final class Watch: Sendable {
        private let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        let path = request.path
        let watch = Watch { [self] in closed.withLock { _ = $0.insert(path) } }
        let stream = ResponseStream { deliver in
            withExtendedLifetime(watch) { deliver(.bytes(Self.piece)) }
        }
        reply.send(Response(status: 200, content: .stream(stream)))
    }
}

/// Answers all alike, and keeps what it receives of shortages.
private final class Large: Responder {
    private let body: [UInt8]
    private let state = Mutex<(count: Int, shortages: [HTTPShortage])>((0, []))

    init(body: [UInt8]) { self.body = body }

    var count: Int { state.withLock { $0.count } }
    var shortages: [HTTPShortage] { state.withLock { $0.shortages } }

    func respond(to request: Request, on loop: EventLoop, reply: Reply) {
        state.withLock { $0.count += 1 }
        reply.send(Response(status: 200, body: body))
    }

    func noteShortage(_ shortage: HTTPShortage, clientCount: Int, on loop: EventLoop) {
        state.withLock { $0.shortages.append(shortage) }
    }
}
